import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isAlive,
  processIdentitySchema,
  signalProcess,
  type ProcessIdentity,
} from '../../../platform/process-identity.ts';
import { ControlClient } from './control-client.ts';
import type { HelperFiles } from './helper-files.ts';
import { helperEnvironment } from './helper-flags.ts';
import { maxControlLineBytes } from './messages.ts';

const lookMs = 20;
/** It is there after half a second; an emulated or starved machine may take a hundred times as long. One that ends is noticed at once. */
const startMs = 180_000;
const endMs = 5000;

/** undefined when nobody listens there. */
export async function connectHelper(files: HelperFiles): Promise<ControlClient | undefined> {
  return ControlClient.connect(files.controlSocket, maxControlLineBytes).catch(() => undefined);
}

/** Starts `command FOLDER` in a session of its own, which this process may end without. Resolves when it listens; rejects with what it said when it ended, or when it took too long. */
export async function startHelper(files: HelperFiles, command: readonly string[]): Promise<ControlClient> {
  const [program, ...args] = command;
  if (program === undefined) throw new Error('no program');
  const log = openSync(files.log, 'w', 0o600);
  // With what is compiled at hand, Node need not load what strips types: a helper takes some 25 MiB less.
  const compileCache = process.env['NODE_COMPILE_CACHE'] ?? path.join(files.folder, 'compile-cache');
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache, ...helperEnvironment };
  const child = spawn(program, [...args, files.folder], { detached: true, stdio: ['ignore', log, log], cwd: '/', env });
  closeSync(log);
  child.unref();
  let ending: string | undefined;
  child.once('error', (error) => {
    ending = String(error);
  });
  child.once('exit', (code, signal) => {
    ending = `it ended with ${signal ?? `code ${String(code)}`}`;
  });
  const deadlineMs = performance.now() + startMs;
  while (ending === undefined && performance.now() < deadlineMs) {
    const client = await connectHelper(files);
    if (client !== undefined) return client;
    await sleep(lookMs);
  }
  if (ending === undefined) child.kill('SIGKILL');
  // Another one that holds the lock, but does not listen.
  await killHelper(await identityIn(files));
  const said = await readFile(files.log, 'utf8').catch(() => '');
  throw new Error(`${ending ?? `it did not listen within ${String(startMs)} ms`}: ${said.trim().slice(-1000)}`);
}

/** Resolves when it is gone; kills it when it does not go by itself. */
export async function untilEnded(helper: ProcessIdentity): Promise<void> {
  const deadlineMs = performance.now() + endMs;
  while (await isAlive(helper)) {
    if (performance.now() > deadlineMs) await signalProcess(helper, 'SIGKILL');
    await sleep(lookMs);
  }
}

export async function killHelper(helper: ProcessIdentity | undefined): Promise<void> {
  if (helper === undefined) return;
  await signalProcess(helper, 'SIGKILL');
  await untilEnded(helper);
}

/** Who wrote that it serves this folder; it may be dead. */
export async function identityIn(files: HelperFiles): Promise<ProcessIdentity | undefined> {
  try {
    return processIdentitySchema.parse(JSON.parse(await readFile(files.identity, 'utf8')));
  } catch {
    return undefined;
  }
}
