import { access, chmod, chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOffshootError, OffshootError } from '../../errors/offshoot-error.ts';
import { hostBootId, isAlive, type ProcessIdentity } from '../../platform/process-identity.ts';
import type { Runner } from '../../platform/run.ts';
import type { Vm, VmExit, VmLaunch, Vmm, VmmFeatures, VmRecord, VmSnapshotFiles, VmSnapshotOrigin } from '../vmm.ts';
import { removeCapture } from './capture-files.ts';
import type { QemuProfile } from './command-line.ts';
import { compatibilityOf } from './compatibility.ts';
import { readConsoleTail, readExit } from './exit-record.ts';
import { feedCapture } from './feed-capture.ts';
import { completeSnapshot, saveAndQuit } from './freeze.ts';
import { launchSpec } from './launch-machine.ts';
import { MachineControl } from './machine-control.ts';
import { machineFiles } from './machine-files.ts';
import { MachineMonitor } from './machine-monitor.ts';
import { writeMachineRecord } from './machine-record.ts';
import type { OpenFreezer } from './memory-freezer-port.ts';
import { planCold, type PlannedMachine } from './plan-machine.ts';
import { planRestore } from './plan-restore.ts';
import { encodeLaunchSpec } from './launch-spec.ts';
import { QemuVm } from './qemu-vm.ts';
import { attestMemory, readSnapshotRecord } from './snapshot-record.ts';
import { asOffshootError } from './start-error.ts';
import { startLauncher, type StartedLauncher } from './start-launcher.ts';
import { terminateMachine } from './terminate.ts';

export interface QemuVmmOptions {
  profile: QemuProfile;
  features: VmmFeatures;
  launcherProgram: string;
  runner: Runner;
  openFreezer: OpenFreezer;
  freezeMethod: () => ReturnType<Vmm['freezeMethod']>;
  /** The group that may open /dev/kvm, when the accelerator needs it. */
  kvmGid?: number;
  emulatedFallback?: Vmm;
}

/** QEMU's microvm machine behind the `Vmm` interface. Made by `openQemuVmm`. */
export class QemuVmm implements Vmm {
  readonly features: VmmFeatures;
  readonly emulatedFallback: Vmm | undefined;
  readonly #options: QemuVmmOptions;

  constructor(options: QemuVmmOptions) {
    this.#options = options;
    this.features = options.features;
    this.emulatedFallback = options.emulatedFallback;
  }

  async start(launch: VmLaunch, onRecord: (record: VmRecord) => void): Promise<Vm> {
    try {
      return await this.#start(launch, onRecord);
    } catch (error) {
      throw asOffshootError(error);
    }
  }

  /** A machine that an earlier hostd left standing still, or half duplicated, goes on. */
  async adopt(record: VmRecord): Promise<Vm | VmExit | undefined> {
    if (record.bootId !== (await hostBootId())) return undefined;
    if (!(await isAlive(record.launcher))) return readExit(record.directory);
    const control = this.#control(record.directory);
    // One that does not answer its monitor is shown by the silence of its agent.
    await control.recover().catch(() => undefined);
    return new QemuVm({ record, control });
  }

  compatibility(recorded: VmSnapshotOrigin): ReturnType<Vmm['compatibility']> {
    return compatibilityOf(recorded, this.#origin);
  }

  async isWhole(files: VmSnapshotFiles): Promise<boolean> {
    try {
      const { layers } = await readSnapshotRecord(files);
      await Promise.all([files.devices, ...layers.map(({ path }) => path)].map((path) => access(path)));
      return true;
    } catch {
      return false;
    }
  }

  attest(files: VmSnapshotFiles): Promise<void> {
    return attestMemory(files);
  }

  freezeMethod(): ReturnType<Vmm['freezeMethod']> {
    return this.#options.freezeMethod();
  }

  async destroy(directory: string, record: VmRecord | undefined): Promise<void> {
    await terminateMachine(directory, record);
  }

  get #origin(): VmSnapshotOrigin {
    const { name, version, machine, cpuModel, restoreKey, isolation } = this.features;
    return { name, version, machine, cpuModel, restoreKey, tier: isolation.tier };
  }

  async #start(launch: VmLaunch, onRecord: (record: VmRecord) => void): Promise<Vm> {
    const { directory, gid } = launch;
    // Searchable for the VMM and no more: its folder is its working directory.
    await chown(directory, 0, gid);
    await chmod(directory, 0o710);
    const { plan, record: machine } = await this.#plan(launch);
    await writeMachineRecord(directory, machine);
    const spec = encodeLaunchSpec(launchSpec(this.#options, launch, plan));
    await writeFile(join(directory, machineFiles.spec), spec, { mode: 0o600, flag: 'wx' });
    const bootId = await hostBootId();
    const recordOf = (launcher: ProcessIdentity): VmRecord => ({ launcher, bootId, directory });
    const started = await startLauncher(this.#options.launcherProgram, directory, (identity) =>
      onRecord(recordOf(identity)),
    );
    return this.#running(launch, recordOf(started.launcher), started);
  }

  async #plan(launch: VmLaunch): Promise<PlannedMachine> {
    const { runner, profile } = this.#options;
    const parts = { runner, version: profile.version, origin: this.#origin };
    const { start, directory } = launch;
    if (start.kind === 'cold') return planCold(launch, start, parts);
    if (start.overlay === 'continue') {
      for (const name of [machineFiles.spec, machineFiles.exit]) await rm(join(directory, name), { force: true });
    }
    return planRestore(launch, start, parts).catch(async (error: unknown) => {
      // A capture that failed has taken its files along: then its reason is the reason.
      await start.capture?.complete;
      throw error;
    });
  }

  async #running(launch: VmLaunch, record: VmRecord, started: StartedLauncher): Promise<Vm> {
    const { start, directory } = launch;
    const control = this.#control(directory);
    if (start.kind === 'restore' && start.capture !== undefined) {
      try {
        await feedCapture(directory, this.#options.profile.version, start.capture);
      } catch (error) {
        await terminateMachine(directory, record);
        throw await asChildError(error, directory);
      }
    }
    const savable = start.kind === 'cold' && start.memoryFile !== undefined;
    const freeze = (into: VmSnapshotFiles) => this.#freeze(launch, vm, into);
    const vm: QemuVm = new QemuVm({ record, started, control, ...(savable ? { freeze } : {}) });
    control.compactSoon();
    return vm;
  }

  #control(directory: string): MachineControl {
    const { profile, runner, openFreezer } = this.#options;
    const method = async () => (await this.freezeMethod()).method;
    return new MachineControl({ directory, version: profile.version, runner, openFreezer, method });
  }

  async #freeze({ start, directory }: VmLaunch, vm: QemuVm, into: VmSnapshotFiles): Promise<void> {
    if (start.kind !== 'cold' || start.memoryFile !== into.memory) {
      throw new Error('freezeInto: the memory file is not the one this machine was started with');
    }
    try {
      await saveAndQuit(new MachineMonitor(directory));
      const exit = await vm.exited;
      if (exit.exitCode !== 0)
        throw new Error(`the VMM ended with ${exit.signal ?? `exit code ${String(exit.exitCode)}`} while it was saved`);
      await completeSnapshot({ machineDirectory: directory, into, version: this.#options.profile.version });
    } catch (error) {
      await vm.kill();
      await removeCapture(into);
      throw asOffshootError(error);
    }
  }
}

/** The capture's own error, or what is known of a VMM that did not take it up. */
async function asChildError(error: unknown, directory: string): Promise<unknown> {
  if (!isOffshootError(error) || error.code !== 'sandbox-not-running') return error;
  const details = { reason: 'vmm', console: await readConsoleTail(directory) };
  return new OffshootError('boot-failed', { message: 'The VMM ended before it was restored.', details, cause: error });
}
