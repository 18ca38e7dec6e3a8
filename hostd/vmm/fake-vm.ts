import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OffshootError } from '../errors/offshoot-error.ts';
import { untilAborted } from '../platform/until-aborted.ts';
import type {
  CaptureOptions,
  CaptureResult,
  Vm,
  VmCapture,
  VmExit,
  VmLaunch,
  VmRecord,
  VmSnapshotFiles,
  VmUsage,
} from './vmm.ts';

/**
 * Where a fault can be put: before or after `start` has told its record; in `freezeInto`, `kill`, `adopt`, `destroy`, `pause`, `resume`,
 * `hibernateInto`; at the beginning of `capture`; `captured` when the source stands still and is not woken yet; `image` while the image is
 * written (it decides how `complete` settles); `fed` when a child has its capture whole and takes it up.
 */
export type FakeVmmPoint =
  | 'start'
  | 'started'
  | 'freeze'
  | 'kill'
  | 'adopt'
  | 'destroy'
  | 'pause'
  | 'resume'
  | 'capture'
  | 'captured'
  | 'image'
  | 'fed'
  | 'hibernate';

/** Lets faults strike; a FakeVmm. */
export interface FaultGate {
  pass(point: FakeVmmPoint): Promise<void>;
}

/** A machine that exists only as an object; `end` is how a test lets it crash, panic or shut down. */
export class FakeVm implements Vm {
  readonly record: VmRecord;
  readonly launch: VmLaunch;
  readonly agentSocketPath: string;
  readonly exited: Promise<VmExit>;
  /** Of every capture that was asked for, in order. */
  readonly captureOptions: CaptureOptions[] = [];
  exit: VmExit | undefined;
  console = '';
  usageNow: VmUsage = { cpuSeconds: 0.25, peakMemoryMiB: 64, residentMiB: 48 };
  networkMarkNow: string | undefined;
  pausedMsNow = 8;
  methodNow: VmCapture['method'] = 'clone';
  imageNow: CaptureResult = { imageMiB: 120, touchedMiB: 40 };
  released = false;
  paused = false;
  /** A capture's image is being written. */
  duplicated = false;
  #gate: FaultGate;
  #capturing: Promise<unknown> = Promise.resolve();
  #exited = Promise.withResolvers<VmExit>();

  constructor(gate: FaultGate, launch: VmLaunch, record: VmRecord) {
    this.#gate = gate;
    this.launch = launch;
    this.record = record;
    this.agentSocketPath = join(launch.directory, 'agent.sock');
    this.exited = this.#exited.promise;
  }

  adoptedBy(gate: FaultGate): this {
    this.#gate = gate;
    this.released = false;
    return this;
  }

  usage(): Promise<VmUsage> {
    return Promise.resolve(this.usageNow);
  }

  networkMark(): Promise<string | undefined> {
    return Promise.resolve(this.networkMarkNow);
  }

  consoleTail(): Promise<string> {
    return Promise.resolve(this.console.slice(-4096));
  }

  async freezeInto(into: VmSnapshotFiles): Promise<void> {
    await this.#gate.pass('freeze');
    if (this.exit !== undefined) throw new OffshootError('boot-failed', { message: 'The machine has ended.' });
    if (this.launch.start.kind !== 'cold' || this.launch.start.memoryFile !== into.memory) {
      throw new Error('freezeInto needs the memory file of a cold start');
    }
    await mkdir(into.directory, { recursive: true });
    for (const path of [into.devices, into.disk, into.overlaySeed]) await writeFile(path, 'fake');
    this.end({ cause: 'killed-by-us', exitCode: 0 });
  }

  async pause(): Promise<void> {
    await this.#gate.pass('pause');
    this.#requireRunning();
    this.paused = true;
  }

  async resume(): Promise<void> {
    await this.#gate.pass('resume');
    this.#requireRunning();
    this.paused = false;
  }

  async capture(into: VmSnapshotFiles, options: CaptureOptions): Promise<VmCapture> {
    this.captureOptions.push(options);
    const turn = this.#capturing.catch(() => undefined);
    const capture = turn.then(() => this.#capture(into, options));
    this.#capturing = capture.then(({ complete }) => complete);
    this.#capturing.catch(() => undefined);
    return capture;
  }

  async hibernateInto(into: VmSnapshotFiles): Promise<CaptureResult> {
    await this.#capturing.catch(() => undefined);
    this.#requireRunning();
    if (!this.paused) throw new Error('hibernateInto needs a paused machine');
    try {
      await makeFiles(into);
      await this.#gate.pass('hibernate');
      this.#requireRunning();
    } catch (error) {
      await removeFiles(into);
      throw error;
    }
    this.end({ cause: 'killed-by-us', exitCode: 0 });
    return this.imageNow;
  }

  async kill(): Promise<VmExit> {
    await this.#gate.pass('kill');
    return this.end({ cause: 'killed-by-us', signal: 'SIGKILL', exitCode: null });
  }

  release(): void {
    this.released = true;
  }

  /** Ends the machine as the test describes; the first end counts. */
  end(exit: Partial<VmExit> = {}): VmExit {
    this.exit ??= {
      exitCode: 0,
      signal: null,
      cpuSeconds: this.usageNow.cpuSeconds,
      peakMemoryMiB: this.usageNow.peakMemoryMiB,
      cause: 'unknown',
      consoleTail: this.console.slice(-4096),
      ...exit,
    };
    this.#exited.resolve(this.exit);
    return this.exit;
  }

  async #capture(into: VmSnapshotFiles, options: CaptureOptions): Promise<VmCapture> {
    const before = this.paused;
    let stopped = false;
    try {
      await this.#gate.pass('capture');
      this.#requireRunning();
      if (this.launch.start.kind === 'cold' && this.launch.start.memoryFile !== undefined) {
        throw new OffshootError('freeze-failed', { message: 'A template in the making is not captured.' });
      }
      requireNotAborted(options.signal);
      stopped = true;
      await options.beforeStop?.();
      this.paused = true;
      await this.#gate.pass('captured');
      requireNotAborted(options.signal);
      this.#requireRunning();
      await makeFiles(into);
      this.paused = before || !options.wake;
    } catch (error) {
      this.paused = before;
      if (stopped) await options.afterWake?.();
      await removeFiles(into);
      throw error;
    }
    await options.afterWake?.();
    this.duplicated = true;
    const complete = this.#writeImage(into, options.signal);
    complete.catch(() => undefined);
    return { files: into, pausedMs: before ? 0 : this.pausedMsNow, method: this.methodNow, complete };
  }

  async #writeImage(into: VmSnapshotFiles, signal: AbortSignal | undefined): Promise<CaptureResult> {
    try {
      const written = this.#gate.pass('image');
      await (signal === undefined ? written : untilAborted(signal, written));
      return this.imageNow;
    } catch (error) {
      await removeFiles(into);
      throw signal?.aborted === true ? new OffshootError('aborted', { cause: error }) : error;
    } finally {
      this.duplicated = false;
    }
  }

  #requireRunning(): void {
    if (this.exit !== undefined) throw new OffshootError('sandbox-not-running', { message: 'The machine has ended.' });
  }
}

/** Every file of a snapshot and the driver's record. */
async function makeFiles(into: VmSnapshotFiles): Promise<void> {
  for (const path of filesOf(into)) await writeFile(path, 'fake', { flag: 'wx', mode: 0o600 });
}

async function removeFiles(into: VmSnapshotFiles): Promise<void> {
  await Promise.all(filesOf(into).map((path) => rm(path, { force: true })));
}

function filesOf(into: VmSnapshotFiles): string[] {
  return [into.memory, into.devices, into.disk, into.overlaySeed, join(into.directory, 'machine.json')];
}

function requireNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new OffshootError('aborted', { cause: signal.reason });
}
