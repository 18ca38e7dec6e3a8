import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxInfo } from '../hostd/contract/sandbox.ts';
import { Sandbox } from '../hostd/client/sandbox.ts';
import { isOffshootError } from '../hostd/errors/offshoot-error.ts';

export type Teardown =
  | { found: 'running'; info: SandboxInfo }
  | { found: 'gone'; info: SandboxInfo }
  | { found: 'never-made' }
  | { found: 'unknown'; error: unknown };

export interface TeardownOptions {
  /** All tries together; default 20 s. */
  patienceMs?: number;
  /** One request; default 10 s. */
  requestTimeoutMs?: number;
}

/** Destroys a sandbox, trying again for a while, and tells what was found. It never throws: the lease is the backstop. */
export async function tearDown(host: string, sandboxId: string, options: TeardownOptions = {}): Promise<Teardown> {
  const deadlineMs = performance.now() + (options.patienceMs ?? 20_000);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await destroy(host, sandboxId, options.requestTimeoutMs ?? 10_000);
    } catch (error) {
      if (isOffshootError(error) && error.code === 'sandbox-not-found') return { found: 'never-made' };
      const waitMs = Math.min(100 * 2 ** attempt, 2_000);
      if (performance.now() + waitMs > deadlineMs) return { found: 'unknown', error };
      await sleep(waitMs);
    }
  }
}

async function destroy(host: string, sandboxId: string, requestTimeoutMs: number): Promise<Teardown> {
  const connection = { host, requestTimeoutMs, reconnectTimeoutMs: 1_000 };
  const sandbox = await Sandbox.connect(sandboxId, connection);
  try {
    const found = sandbox.info.state === 'gone' ? 'gone' : 'running';
    return { found, info: await sandbox.stop({ requestTimeoutMs }) };
  } finally {
    await sandbox.disconnect();
  }
}
