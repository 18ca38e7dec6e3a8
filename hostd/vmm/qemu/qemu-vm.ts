import { watch } from 'node:fs';
import { isAlive, type ProcessIdentity } from '../../platform/process-identity.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { Vm, VmExit, VmRecord, VmSnapshotFiles, VmUsage } from '../vmm.ts';
import { readConsoleTail, readExit, unrecordedExit } from './exit-record.ts';
import { agentSocketPath, machineFiles } from './machine-files.ts';
import type { StartedLauncher } from './start-launcher.ts';
import { recordedProcess, terminateMachine } from './terminate.ts';
import { processUsage } from './usage.ts';

/** How often the launcher is looked for when nothing else tells of its end. */
const pollMs = 1000;
/** From the exit record to the end of the launcher that wrote it. */
const lastStepsMs = 2000;

export interface QemuVmOptions {
  record: VmRecord;
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
  readonly #freeze: ((into: VmSnapshotFiles) => Promise<void>) | undefined;
  readonly #released = new AbortController();
  readonly #forget: () => void;

  constructor(options: QemuVmOptions) {
    this.record = options.record;
    this.agentSocketPath = agentSocketPath(options.record.directory);
    this.#freeze = options.freeze;
    this.#forget = options.started?.forget ?? (() => undefined);
    const gone = options.started?.ended ?? launcherGone(options.record, this.#released.signal);
    this.exited = gone.then(() => exitOf(options.record.directory));
  }

  async usage(): Promise<VmUsage> {
    return processUsage((await this.#vmm()).pid);
  }

  consoleTail(): Promise<string> {
    return readConsoleTail(this.record.directory);
  }

  async freezeInto(into: VmSnapshotFiles): Promise<void> {
    if (this.#freeze === undefined) throw new Error('this machine was not started to be frozen');
    await this.#freeze(into);
  }

  async kill(): Promise<VmExit> {
    await terminateMachine(this.record.directory, this.record);
    return (await readExit(this.record.directory)) ?? unrecordedExit(this.record.directory);
  }

  release(): void {
    this.#released.abort();
    this.#forget();
  }

  async #vmm(): Promise<ProcessIdentity> {
    const vmm = await recordedProcess(this.record.directory, machineFiles.vmmPid);
    if (vmm !== undefined && (await isAlive(vmm))) return vmm;
    throw new OffshootError('sandbox-not-running', { message: 'The VMM of the sandbox has ended.' });
  }
}

async function exitOf(directory: string): Promise<VmExit> {
  return (await readExit(directory)) ?? (await unrecordedExit(directory));
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
