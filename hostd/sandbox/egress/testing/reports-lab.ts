import type { OffshootEvent } from '../../../contract/event.ts';
import { FakeNetwork } from '../../../net/fake-network.ts';
import type { CountedTraffic } from '../../../net/egress/firewall/counted-traffic.ts';
import type { GateRow } from '../../../net/egress/gate/gate.ts';
import { FakeClock } from '../../../platform/clock.ts';
import type { SandboxRow } from '../../../store/rows.ts';
import { sandboxRow } from '../../../store/testing/sandbox-row.ts';
import { openSqliteStore } from '../../../store/sqlite-store.ts';
import { FakeVm } from '../../../vmm/fake-vm.ts';
import { StoredEvents } from '../../event-service.ts';
import { liveSandbox } from '../../live-sandbox.ts';
import { Registry } from '../../registry.ts';
import { sandboxPaths, statePaths } from '../../sandbox-paths.ts';
import { EgressReports } from '../egress-reports.ts';
import type { PassedPlaces } from '../passed-places.ts';

export const startMs = Date.UTC(2030, 0, 1);

/** EgressReports over a network that counts what a test says, and a store in memory. */
export class ReportsLab {
  readonly network = new FakeNetwork(8);
  readonly clock = new FakeClock(startMs);
  readonly store = openSqliteStore(':memory:');
  readonly registry = new Registry(this.store);
  readonly events = new StoredEvents(this.store, this.clock);
  readonly warnings: object[] = [];
  reports = this.#reports();

  /** hostd is another one, with the same store. */
  restart(): void {
    this.reports = this.#reports();
  }

  /** A sandbox that runs. */
  add(changes: Partial<SandboxRow> = {}): SandboxRow {
    const policy = {
      egressMode: 'enforce',
      egressAllow: ['good.example.com:443'],
    } as const satisfies Partial<SandboxRow>;
    const row = sandboxRow({ ...policy, createdAtMs: startMs, expiresAtMs: startMs, slot: 0, ...changes });
    this.store.sandboxes.insert(row);
    this.registry.add(liveSandbox(row, sandboxPaths(statePaths('/state'), row.id)));
    return row;
  }

  /** Gives it a machine. */
  machine(id: string): FakeVm {
    const sandbox = this.registry.find(id);
    if (sandbox === undefined) throw new Error(`no sandbox ${id}`);
    const directory = '/state/machine';
    const kernel = { kernel: '/kernel', initramfs: '/initramfs', kernelArguments: [] };
    const start = { kind: 'cold', ...kernel, baseDisk: { path: '/disk', format: 'raw' } } as const;
    const launch = { directory, shape: { cpus: 1, memoryMiB: 512, diskMiB: 1024 }, uid: 1, gid: 1, start };
    const record = { launcher: { pid: 7, startTicks: 7 }, bootId: 'fake', directory };
    const vm = new FakeVm({ pass: () => Promise.resolve() }, launch, record);
    sandbox.vm = vm;
    return vm;
  }

  /** Its state or policy is another from now on. */
  change(id: string, patch: Partial<SandboxRow>): void {
    const sandbox = this.registry.find(id);
    if (sandbox === undefined) throw new Error(`no sandbox ${id}`);
    this.registry.patch(sandbox, patch);
  }

  /** As a teardown does it, without what is not about counts. */
  end(id: string): void {
    this.store.sandboxes.update(id, { state: 'gone', slot: null });
    this.registry.drop(id);
  }

  report(id = 'sbx_a') {
    return this.reports.report(this.registry.row(id));
  }

  async denials(id = 'sbx_a'): Promise<OffshootEvent['data'][]> {
    const events = [];
    const { signal } = new AbortController();
    for await (const event of this.events.stream({ follow: false, sandboxId: id, signal })) events.push(event);
    return events.filter(({ type }) => type === 'egress.denied').map(({ data }) => data);
  }

  #reports(): EgressReports {
    const { network, clock, store, registry, events } = this;
    const nothing = () => undefined;
    const warn = (facts: object) => {
      this.warnings.push(facts);
    };
    const log = { debug: nothing, info: nothing, warn, error: warn };
    return new EgressReports({ network, clock, store, registry, events, log, subnet: '10.83.0.0/16' });
  }
}

export function gateRow(changes: Partial<GateRow>): GateRow {
  return {
    helper: 'proxy',
    epoch: 'one',
    sandboxId: 'sbx_a',
    outcome: 'allowed',
    transport: 'tcp',
    count: 1,
    bytesIn: 0,
    bytesOut: 0,
    firstMs: startMs,
    lastMs: startMs,
    ...changes,
  };
}

export function filtered(changes: Partial<CountedTraffic>): CountedTraffic {
  return { outcome: 'denied', address: '192.0.2.1', port: 22, protocol: 'tcp', packets: 1, bytes: 60, ...changes };
}

/** Of a policy and answers that tell nothing of places. */
export const noPlaces: PassedPlaces = { nameOf: () => undefined, networkOf: () => undefined };
