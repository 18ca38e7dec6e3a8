import { faultPoint } from '../../platform/fault-points.ts';
import { anything, type MachineMonitor } from './machine-monitor.ts';
import { readMachineRecord, writeMachineRecord, type MachineRecord } from './machine-record.ts';
import type { QmpEvent } from './qmp-client.ts';
import { reconcile } from './reconcile.ts';

/** Layers above a template's from which on they are merged when there is time. */
export const longChain = 6;
/** Layers above a template's beyond which a capture waits for the merge: the chain would grow without end else. */
export const longestChain = 12;

/** How many layers lie between the overlay in use and the template's. */
export function layersToMerge({ chain, foundation }: Pick<MachineRecord, 'chain' | 'foundation'>): number {
  return chain.length - 1 - foundation;
}

/**
 * Merges all layers above the template's into the overlay in use, while the machine runs, and frees what they took. `signal` breaks it off;
 * what was merged until then is not lost.
 */
export async function compactChain(monitor: MachineMonitor, directory: string, signal: AbortSignal): Promise<void> {
  const ended = Promise.withResolvers<undefined>();
  const onEvent = ({ name }: QmpEvent) => {
    if (name === 'BLOCK_JOB_COMPLETED' || name === 'BLOCK_JOB_CANCELLED') ended.resolve(undefined);
  };
  const onAbort = () => ended.resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await monitor.session(async (qmp) => {
      if (signal.aborted) return;
      const record = await readMachineRecord(directory);
      const base = record.chain.at(-record.foundation);
      const [top] = record.chain;
      if (top === undefined || base === undefined || layersToMerge(record) < 1) return;
      // What was saved when the machine was last ended goes with the layers it stands on.
      await writeMachineRecord(directory, { ...record, hibernated: null });
      const job = { 'job-id': 'compact', device: top.node, 'base-node': base.node };
      await qmp.execute('block-stream', job, anything);
      await ended.promise;
      await faultPoint('compact.streamed');
      await reconcile(qmp, directory);
    }, onEvent);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
