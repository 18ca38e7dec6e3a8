import { chmod, chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostBootId, isAlive, type ProcessIdentity } from '../../platform/process-identity.ts';
import type { Runner } from '../../platform/run.ts';
import type { Vm, VmExit, VmLaunch, Vmm, VmmFeatures, VmRecord } from '../vmm.ts';
import { qemuCommandLine, type MachinePlan, type QemuProfile } from './command-line.ts';
import { readExit } from './exit-record.ts';
import { completeSnapshot, saveAndQuit } from './freeze.ts';
import { encodeLaunchSpec, type LaunchSpec } from './launch-spec.ts';
import { machineFiles } from './machine-files.ts';
import { machineIdentity, planMachine } from './plan-machine.ts';
import { QemuVm } from './qemu-vm.ts';
import { snapshotRecordPath } from './snapshot-record.ts';
import { asOffshootError } from './start-error.ts';
import { startLauncher } from './start-launcher.ts';
import { terminateMachine } from './terminate.ts';

/** Room in the largest file a VMM may write, beyond the disk's or memory's own size, for qcow2's tables. */
const fileSlackMiB = 1024;

export interface QemuVmmOptions {
  profile: QemuProfile;
  features: VmmFeatures;
  launcherProgram: string;
  runner: Runner;
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

  async adopt(record: VmRecord): Promise<Vm | VmExit | undefined> {
    if (record.bootId !== (await hostBootId())) return undefined;
    if (await isAlive(record.launcher)) return new QemuVm({ record });
    return readExit(record.directory);
  }

  async destroy(directory: string, record: VmRecord | undefined): Promise<void> {
    await terminateMachine(directory, record);
  }

  async #start(launch: VmLaunch, onRecord: (record: VmRecord) => void): Promise<Vm> {
    const { directory, gid } = launch;
    // Searchable for the VMM and no more: its folder is its working directory.
    await chown(directory, 0, gid);
    await chmod(directory, 0o710);
    const plan = await planMachine(launch, this.features.restoreKey, this.#options.runner);
    await writeFile(join(directory, machineFiles.spec), encodeLaunchSpec(this.#spec(launch, plan)), {
      mode: 0o600,
      flag: 'wx',
    });
    const bootId = await hostBootId();
    const record = (launcher: ProcessIdentity): VmRecord => ({ launcher, bootId, directory });
    const started = await startLauncher(this.#options.launcherProgram, directory, (identity) =>
      onRecord(record(identity)),
    );
    const freeze = savable(launch)
      ? (into: Parameters<Vm['freezeInto']>[0]) => this.#freeze(launch, plan, vm, into)
      : undefined;
    const vm: QemuVm = new QemuVm({
      record: record(started.launcher),
      started,
      ...(freeze === undefined ? {} : { freeze }),
    });
    return vm;
  }

  #spec(launch: VmLaunch, plan: MachinePlan): LaunchSpec {
    const { profile, kvmGid } = this.#options;
    const largestMiB = Math.max(launch.shape.diskMiB, launch.shape.memoryMiB) + fileSlackMiB;
    const netnsPath = launch.network?.netnsPath;
    return {
      uid: launch.uid,
      gid: launch.gid,
      groups: kvmGid === undefined ? [] : [kvmGid],
      ...(netnsPath === undefined ? {} : { netnsPath }),
      limits: { core: 0, nofile: 1024, fsize: largestMiB * 2 ** 20, memlock: 0 },
      program: profile.program,
      // One malloc arena instead of one per thread: some MiB less for each machine.
      env: { PATH: '/usr/bin:/bin', MALLOC_ARENA_MAX: '1' },
      ...qemuCommandLine(profile, plan),
    };
  }

  async #freeze(launch: VmLaunch, plan: MachinePlan, vm: QemuVm, into: Parameters<Vm['freezeInto']>[0]): Promise<void> {
    const [baseDisk] = plan.layers;
    if (plan.memory.kind !== 'written-through' || plan.memory.path !== into.memory || baseDisk === undefined) {
      throw new Error('freezeInto: the memory file is not the one this machine was started with');
    }
    try {
      await saveAndQuit(launch.directory);
      const exit = await vm.exited;
      if (exit.exitCode !== 0)
        throw new Error(`the VMM ended with ${exit.signal ?? `exit code ${String(exit.exitCode)}`} while it was saved`);
      const record = { ...machineIdentity(launch, this.features.restoreKey), baseDisk };
      await completeSnapshot(this.#options.runner, {
        machineDirectory: launch.directory,
        into,
        gid: launch.gid,
        version: this.#options.profile.version,
        record,
      });
    } catch (error) {
      await vm.kill();
      await Promise.all(
        [into.memory, into.devices, into.disk, into.overlaySeed, snapshotRecordPath(into.directory)].map((path) =>
          rm(path, { force: true }),
        ),
      );
      throw asOffshootError(error);
    }
  }
}

function savable({ start }: VmLaunch): boolean {
  return start.kind === 'cold' && start.memoryFile !== undefined;
}
