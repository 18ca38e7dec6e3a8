import { hostname } from 'node:os';
import type { HostInfo } from '../contract/host.ts';
import type { LivingSlot } from '../net/network.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { Admission } from './admission.ts';
import { Checkpoints } from './checkpoint/checkpoints.ts';
import { Creation } from './creation.ts';
import { StoredEvents } from './event-service.ts';
import { ExecRunner } from './exec/exec-runner.ts';
import { LocalExecs } from './exec/exec-service.ts';
import { LocalFiles } from './file-service.ts';
import { Forks } from './fork/forks.ts';
import { Egress } from './egress/egress.ts';
import { EgressReports } from './egress/egress-reports.ts';
import { slotEgress } from './egress/egress-columns.ts';
import type { HostContext } from './host-context.ts';
import type { HostParts } from './host-parts.ts';
import type { Host, Metric } from './host.ts';
import { Idempotency } from './idempotency.ts';
import { LocalImages } from './image-service.ts';
import { Janitor } from './janitor.ts';
import { Leases } from './leases.ts';
import { hostMetrics } from './metrics.ts';
import { Hibernation } from './pause/hibernation.ts';
import { Pauser } from './pause/pauser.ts';
import { Recovery } from './recovery.ts';
import { Registry } from './registry.ts';
import { Retention } from './retention.ts';
import { statePaths } from './sandbox-paths.ts';
import { LocalSnapshots } from './snapshot/snapshot-service.ts';
import { SnapshotTaker } from './snapshot/snapshot-taker.ts';
import { Snapshots } from './snapshot/snapshots.ts';
import { SparePool } from './spare-pool.ts';
import { LocalSandboxes } from './sandbox-service.ts';
import { Slots } from './slots.ts';
import { Teardown } from './teardown.ts';
import { TemplateManager } from './template/template-manager.ts';
import { UsageSampler } from './usage-sampler.ts';

/** How long creates under way may go on when hostd stops. */
const stopGraceMs = 10_000;

/** The Host of this machine: all parts put together. Call `start` before anything else. */
export class LocalHost implements Host {
  readonly sandboxes: LocalSandboxes;
  readonly execs: LocalExecs;
  readonly files: LocalFiles;
  readonly images: LocalImages;
  readonly snapshots: LocalSnapshots;
  readonly events: StoredEvents;
  readonly #host: HostContext;
  readonly #templates: TemplateManager;
  readonly #spares: SparePool;
  readonly #egress: Egress;
  readonly #recovery: Recovery;
  readonly #background = new AbortController();
  readonly #loops: { run(signal: AbortSignal): Promise<void> }[];
  #running: Promise<unknown> = Promise.resolve();
  #startedAtMs: number;

  constructor(parts: HostParts) {
    this.events = new StoredEvents(parts.store, parts.clock);
    const paths = statePaths(parts.stateDirectory);
    const registry = new Registry(parts.store);
    const admission = new Admission(parts.config, parts.resources, parts.clock);
    const host: HostContext = {
      ...parts,
      paths,
      registry,
      events: this.events,
      admission,
      checkpoints: new Checkpoints({ ...parts, paths, registry, admission }),
      slots: new Slots(parts.network.capacity),
      closing: new AbortController(),
      stopping: false,
    };
    this.#host = host;
    this.#startedAtMs = parts.clock.wallMs();
    this.#templates = new TemplateManager(host);
    this.#spares = new SparePool(host, this.#templates);
    const runner = new ExecRunner(host);
    const egressReports = new EgressReports(host);
    const teardown = new Teardown({ host, execs: runner, templates: this.#templates, egressReports });
    const idempotency = new Idempotency(parts.store, parts.clock, parts.config.idempotencyHours);
    const snapshots = new Snapshots(host);
    const spares = this.#spares;
    const creation = new Creation({ host, templates: this.#templates, snapshots, teardown, idempotency, spares });
    const hibernation = new Hibernation(host, teardown);
    const pauser = new Pauser({ host, teardown, execs: runner, hibernation });
    const taker = new SnapshotTaker({ host, snapshots, pauser });
    const leases = new Leases(host, teardown);
    const forks = new Forks({ host, teardown, idempotency, snapshots: taker, pauser, leases });
    this.snapshots = new LocalSnapshots({ host, snapshots, taker, spares });
    const egress = (this.#egress = new Egress(host, egressReports));
    const retention = new Retention(host, idempotency);
    this.#recovery = new Recovery({
      host,
      execs: runner,
      templates: this.#templates,
      teardown,
      snapshots,
      hibernation,
    });
    this.#loops = [
      leases,
      retention,
      hibernation,
      egressReports,
      this.snapshots,
      spares,
      new UsageSampler(host),
      new Janitor(host, teardown),
    ];
    this.sandboxes = new LocalSandboxes({
      host,
      creation,
      teardown,
      idempotency,
      leases,
      retention,
      pauser,
      forks,
      egress,
      egressReports,
    });
    this.execs = new LocalExecs(host, runner);
    this.files = new LocalFiles(host);
    this.images = new LocalImages(host, this.#templates);
  }

  /** Adopts or removes all an earlier hostd left, then is ready to serve. Throws `network-setup-failed`. */
  async start(): Promise<void> {
    const { network, events, version, vmm } = this.#host;
    await network.start({ living: this.#living(), onHelperEvent: (event) => this.#egress.helperChanged(event) });
    await this.#recovery.run();
    this.#startedAtMs = this.#host.clock.wallMs();
    events.append('host.started', { data: { version, isolation: vmm.features.isolation.tier } });
    this.#running = Promise.all(this.#loops.map((loop) => loop.run(this.#background.signal)));
  }

  /** What sandboxes of an earlier hostd may reach holds from the start. */
  #living(): LivingSlot[] {
    return this.#host.store.sandboxes.inStates(['running', 'paused']).flatMap((row) => {
      return row.slot === null ? [] : [{ slot: row.slot, egress: slotEgress(row) }];
    });
  }

  /** Lets go of everything and leaves sandboxes running; who waits for room is told `shutting-down`. The store is the caller's to close. */
  async stop(): Promise<void> {
    const { registry, events, network, clock } = this.#host;
    if (this.#host.stopping) return;
    this.#host.stopping = true;
    events.append('host.stopping');
    const leaving = new OffshootError('shutting-down');
    const [queued, creating] = [
      registry.live.filter(({ row }) => row.state === 'queued'),
      registry.live.filter(({ row }) => row.state === 'creating'),
    ];
    for (const sandbox of queued) sandbox.ending.abort(leaving);
    const created = Promise.allSettled([...queued, ...creating].map(({ creation }) => creation ?? Promise.resolve()));
    const grace = new AbortController();
    await Promise.race([created, clock.sleep(stopGraceMs, grace.signal).catch(() => undefined)]);
    grace.abort();
    for (const sandbox of creating) if (sandbox.row.state === 'creating') sandbox.ending.abort(leaving);
    this.#host.closing.abort(leaving);
    await created;
    await this.#templates.settled();
    await Promise.allSettled(registry.live.map(({ teardown }) => teardown ?? Promise.resolve()));
    await this.#spares.close();
    this.#background.abort();
    await this.#running;
    for (const sandbox of registry.live) {
      sandbox.guest?.disconnect();
      for (const exec of sandbox.execs.values()) await exec.log.release();
      sandbox.vm?.release();
    }
    await network.stop(registry.live.length > 0);
  }

  async info(): Promise<HostInfo> {
    const { admission, vmm, version, config, resources, subnet } = this.#host;
    const [reading, capacity] = await Promise.all([resources.read(), admission.capacity()]);
    return {
      version,
      hostname: hostname(),
      startedAt: new Date(this.#startedAtMs).toISOString(),
      isolation: vmm.features.isolation,
      vmm: { name: vmm.features.name, version: vmm.features.version },
      cpus: resources.cpus,
      memoryMiB: reading.memoryTotalMiB,
      capacity: {
        maxSandboxes: config.maxSandboxes,
        sandboxes: admission.occupied,
        queued: admission.queued,
        memoryMiB: capacity.memoryMiB,
        memoryCommittedMiB: Math.round(admission.committedMiB),
        diskFreeMiB: capacity.diskFreeMiB,
      },
      network: { subnet, defaultEgressMode: config.defaultEgressMode },
    };
  }

  async metrics(): Promise<Metric[]> {
    return hostMetrics(this.#host, this.#templates);
  }
}
