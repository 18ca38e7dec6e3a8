import { setTimeout as sleep } from 'node:timers/promises';
import { Sandbox } from '../../hostd/client/sandbox.ts';
import { say } from '../say.ts';

const firstMs = 5_000;
const everyMs = 30_000;

/** Tells now and then what a sandbox that is asked for waits for, until the signal fires. */
export async function tellProgress(id: string, host: string, signal: AbortSignal): Promise<void> {
  const startedMs = performance.now();
  for (let pauseMs = firstMs; ; pauseMs = everyMs) {
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    say(`${await stateOf(id, host)} (${String(seconds)} s)`);
  }
}

async function stateOf(id: string, host: string): Promise<string> {
  try {
    const sandbox = await Sandbox.connect(id, { host, requestTimeoutMs: 5_000 });
    await sandbox.disconnect();
    if (sandbox.info.state === 'queued') return 'waiting for room on the host';
    return 'the sandbox is being made: the first of its image and size on a host boots, later ones do not';
  } catch {
    return `waiting for the host ${host}`;
  }
}
