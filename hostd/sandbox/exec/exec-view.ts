import { constants } from 'node:os';
import type { CreateExec, ExecInfo } from '../../contract/exec.ts';
import type { GuestExecResult } from '../../guest/guest.ts';
import type { ExecRow } from '../../store/rows.ts';

const commandLength = 200;

/** For people: one line that names the command; never its environment. */
export function commandText(request: CreateExec): string {
  const text = request.shell ?? (request.argv ?? []).map(quoteWord).join(' ');
  return text.length <= commandLength ? text : `${text.slice(0, commandLength - 1)}…`;
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll(`'`, `'\\''`)}'`;
}

export function execInfo(row: ExecRow, outputBytes = row.outputBytes): ExecInfo {
  return {
    id: row.id,
    sandboxId: row.sandboxId,
    state: row.state,
    command: row.command,
    cwd: row.cwd,
    user: row.user,
    pty: row.pty,
    stdin: row.stdin,
    startedAt: new Date(row.startedAtMs).toISOString(),
    endedAt: row.endedAtMs === null ? null : new Date(row.endedAtMs).toISOString(),
    exitCode: row.exitCode,
    signal: row.signal,
    timedOut: row.timedOut,
    oomKilled: row.oomKilled,
    failure: row.failure,
    outputBytes,
    truncated: row.truncated,
    usage: row.usage,
  };
}

export type ExecOutcome = Pick<ExecRow, 'exitCode' | 'signal' | 'timedOut' | 'oomKilled' | 'failure' | 'usage'>;

/** What a shell would say of this end: 128 + n for a signal, 127 and 126 for what could not be started. */
export function outcomeOf(result: GuestExecResult): ExecOutcome {
  return {
    exitCode: result.exitCode ?? (result.signalNumber === null ? null : 128 + result.signalNumber),
    signal: result.signalNumber === null ? null : signalName(result.signalNumber),
    timedOut: result.timedOut,
    oomKilled: result.oomKilled,
    failure: result.failure ?? null,
    usage: { userCpuMs: result.userCpuMs, systemCpuMs: result.systemCpuMs, peakMemoryKiB: result.maxRssKiB },
  };
}

export function lostOutcome(code: 'stream-lost' | 'sandbox-ended', message: string): ExecOutcome {
  return { exitCode: null, signal: null, timedOut: false, oomKilled: false, failure: { code, message }, usage: null };
}

/** The guest was to end it when its time was up, and did not. */
export function overdueOutcome(timeoutMs: number): ExecOutcome {
  const message = `The exec's time of ${String(timeoutMs)} ms was up and the guest did not end it: its agent does not answer.`;
  return { ...lostOutcome('stream-lost', message), timedOut: true, failure: { code: 'guest-unresponsive', message } };
}

export function signalName(number: number): string {
  const entry = Object.entries(constants.signals).find(([, value]) => value === number);
  return entry?.[0] ?? `SIG${String(number)}`;
}
