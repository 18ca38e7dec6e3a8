import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { open, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { identifyProcess, type ProcessIdentity } from '../../../platform/process-identity.ts';
import { LineReader } from '../line-reader.ts';
import { nativeDirectory } from './launch-folder.ts';

export const pageBytes = 4096;
export const freezeProgram = join(nativeDirectory, 'freeze');
/** The same with fault points: FREEZE_FAIL and FREEZE_KILL name one. */
export const faultyFreezeProgram = join(nativeDirectory, 'freeze-faults');

export const standInProgram = join(nativeDirectory, 'stand-in');

/** A base image of `pages` pages; every fifth has data, in a hollow one none. */
export async function writeBase(path: string, pages: number, hollow = false): Promise<void> {
  await using file = await open(path, 'w');
  await file.truncate(pages * pageBytes);
  if (hollow) return;
  for (let page = 0; page < pages; page += 5) await file.write(`base ${String(page)}`, page * pageBytes);
}

/** What the image of a stand-in over such a base has to be. */
export async function expectedImage(base: string): Promise<Buffer> {
  const content = await readFile(base);
  for (let page = 0; page * pageBytes < content.length; page += 3) {
    content.fill(0, page * pageBytes, (page + 1) * pageBytes);
    if (page % 2 === 1) content.write(`touched ${String(page)}`, page * pageBytes);
  }
  return content;
}

export interface StandInReport {
  rounds: number;
  errors: number;
  signals: number;
  mask: string;
  stack: string;
}

/** A process in QEMU's place that the freeze helper duplicates; its parent is a shell, which reaps what it does not know. */
export class StandIn implements AsyncDisposable {
  readonly #shell: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: LineReader;
  readonly identity: ProcessIdentity;

  private constructor(
    shell: ChildProcessByStdio<Writable, Readable, null>,
    lines: LineReader,
    identity: ProcessIdentity,
  ) {
    this.#shell = shell;
    this.#lines = lines;
    this.identity = identity;
  }

  static async start(basePath: string, before = ''): Promise<StandIn> {
    const command = `${before}\n${standInProgram} '${basePath}' 64123; exit`;
    const shell = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'ignore'] });
    const lines = new LineReader(shell.stdout);
    const pid = /^ready (\d+)$/.exec((await lines.next()) ?? '')?.[1];
    const identity = pid === undefined ? undefined : await identifyProcess(Number(pid));
    if (identity === undefined) throw new Error('the stand-in did not start');
    return new StandIn(shell, lines, identity);
  }

  /** Pid of the stand-in's parent. */
  get parentPid(): number {
    return this.#shell.pid ?? 0;
  }

  send(command: 'rewrite' | 'idle'): void {
    this.#shell.stdin.write(`${command}\n`);
  }

  async report(): Promise<StandInReport> {
    this.#shell.stdin.write('report\n');
    const line = (await this.#lines.next()) ?? '';
    const [, rounds, errors, signals, mask = '', stack = ''] =
      /^rounds (\d+) errors (\d+) signals (\d+) mask (\w+) stack (\w+)$/.exec(line) ?? [];
    if (rounds === undefined) throw new Error(`the stand-in has ended: ${line}`);
    return { rounds: Number(rounds), errors: Number(errors), signals: Number(signals), mask, stack };
  }

  /** Pids of its parent's children but itself: duplicates, zombies included. */
  async duplicates(): Promise<number[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const stats = await Promise.all(
      pids.map(async (pid) => [pid, await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => '')] as const),
    );
    return stats
      .filter(([, stat]) => stat.split(') ').at(-1)?.split(' ')[1] === String(this.parentPid))
      .map(([pid]) => pid)
      .filter((pid) => pid !== this.identity.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#shell.once('close', resolve));
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) return;
    this.#shell.stdin.end();
    process.kill(this.identity.pid, 'SIGKILL');
    await ended;
  }
}
