import { addPath, exportVariable } from '@actions/core';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Sandbox } from '../../hostd/client/sandbox.ts';
import { warn } from '../annotations.ts';
import { shellEntry } from '../entries.ts';
import { startHeartbeat } from '../heartbeat/heartbeat.ts';
import { saveJobState } from '../job-state.ts';
import { sessionFile, sessionFolder, sessionVariable, writeSession } from '../session.ts';
import { leaseSeconds } from './create-sandbox.ts';
import type { ScriptSession } from './script.ts';
import type { Job } from './job.ts';
import { say } from '../say.ts';

/** Leaves the sandbox to later steps whose shell is `offshoot {0}`: a command of that name on their PATH, and a lease that is renewed between them. */
export async function openSession(
  { inputs, context, state, timings }: Job,
  host: string,
  sandbox: Sandbox,
  session: ScriptSession,
): Promise<void> {
  const file = sessionFile(context.tempFolder, sandbox.id);
  await writeSession(file, {
    version: 1,
    sandboxId: sandbox.id,
    host,
    ...session,
    shell: inputs.shell,
    timeoutMs: Math.round(inputs['timeout-minutes'] * 60_000),
    leaseSeconds,
    sync: inputs.sync,
    syncExclude: inputs['sync-exclude'],
    artifacts: inputs.artifacts,
    keepMinutes: inputs['keep-on-failure'],
    failOnEgressDenied: inputs['fail-on-egress-denied'],
    deniedSeen: 0,
    timings: timings.toJSON(),
  });
  state.sessionFile = file;
  const heartbeat = await startHeartbeat(shellEntry(), file);
  if (heartbeat === undefined) warn('The lease can not be renewed between steps on this runner.');
  else state.heartbeat = heartbeat;
  saveJobState(state);
  exportVariable(sessionVariable, sandbox.id);
  addPath(await writeCommand(path.join(sessionFolder(context.tempFolder), 'bin')));
  say(`steps with \`shell: offshoot {0}\` run in ${sandbox.id}`);
}

/** Runs on this very node: the machine's own may be older, or missing. */
async function writeCommand(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const command = path.join(folder, 'offshoot');
  await writeFile(command, `#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(shellEntry())} "$@"\n`);
  await chmod(command, 0o755);
  return folder;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
