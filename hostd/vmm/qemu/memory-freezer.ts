import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { ProcessIdentity } from '../../platform/process-identity.ts';
import type { Runner } from '../../platform/run.ts';
import { LineReader } from './line-reader.ts';

export type FreezeMethod = 'clone' | 'copy';

export interface FreezeRequest {
  /** The freeze helper, build/native/freeze. */
  program: string;
  /** The VMM; it maps `basePath` privately, whole and once. */
  source: ProcessIdentity;
  /** What its guest memory is a private mapping of; an empty sparse file for a machine that booted cold. */
  basePath: string;
  /** The new image; must not exist. Removed when anything fails. */
  imagePath: string;
  /** `clone` falls back to `copy` by itself where the host forbids it. */
  method: FreezeMethod;
  /** The duplicate is given up when less of the host's memory is free. */
  minAvailableMiB: number;
  /** Gives it up at any point. */
  signal?: AbortSignal;
}

export interface WrittenImage {
  /** What the source had touched itself. */
  touchedBytes: number;
  /** Data in the image; the rest are holes. */
  imageBytes: number;
}

const readyTimeoutMs = 20_000;
/** A clone takes milliseconds; a copy of a large machine to a slow disk seconds. */
const freezeTimeoutMs = 600_000;
const writeTimeoutMs = 1_800_000;
const endTimeoutMs = 10_000;

/**
 * Starts the freeze helper for one capture; resolves when it has all it needs and the source can be stopped.
 * Rejects with `freeze-failed` (details.step, details.reason), `host-disk-full`, `capacity-exhausted` or `aborted`, and no image is left.
 */
export async function openMemoryFreezer(request: FreezeRequest): Promise<MemoryFreezer> {
  if (request.signal?.aborted === true) throw new OffshootError('aborted', { cause: request.signal.reason });
  const freezer = await startHelper(request);
  await freezer.ready();
  return freezer;
}

type Helper = ChildProcessByStdio<Writable, Readable, null>;

async function startHelper(request: FreezeRequest): Promise<MemoryFreezer> {
  const base = await open(request.basePath, 'r').catch((error: unknown) => fail('base', error));
  try {
    const image = await open(request.imagePath, 'wx+', 0o600).catch((error: unknown) => fail('image', error));
    try {
      const args = ['--pid', String(request.source.pid), '--start-ticks', String(request.source.startTicks)];
      args.push('--base-fd', '3', '--image-fd', '4', '--method', request.method);
      args.push('--min-available-mib', String(Math.ceil(request.minAvailableMiB)));
      const stdio = ['pipe', 'pipe', 'ignore', base.fd, image.fd] as const;
      const helper = spawn(request.program, args, { stdio: [...stdio], env: {}, cwd: '/' });
      return await spawned(helper as Helper, request);
    } catch (error) {
      await rm(request.imagePath, { force: true });
      throw error;
    } finally {
      await image.close();
    }
  } finally {
    await base.close();
  }
}

// Its output is read from the first moment: node throws away what nobody has asked for when a process ends.
async function spawned(helper: Helper, request: FreezeRequest): Promise<MemoryFreezer> {
  const freezer = new MemoryFreezer(helper, request);
  await new Promise<void>((resolve, reject) => {
    helper.once('spawn', resolve);
    helper.once('error', (error) => reject(freezeFailed('start', error.message, error)));
  });
  return freezer;
}

function fail(step: string, error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') throw new OffshootError('host-disk-full', { cause: error });
  throw freezeFailed(step, error instanceof Error ? error.message : String(error), error);
}

function freezeFailed(step: string, reason: string, cause?: unknown): OffshootError {
  return new OffshootError('freeze-failed', {
    message: `The memory could not be duplicated: ${step}: ${reason}`,
    details: { step, reason },
    cause,
  });
}

/** One capture of one machine's memory: `freeze` while it stands still, `write` while it runs on. */
export class MemoryFreezer implements AsyncDisposable {
  readonly #helper: Helper;
  readonly #request: FreezeRequest;
  readonly #lines: LineReader;
  readonly #ended: Promise<void>;
  readonly #onAbort: () => void;
  #written = false;
  #method: FreezeMethod | undefined;
  #copyReason: string | undefined;

  constructor(helper: Helper, request: FreezeRequest) {
    this.#helper = helper;
    this.#request = request;
    this.#lines = new LineReader(helper.stdout);
    this.#ended = new Promise((resolve) => helper.once('close', () => resolve()));
    helper.stdin.on('error', () => undefined); // its end is seen on its output
    this.#onAbort = () => this.#helper.kill('SIGTERM');
    request.signal?.addEventListener('abort', this.#onAbort);
    if (request.signal?.aborted === true) this.#onAbort();
  }

  /** Pid of the helper. */
  get pid(): number | undefined {
    return this.#helper.pid;
  }

  /** Why `freeze` copied instead of cloning; undefined before, or when it cloned. */
  get copyReason(): string | undefined {
    return this.#copyReason;
  }

  /** Resolves when the helper has found the source's memory. Part of `openMemoryFreezer`. */
  async ready(): Promise<void> {
    await this.#answer(/^ready$/, readyTimeoutMs);
  }

  /**
   * Duplicates the memory; call it while the vCPUs stand still. After `clone` they may go on at once. So they may after `copy`: the
   * touched pages are written already. Rejects like `openMemoryFreezer`, the source as it was.
   */
  async freeze(): Promise<FreezeMethod> {
    this.#helper.stdin.write('freeze\n');
    const [, method, , reason] = await this.#answer(/^frozen (clone|copy)( (.*))?$/, freezeTimeoutMs);
    this.#method = method === 'clone' ? 'clone' : 'copy';
    this.#copyReason = reason;
    return this.#method;
  }

  /** Writes the rest of the image; the source may run and change. Rejects like `openMemoryFreezer`. The file is not synced. */
  async write(): Promise<WrittenImage> {
    this.#helper.stdin.write('write\n');
    const [, touched, image] = await this.#answer(/^written (\d+) (\d+)$/, writeTimeoutMs);
    this.#written = true;
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    return { touchedBytes: Number(touched), imageBytes: Number(image) };
  }

  /** Ends the helper and with it the duplicate; removes the image unless it is whole. Idempotent; resolves when all is gone. */
  async abandon(): Promise<void> {
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#helper.stdin.end();
    const timer = setTimeout(() => this.#helper.kill('SIGKILL'), endTimeoutMs);
    await this.#ended;
    clearTimeout(timer);
    if (!this.#written) await rm(this.#request.imagePath, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.abandon();
  }

  async #answer(expected: RegExp, timeoutMs: number): Promise<string[]> {
    const timer = setTimeout(() => this.#helper.kill('SIGKILL'), timeoutMs);
    const line = await this.#lines.next();
    clearTimeout(timer);
    const match = line === undefined ? null : expected.exec(line);
    if (match !== null) return [...match];
    await this.abandon();
    throw this.#failure(line);
  }

  #failure(line: string | undefined): OffshootError {
    const { signal } = this.#request;
    if (signal?.aborted === true) return new OffshootError('aborted', { cause: signal.reason });
    const [, step = 'helper', reason = line ?? `it ended without a word (${this.#end()})`] =
      /^failed (\S+) (.*)$/.exec(line ?? '') ?? [];
    const message = `The memory could not be duplicated: ${step}: ${reason}`;
    if (step === 'space') return new OffshootError('host-disk-full', { message, details: { step, reason } });
    if (step === 'memory') return new OffshootError('capacity-exhausted', { message, details: { step, reason } });
    return freezeFailed(step, reason);
  }

  #end(): string {
    return this.#helper.signalCode ?? `exit code ${String(this.#helper.exitCode)}`;
  }
}

/** Whether memory can be duplicated by a clone on this host: tried on a process of the helper's own. Never rejects. */
export async function probeFreezeMethod(
  program: string,
  runner: Runner,
): Promise<{ method: FreezeMethod; reason: string }> {
  try {
    const { stdout, stderr, code } = await runner.run(program, ['--probe'], { timeoutMs: 10_000, env: {} });
    const line = stdout.split('\n')[0] ?? '';
    if (code === 0 && line === 'clone') return { method: 'clone', reason: 'a process was duplicated' };
    const said = line.replace(/^(copy|failed) /, '') || stderr.trim().slice(0, 300) || `exit code ${String(code)}`;
    return { method: 'copy', reason: said };
  } catch (error) {
    return { method: 'copy', reason: error instanceof Error ? error.message : String(error) };
  }
}
