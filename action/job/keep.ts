import { HostClient } from '../../hostd/client/host-client.ts';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { isOffshootError, OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { explain, warn } from '../annotations.ts';

export interface Kept {
  snapshot: string;
  minutes: number;
  /** Opens a shell in a copy of it, on the host. */
  command: string;
}

/** Keeps the sandbox as it is at this moment, memory and processes included. A failure is told and changes nothing of the verdict. */
export async function keepSandbox(sandbox: Sandbox, host: string, minutes: number): Promise<Kept | undefined> {
  const snapshot = `kept-${sandbox.id.replace(/^sbx_/, '').toLowerCase()}`;
  try {
    await sandbox.snapshot({ name: snapshot, retentionDays: minutes / 1440 });
  } catch (error) {
    warn(`The sandbox could not be kept: ${explain(error).message}`);
    return undefined;
  }
  return { snapshot, minutes, command: `offshoot sandbox shell --host ${host} --snapshot ${snapshot}` };
}

/** Throws `snapshot-in-use` when the name could not be given to a new one: better before the work than after it. */
export async function checkSnapshotName(host: string, name: string): Promise<void> {
  await using client = new HostClient({ host });
  const found = (await client.snapshots.list()).find((snapshot) => snapshot.name === name);
  if (found === undefined || found.usedBy.length === 0) return;
  throw new OffshootError('snapshot-in-use', {
    message: `save-snapshot: ${name} is there, and ${String(found.usedBy.length)} sandboxes stand on it.`,
    details: { usedBy: found.usedBy },
  });
}

/** Keeps the sandbox under a name, in the place of an older snapshot: a job that is run again makes its own anew. Throws `snapshot-in-use`. */
export async function saveSnapshot(sandbox: Sandbox, host: string, name: string): Promise<void> {
  try {
    await sandbox.snapshot({ name });
  } catch (error) {
    if (!isOffshootError(error) || error.code !== 'snapshot-exists') throw error;
    await using client = new HostClient({ host });
    await client.snapshots.remove(name);
    await sandbox.snapshot({ name });
  }
}
