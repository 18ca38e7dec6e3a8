import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createExecSchema, type CreateExecInput } from '../../contract/exec.ts';
import { createSandboxSchema, type CreateSandboxInput } from '../../contract/sandbox.ts';
import { FakeGuestConnector, type FakeMachine } from '../../guest/fake-guest.ts';
import { FakeNetwork } from '../../net/fake-network.ts';
import { FakeClock } from '../../platform/clock.ts';
import { openSqliteStore } from '../../store/sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import { FakeMachines, FakeVmm, type FakeVm } from '../../vmm/fake-vmm.ts';
import { hostConfigSchema, type HostConfig } from '../host-config.ts';
import { silentLogger } from '../host-parts.ts';
import type { HostResources, ResourceReading } from '../host-resources.ts';
import { LocalHost } from '../local-host.ts';
import { FakeImages } from './fake-images.ts';

export class FakeResources implements HostResources {
  cpus = 4;
  reading: ResourceReading = {
    memoryTotalMiB: 16_384,
    memoryAvailableMiB: 16_000,
    memoryPressurePercent: 0,
    diskTotalMiB: 100_000,
    diskFreeMiB: 90_000,
  };

  /** Of the tmpfs for images of forks. */
  imageRoomMiB = 12_000;

  read(): Promise<ResourceReading> {
    return Promise.resolve({ ...this.reading });
  }

  roomMiB(): Promise<number> {
    return Promise.resolve(this.imageRoomMiB);
  }
}

/** One run of hostd in a World. */
export interface HostRun {
  host: LocalHost;
  store: Store;
  vmm: FakeVmm;
}

/** A pretended machine on which hostd runs, ends in whatever way, and runs again; its state directory is real. */
export class World {
  readonly stateDirectory: string;
  readonly machines = new FakeMachines();
  readonly guests = new FakeGuestConnector();
  readonly images = new FakeImages();
  readonly resources = new FakeResources();
  network = new FakeNetwork(64);
  clock = new FakeClock();
  bootId = 'boot-1';
  config: Partial<HostConfig> = {};
  restoreKey = 'fake';
  readonly #runs: HostRun[] = [];

  private constructor(stateDirectory: string) {
    this.stateDirectory = stateDirectory;
  }

  static async create(config: Partial<HostConfig> = {}): Promise<World> {
    const world = new World(await mkdtemp(join(tmpdir(), 'offshoot-host-')));
    world.config = config;
    return world;
  }

  /** In place of a tmpfs. */
  get imageDirectory(): string {
    return join(this.stateDirectory, 'images-in-memory');
  }

  /** The parts of one run, not started. */
  assemble(): HostRun {
    const store = openSqliteStore(join(this.stateDirectory, 'state.db'));
    const vmm = new FakeVmm({ machines: this.machines, features: { restoreKey: this.restoreKey } });
    const host = new LocalHost({
      version: '0.0.0-test',
      stateDirectory: this.stateDirectory,
      config: hostConfigSchema.parse({ spares: 0, forkImageDirectory: this.imageDirectory, ...this.config }),
      store,
      vmm,
      guests: this.guests,
      network: this.network,
      images: this.images,
      resources: this.resources,
      clock: this.clock,
      bootId: this.bootId,
      log: silentLogger,
      subnet: '10.83.0.0/16',
    });
    const run = { host, store, vmm };
    this.#runs.push(run);
    return run;
  }

  async start(): Promise<HostRun> {
    const run = this.assemble();
    await run.host.start();
    return run;
  }

  /** hostd dies: its store is closed to it, its channels break, and nothing it still does can have an effect. */
  kill(run: HostRun): void {
    run.store.close();
    this.clock = new FakeClock(this.clock.wallMs());
    for (const vm of this.machines.running) this.guests.machine(vm.agentSocketPath).drop('disconnected');
  }

  /** The machine that runs a sandbox. */
  vm(sandboxId: string): FakeVm {
    const vm = this.machines.byDirectory.get(this.vmDirectory(sandboxId));
    if (vm === undefined) throw new Error(`no machine for ${sandboxId}`);
    return vm;
  }

  guest(sandboxId: string): FakeMachine {
    return this.guests.machine(join(this.vmDirectory(sandboxId), 'agent.sock'));
  }

  vmDirectory(sandboxId: string): string {
    return join(this.stateDirectory, 'sandboxes', sandboxId, 'vm');
  }

  async remove(): Promise<void> {
    for (const run of this.#runs) run.store.close();
    await rm(this.stateDirectory, { recursive: true, force: true });
  }
}

export function createRequest(input: CreateSandboxInput = {}) {
  return createSandboxSchema.parse(input);
}

export function execRequest(input: CreateExecInput) {
  return createExecSchema.parse(input);
}

/** Lets everything go on that waits for nothing but its turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until the condition holds; fails with its text after two seconds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const startMs = performance.now();
  while (!(await condition())) {
    if (performance.now() - startMs > 2000) throw new Error(`never came true: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
