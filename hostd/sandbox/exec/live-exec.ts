import { OffshootError } from '../../errors/offshoot-error.ts';
import type { GuestExec } from '../../guest/guest.ts';
import type { ExecRow } from '../../store/rows.ts';
import type { ExecInput } from './exec-input.ts';
import type { OutputLog } from './output-log.ts';

/** An exec that has not ended, as hostd holds it in memory. */
export interface LiveExec {
  row: ExecRow;
  readonly log: OutputLog;
  readonly process: GuestExec;
  readonly input: ExecInput;
  /** Resolves when the guest is known to have it: from then on a restart of hostd finds it there. */
  confirmed: Promise<void>;
  /** Set by the first who stores the end. */
  settled: boolean;
}

export function execNotFound(sandboxId: string, execId: string): OffshootError {
  return new OffshootError('exec-not-found', {
    message: `The sandbox ${sandboxId} has no exec ${execId}.`,
    details: { sandboxId, execId },
  });
}
