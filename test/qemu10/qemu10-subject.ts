import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { comparePictures, ofHostd, takeHostPicture, type HostPicture } from '../support/host-picture.ts';
import { HostdProcess } from '../support/hostd-process.ts';
import { isolatedState } from '../support/shared-image.ts';
import { sandboxFiles } from '../support/suite.ts';
import type { TierSubject } from '../tiers/scenario.ts';
import { makeQemu10Root, type Qemu10Root } from './qemu10-root.ts';

const instance = 'qemu10';

/** A hostd of this machine that finds Debian 13's QEMU first, for one test file; afterwards nothing of it may be left. */
export function useQemu10(): () => TierSubject {
  let root: Qemu10Root | undefined;
  let state: Awaited<ReturnType<typeof isolatedState>> | undefined;
  let hostd: HostdProcess | undefined;
  let before: HostPicture | undefined;
  let images = '';

  beforeAll(async () => {
    state = await isolatedState();
    root = await makeQemu10Root();
    images = await mkdtemp(`/dev/shm/offshoot-${instance}-`);
    await chmod(images, 0o711);
    before = await takeHostPicture();
    hostd = await HostdProcess.start({
      stateDirectory: state.directory,
      config: {
        network: { instance, subnet: '10.87.0.0/16' },
        sandboxes: { forkImageDirectory: images },
        kvm: 'off',
      },
      env: { PATH: `${root.programs}:${process.env['PATH'] ?? ''}` },
    });
  }, 600_000);

  afterAll(async () => {
    await hostd?.[Symbol.asyncDispose]();
    const folders = [state?.directory, root?.programs].filter((folder) => folder !== undefined);
    const left = [
      ...(before === undefined ? [] : ofHostd(comparePictures(before, await takeHostPicture()), { instance, folders })),
      ...((await root?.processes()) ?? []),
      ...(state === undefined ? [] : await sandboxFiles(state.directory)),
    ];
    if (images !== '') await rm(images, { recursive: true, force: true });
    await root?.[Symbol.asyncDispose]();
    await state?.[Symbol.asyncDispose]();
    expect(left).toEqual([]);
  }, 120_000);

  return () => {
    if (hostd === undefined) throw new Error('hostd is not started yet');
    const running = hostd;
    return {
      host: running.host,
      restart: async () => {
        await running.stop();
        await running.start();
      },
    };
  };
}
