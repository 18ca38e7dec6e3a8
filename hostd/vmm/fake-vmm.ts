import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OffshootError } from '../errors/offshoot-error.ts';
import { FakeVm, type FakeVmmPoint, type FaultGate } from './fake-vm.ts';
import type {
  RestoreStart,
  Vm,
  VmExit,
  VmLaunch,
  Vmm,
  VmmFeatures,
  VmRecord,
  VmSnapshotFiles,
  VmSnapshotOrigin,
} from './vmm.ts';

export { FakeVm, type FakeVmmPoint } from './fake-vm.ts';

const defaultFeatures: VmmFeatures = {
  name: 'qemu',
  version: '0.0 (fake)',
  machine: 'microvm',
  cpuModel: 'max',
  isolation: { tier: 'emulated', reason: 'a fake VMM runs nothing' },
  maxCpus: 4,
  restoreKey: 'fake',
};

/** The machines of a pretended host. Give one to several `FakeVmm` in turn: that is a hostd restarting while its machines live on. */
export class FakeMachines {
  readonly byDirectory = new Map<string, FakeVm>();
  #nextPid = 1_000_000;

  /** Pids of no real process. */
  nextPid(): number {
    return this.#nextPid++;
  }

  get running(): FakeVm[] {
    return [...this.byDirectory.values()].filter((vm) => vm.exit === undefined);
  }
}

/** A `Vmm` without processes, for tests: it keeps the interface's promises and fails, or waits, where a test says so. */
export class FakeVmm implements Vmm, FaultGate {
  readonly features: VmmFeatures;
  readonly machines: FakeMachines;
  readonly launches: VmLaunch[] = [];
  emulatedFallback: Vmm | undefined;
  /** Answers `compatibility`; by default the same restore key is `yes`, all else `no`. */
  compatibilityOf: Vmm['compatibility'] = (recorded) =>
    recorded.restoreKey === this.features.restoreKey
      ? { restorable: 'yes', reason: 'the same host and VMM' }
      : { restorable: 'no', reason: 'another host or VMM' };
  /** What `freezeMethod` answers. */
  freezing: Awaited<ReturnType<Vmm['freezeMethod']>> = { method: 'clone', reason: 'a fake VMM copies nothing' };
  #faults: { point: FakeVmmPoint; action: () => Promise<void> }[] = [];

  constructor(options: { machines?: FakeMachines; features?: Partial<VmmFeatures>; emulatedFallback?: Vmm } = {}) {
    this.machines = options.machines ?? new FakeMachines();
    this.features = { ...defaultFeatures, ...options.features };
    this.emulatedFallback = options.emulatedFallback;
  }

  /** The next passage of this point throws; faults of one point are used in the order given. */
  failNext(
    point: FakeVmmPoint,
    error: Error = new OffshootError('boot-failed', { details: { console: 'fake' } }),
  ): void {
    this.#faults.push({ point, action: () => Promise.reject(error) });
  }

  /** The next passage of this point waits; the result lets it go on, `reached` resolves when it waits. */
  holdNext(point: FakeVmmPoint): { reached: Promise<void>; release: () => void } {
    const reached = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    this.#faults.push({
      point,
      action: async () => {
        reached.resolve(undefined);
        await released.promise;
      },
    });
    return { reached: reached.promise, release: () => released.resolve(undefined) };
  }

  /** Called by the fake and its machines where faults may strike. */
  async pass(point: FakeVmmPoint): Promise<void> {
    const index = this.#faults.findIndex((fault) => fault.point === point);
    const [fault] = index < 0 ? [] : this.#faults.splice(index, 1);
    await fault?.action();
  }

  async start(launch: VmLaunch, onRecord: (record: VmRecord) => void): Promise<Vm> {
    this.launches.push(launch);
    await this.pass('start');
    await access(launch.directory);
    if (launch.start.kind === 'restore') await requireRestorable(launch.directory, launch.start);
    else if (launch.start.disk !== undefined) await requireFiles(launch.start.disk, ['disk', 'overlaySeed']);
    const pid = this.machines.nextPid();
    const record = { launcher: { pid, startTicks: pid }, bootId: 'fake-boot', directory: launch.directory };
    const vm = new FakeVm(this, launch, record);
    this.machines.byDirectory.set(launch.directory, vm);
    onRecord(record);
    await writeFile(join(launch.directory, 'overlay.qcow2'), '');
    if (launch.start.kind === 'cold' && launch.start.memoryFile !== undefined) {
      await writeFile(launch.start.memoryFile, 'memory', { flag: 'wx' });
    }
    try {
      await this.pass('started');
      if (launch.start.kind === 'restore' && launch.start.capture !== undefined) {
        await launch.start.capture.complete;
        await this.pass('fed');
      }
    } catch (error) {
      vm.end({ cause: 'killed-by-us' });
      throw error;
    }
    return vm;
  }

  async adopt(record: VmRecord): Promise<Vm | VmExit | undefined> {
    await this.pass('adopt');
    const vm = this.machines.byDirectory.get(record.directory);
    if (vm === undefined || vm.record.launcher.pid !== record.launcher.pid) return undefined;
    return vm.exit ?? vm.adoptedBy(this);
  }

  compatibility(recorded: VmSnapshotOrigin): ReturnType<Vmm['compatibility']> {
    return this.compatibilityOf(recorded);
  }

  async isWhole(files: VmSnapshotFiles): Promise<boolean> {
    return requireFiles(files, ['memory', 'devices']).then(
      () => true,
      () => false,
    );
  }

  attest(_files: VmSnapshotFiles): Promise<void> {
    return Promise.resolve();
  }

  freezeMethod(): ReturnType<Vmm['freezeMethod']> {
    return Promise.resolve(this.freezing);
  }

  async destroy(directory: string, _record: VmRecord | undefined): Promise<void> {
    await this.pass('destroy');
    this.machines.byDirectory.get(directory)?.end({ cause: 'killed-by-us', signal: 'SIGKILL', exitCode: null });
  }
}

async function requireRestorable(directory: string, start: RestoreStart): Promise<void> {
  if (start.capture === undefined) await requireFiles(start.snapshot, ['memory', 'devices', 'disk', 'overlaySeed']);
  if (start.overlay !== 'continue') return;
  await access(join(directory, 'overlay.qcow2')).catch(() => {
    throw new OffshootError('boot-failed', { details: { reason: 'overlay-missing' } });
  });
}

async function requireFiles(
  snapshot: VmSnapshotFiles,
  parts: readonly Exclude<keyof VmSnapshotFiles, 'directory'>[] = ['memory', 'devices', 'disk', 'overlaySeed'],
): Promise<void> {
  for (const path of parts.map((part) => snapshot[part])) {
    await access(path).catch(() => {
      throw new OffshootError('boot-failed', { details: { reason: 'snapshot-missing', path } });
    });
  }
}
