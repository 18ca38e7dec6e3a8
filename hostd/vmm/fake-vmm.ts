import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { Vm, VmExit, VmLaunch, Vmm, VmmFeatures, VmRecord, VmSnapshotFiles, VmUsage } from './vmm.ts';

/** Where a fault can be put: before or after `start` has told its record, in `freezeInto`, `kill`, `adopt` or `destroy`. */
export type FakeVmmPoint = 'start' | 'started' | 'freeze' | 'kill' | 'adopt' | 'destroy';

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
export class FakeVmm implements Vmm {
  readonly features: VmmFeatures;
  readonly machines: FakeMachines;
  readonly launches: VmLaunch[] = [];
  emulatedFallback: Vmm | undefined;
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
    if (launch.start.kind === 'restore') await requireFiles(launch.start.snapshot);
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

  async destroy(directory: string, _record: VmRecord | undefined): Promise<void> {
    await this.pass('destroy');
    this.machines.byDirectory.get(directory)?.end({ cause: 'killed-by-us', signal: 'SIGKILL', exitCode: null });
  }
}

/** A machine that exists only as an object; `end` is how a test lets it crash, panic or shut down. */
export class FakeVm implements Vm {
  readonly record: VmRecord;
  readonly launch: VmLaunch;
  readonly agentSocketPath: string;
  readonly exited: Promise<VmExit>;
  exit: VmExit | undefined;
  console = '';
  usageNow: VmUsage = { cpuSeconds: 0.25, peakMemoryMiB: 64, residentMiB: 48 };
  released = false;
  #vmm: FakeVmm;
  #exited = Promise.withResolvers<VmExit>();

  constructor(vmm: FakeVmm, launch: VmLaunch, record: VmRecord) {
    this.#vmm = vmm;
    this.launch = launch;
    this.record = record;
    this.agentSocketPath = join(launch.directory, 'agent.sock');
    this.exited = this.#exited.promise;
  }

  adoptedBy(vmm: FakeVmm): this {
    this.#vmm = vmm;
    this.released = false;
    return this;
  }

  usage(): Promise<VmUsage> {
    return Promise.resolve(this.usageNow);
  }

  consoleTail(): Promise<string> {
    return Promise.resolve(this.console.slice(-4096));
  }

  async freezeInto(into: VmSnapshotFiles): Promise<void> {
    await this.#vmm.pass('freeze');
    if (this.exit !== undefined) throw new OffshootError('boot-failed', { message: 'The machine has ended.' });
    if (this.launch.start.kind !== 'cold' || this.launch.start.memoryFile !== into.memory) {
      throw new Error('freezeInto needs the memory file of a cold start');
    }
    await mkdir(into.directory, { recursive: true });
    for (const path of [into.devices, into.disk, into.overlaySeed]) await writeFile(path, 'fake');
    this.end({ cause: 'killed-by-us', exitCode: 0 });
  }

  async kill(): Promise<VmExit> {
    await this.#vmm.pass('kill');
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
}

async function requireFiles(snapshot: VmSnapshotFiles): Promise<void> {
  for (const path of [snapshot.memory, snapshot.devices, snapshot.disk, snapshot.overlaySeed]) {
    await access(path).catch(() => {
      throw new OffshootError('boot-failed', { details: { reason: 'snapshot-missing', path } });
    });
  }
}
