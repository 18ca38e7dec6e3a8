import { watch } from 'node:fs';
import { isAlive, type ProcessIdentity } from '../../platform/process-identity.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type {
  CaptureOptions,
  CaptureResult,
  Vm,
  VmCapture,
  VmExit,
  VmRecord,
  VmSnapshotFiles,
  VmUsage,
} from '../vmm.ts';
import { readConsoleTail, readExit, unrecordedExit } from './exit-record.ts';
import { agentSocketPath, machineFiles } from './machine-files.ts';
import type { MachineControl } from './machine-control.ts';
import type { StartedLauncher } from './start-launcher.ts';
import { recordedProcess, terminateMachine } from './terminate.ts';
import { networkMark } from './network-mark.ts';
import { processUsage } from './usage.ts';

/** How often the launcher is looked for when nothing else tells of its end. */
const pollMs = 1000;
/** From the exit record to the end of the launcher that wrote it. */
const lastStepsMs = 2000;

export interface QemuVmOptions {
  record: VmRecord;
  control: MachineControl;
  /** Known to the one that started the launcher. */
  started?: Pick<StartedLauncher, 'ended' | 'forget'>;
  /** Saves the machine; absent when it was not started to be saved, or by an earlier hostd. */
  freeze?: (into: VmSnapshotFiles) => Promise<void>;
}

/** A machine under a launcher. It holds no connection, only a watch on the folder. */
export class QemuVm implements Vm {
  readonly record: VmRecord;
  readonly agentSocketPath: string;
  readonly exited: Promise<VmExit>;
  readonly #control: MachineControl;
  readonly #freeze: ((into: VmSnapshotFiles) => Promise<void>) | undefined;
  readonly #released = new AbortController();
  readonly #forget: () => void;
  #hibernating = false;

  constructor(options: QemuVmOptions) {
    this.record = options.record;
    this.agentSocketPath = agentSocketPath(options.record.directory);
    this.#control = options.control;
    this.#freeze = options.freeze;
    this.#forget = options.started?.forget ?? (() => undefined);
    const gone = options.started?.ended ?? launcherGone(options.record, this.#released.signal);
    this.exited = gone.then(() => {
      this.#control.release();
      return this.#exit();
    });
  }

  async usage(): Promise<VmUsage> {
    return processUsage((await this.#vmm()).pid);
  }

  async networkMark(): Promise<string | undefined> {
    return networkMark((await this.#vmm()).pid);
  }

  consoleTail(): Promise<string> {
    return readConsoleTail(this.record.directory);
  }

  async freezeInto(into: VmSnapshotFiles): Promise<void> {
    if (this.#freeze === undefined) throw new Error('this machine was not started to be frozen');
    await this.#freeze(into);
  }

  pause(): Promise<void> {
    return this.#control.pause();
  }

  resume(): Promise<void> {
    return this.#control.resume();
  }

  capture(into: VmSnapshotFiles, options: CaptureOptions): Promise<VmCapture> {
    return this.#control.capture(into, options);
  }

  async hibernateInto(into: VmSnapshotFiles): Promise<CaptureResult> {
    this.#hibernating = true;
    try {
      return await this.#control.hibernate(into, this.exited);
    } catch (error) {
      this.#hibernating = false;
      throw error;
    }
  }

  async kill(): Promise<VmExit> {
    await terminateMachine(this.record.directory, this.record);
    return this.#exit();
  }

  release(): void {
    this.#released.abort();
    this.#control.release();
    this.#forget();
  }

  // A machine that was saved ended because it was told to; to its launcher it looks as if the guest had shut down.
  async #exit(): Promise<VmExit> {
    const { directory } = this.record;
    const exit = (await readExit(directory)) ?? (await unrecordedExit(directory));
    return this.#hibernating && exit.cause === 'guest-shutdown' ? { ...exit, cause: 'killed-by-us' } : exit;
  }

  async #vmm(): Promise<ProcessIdentity> {
    const vmm = await recordedProcess(this.record.directory, machineFiles.vmmPid);
    if (vmm !== undefined && (await isAlive(vmm))) return vmm;
    throw new OffshootError('sandbox-not-running', { message: 'The VMM of the sandbox has ended.' });
  }
}

// The folder tells of the exit record at once; the poll is for a launcher that was killed and wrote none, and for a watch that fails.
async function launcherGone(record: VmRecord, released: AbortSignal): Promise<void> {
  let wake: () => void = () => undefined;
  let quick = 0;
  released.addEventListener('abort', () => wake(), { once: true });
  const watcher = watchFolder(record.directory, (name) => {
    if (name !== machineFiles.exit) return;
    quick = performance.now() + lastStepsMs;
    wake();
  });
  try {
    while (!released.aborted && (await isAlive(record.launcher))) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, performance.now() < quick ? 5 : pollMs);
        timer.unref();
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    watcher?.close();
  }
  if (released.aborted) await new Promise<never>(() => undefined);
}

function watchFolder(directory: string, onName: (name: string | null) => void): { close(): void } | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, (_event, name) => onName(name));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
