import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Sandbox } from '../../hostd/client/sandbox.ts';
import { isOffshootError } from '../../hostd/errors/offshoot-error.ts';
import { readSession } from '../session.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from '../../hostd/platform/process-identity.ts';

/** How often it looks whether the runner is still there. */
const lookMs = 2_000;

/** Starts a process that renews the lease between steps for as long as the runner lives. */
export async function startHeartbeat(shellEntry: string, sessionFile: string): Promise<ProcessIdentity | undefined> {
  const runner = await identifyProcess(process.ppid);
  if (runner === undefined) return undefined;
  const child = spawn(
    process.execPath,
    [shellEntry, '--heartbeat', sessionFile, String(runner.pid), String(runner.startTicks)],
    { detached: true, stdio: 'ignore' },
  );
  child.on('error', () => undefined);
  child.unref();
  return child.pid === undefined ? undefined : identifyProcess(child.pid);
}

/** Renews until the session, the sandbox or the runner is gone. A runner that died renews nothing: then the lease ends the sandbox. */
export async function beat(sessionFile: string, runner: ProcessIdentity): Promise<void> {
  const { sandboxId, host, leaseSeconds } = await readSession(sessionFile);
  const sandbox = await connectPatiently(sandboxId, host, runner);
  if (sandbox === undefined) return;
  const everyMs = (leaseSeconds * 1000) / 4;
  let nextMs = performance.now();
  while ((await isAlive(runner)) && (await exists(sessionFile))) {
    if (performance.now() >= nextMs) {
      nextMs = performance.now() + everyMs;
      if (await isGone(sandbox.renew(leaseSeconds))) break;
    }
    await sleep(lookMs);
  }
  await sandbox.disconnect();
}

async function connectPatiently(id: string, host: string, runner: ProcessIdentity): Promise<Sandbox | undefined> {
  while (await isAlive(runner)) {
    try {
      return await Sandbox.connect(id, { host });
    } catch (error) {
      if (!isOffshootError(error) || !error.retryable) return undefined;
      await sleep(lookMs);
    }
  }
  return undefined;
}

async function isGone(renewal: Promise<unknown>): Promise<boolean> {
  try {
    await renewal;
    return false;
  } catch (error) {
    return isOffshootError(error) && ['sandbox-gone', 'sandbox-not-found'].includes(error.code);
  }
}

async function exists(sessionFile: string): Promise<boolean> {
  return readSession(sessionFile).then(
    () => true,
    () => false,
  );
}
