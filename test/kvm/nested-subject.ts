import { afterAll, beforeAll, expect } from 'vitest';
import { comparePictures, ofHostd, takeHostPicture, type HostPicture } from '../support/host-picture.ts';
import { isolatedState } from '../support/shared-image.ts';
import { sandboxFiles } from '../support/suite.ts';
import type { TierSubject } from '../tiers/scenario.ts';
import { NestedHost, outerInstance } from './nested-host.ts';
import { makeNestedImage } from './nested-image.ts';

/** A hostd with KVM for one test file; afterwards nothing may be left of its sandboxes inside, nor of it here. */
export function useNestedKvm(): () => TierSubject {
  let state: Awaited<ReturnType<typeof isolatedState>> | undefined;
  let nested: NestedHost | undefined;
  let inside: string[] = [];
  let before: HostPicture | undefined;

  beforeAll(async () => {
    const lap = stopwatch();
    state = await isolatedState();
    before = await takeHostPicture();
    await makeNestedImage(state.directory);
    lap('the image with hostd and QEMU');
    nested = await NestedHost.start(state.directory);
    lap('a sandbox of it with hostd running inside');
    inside = await nested.picture();
  }, 900_000);

  afterAll(async () => {
    const { left, log } = await leftInside().catch((error: unknown) => ({
      left: [`inside: ${String(error)}`],
      log: '',
    }));
    await nested?.[Symbol.asyncDispose]();
    if (before !== undefined && state !== undefined) {
      const outer = { instance: outerInstance, folders: [state.directory] };
      left.push(...ofHostd(comparePictures(before, await takeHostPicture()), outer));
      left.push(...(await sandboxFiles(state.directory)));
    }
    await state?.[Symbol.asyncDispose]();
    expect(left, log).toEqual([]);
  }, 300_000);

  const leftInside = async (): Promise<{ left: string[]; log: string }> => {
    const after = (await nested?.picture()) ?? [];
    const left = after.filter((line) => !inside.includes(line)).map((line) => `inside: ${line}`);
    return { left, log: left.length === 0 ? '' : ((await nested?.log()) ?? '') };
  };

  return () => {
    if (nested === undefined) throw new Error('the inner hostd is not started yet');
    return nested;
  };
}

/** Everything is slow in there: what takes the time is worth a line. */
function stopwatch(): (what: string) => void {
  let beganMs = performance.now();
  return (what) => {
    const nowMs = performance.now();
    process.stderr.write(`kvm: ${what}: ${((nowMs - beganMs) / 1000).toFixed(1)} s\n`);
    beganMs = nowMs;
  };
}
