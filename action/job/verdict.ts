import type { ExecInfo } from '../../hostd/contract/exec.ts';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';

/** How a script ended, in words for an annotation; `exitCode` is what its step ends with. */
export type Verdict = { ok: true; exitCode: 0 } | { ok: false; exitCode: number; title: string; message: string };

export interface ScriptFacts {
  name: string;
  memoryMiB: number;
  timeoutMs: number;
}

/** Judges an ended script. Throws `sandbox-gone` when the sandbox was lost under it. */
export async function judge(name: string, exec: ExecInfo, sandbox: Sandbox, timeoutMs: number): Promise<Verdict> {
  if (isLost(exec)) throw await lost(name, exec, sandbox);
  return judgeExec(exec, { name, memoryMiB: sandbox.info.memoryMiB, timeoutMs });
}

/** The same for one whose end is known. */
export function judgeExec(exec: ExecInfo, { name, memoryMiB, timeoutMs }: ScriptFacts): Verdict {
  const code = `exit code ${String(exec.exitCode)}`;
  const failed = (message: string): Verdict => ({
    ok: false,
    exitCode: exec.exitCode === 0 || exec.exitCode === null ? 1 : exec.exitCode,
    title: `Offshoot: ${name} failed`,
    message,
  });
  if (exec.timedOut) {
    const minutes = String(Math.round(timeoutMs / 600) / 100);
    return failed(`${name} ran longer than timeout-minutes (${minutes}) and was ended.`);
  }
  if (exec.oomKilled) {
    return failed(
      `${name} ran out of memory and was killed (${code}). The sandbox has ${String(memoryMiB)} MiB; ask for more with the input memory.`,
    );
  }
  if (exec.failure !== null) return failed(`${name} could not be started: ${exec.failure.message}`);
  if (exec.exitCode === 0) return { ok: true, exitCode: 0 };
  if (exec.signal !== null) return failed(`${name} was ended by ${exec.signal} (${code}).`);
  return failed(`${name} failed with ${code}.`);
}

/** It began, and how it ended is not known. */
function isLost({ exitCode, timedOut, failure }: ExecInfo): boolean {
  if (exitCode !== null || timedOut) return false;
  return failure === null || ['stream-lost', 'sandbox-ended', 'forked'].includes(failure.code);
}

async function lost(name: string, exec: ExecInfo, sandbox: Sandbox): Promise<OffshootError> {
  const info = await sandbox.refresh().catch(() => sandbox.info);
  const why = info.end?.message ?? exec.failure?.message ?? 'nothing tells why';
  return new OffshootError('sandbox-gone', {
    message: `The sandbox ended while ${name} ran: ${why}`,
    hint: 'If it ran out of memory, ask for more with the input memory; offshoot events on the host tells more.',
    details: { end: info.end },
  });
}
