import { readdir } from 'node:fs/promises';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import { runChecked, type Runner } from '../platform/run.ts';
import { settleAll } from '../platform/settle-all.ts';
import type { NetworkConfig } from './config.ts';
import { openDnsForwarder, type DnsForwarder } from './dns/forwarder.ts';
import type { PinDocument } from './egress/dns/pin-document.ts';
import { EgressSide, type OpenGate } from './egress/egress-side.ts';
import { countedTraffic, type CountedTraffic } from './egress/firewall/counted-traffic.ts';
import type { Gate, GateCursor, GateReport } from './egress/gate/gate.ts';
import type { HelperEvent } from './egress/gate/helper-keeper.ts';
import { uplinkMtu } from './host-bridge.ts';
import { HostSide } from './host-side.ts';
import { HostTable } from './host-table.ts';
import { listLinks } from './ip-json.ts';
import type { GuestLink, LivingSlot, Network, NetworkSlot, SlotEgress } from './network.ts';
import {
  netnsDirectory,
  planNetwork,
  planSlot,
  slotNames,
  slotOfName,
  type NetworkPlan,
  type SlotPlan,
} from './plan.ts';
import { setupError, step } from './setup-error.ts';
import { insideBatch, insideScript, outsideBatch, removeBatch } from './slot-commands.ts';

/** The real network: netns, veth, tap and nft of this host. Reads the uplink's MTU; changes nothing yet. Without a gate there are no policies but open and none. Throws `network-setup-failed`, `tool-missing`. */
export async function openLinuxNetwork(config: NetworkConfig, runner: Runner, openGate?: OpenGate): Promise<Network> {
  try {
    return new LinuxNetwork(config, runner, planNetwork(config, config.mtu ?? (await uplinkMtu(runner))), openGate);
  } catch (error) {
    throw setupError('Reading the MTU of the uplink', error);
  }
}

class LinuxNetwork implements Network {
  readonly link: GuestLink;
  readonly capacity: number;
  readonly #config: NetworkConfig;
  readonly #runner: Runner;
  readonly #plan: NetworkPlan;
  readonly #host: HostSide;
  readonly #egress: EgressSide;
  #dns: DnsForwarder | undefined;
  #checks: NodeJS.Timeout | undefined;
  #failedCheck: string | undefined;
  /** Starting, checking and stopping take turns. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(config: NetworkConfig, runner: Runner, plan: NetworkPlan, openGate: OpenGate | undefined) {
    this.#config = config;
    this.#runner = runner;
    this.#plan = plan;
    const hostTable = new HostTable(runner, plan);
    this.#host = new HostSide(runner, plan, hostTable);
    const dns = { resolvConf: config.resolvConf, upstreams: config.dnsUpstreams };
    this.#egress = new EgressSide({ runner, plan, hostTable, openGate, dns });
    this.link = plan.link;
    this.capacity = plan.capacity;
  }

  get findings(): string[] {
    return [...this.#host.findings, ...(this.#failedCheck === undefined ? [] : [this.#failedCheck])];
  }

  async start(options: { living: readonly LivingSlot[]; onHelperEvent: (event: HelperEvent) => void }): Promise<void> {
    await this.#inTurn(async () => {
      const living = options.living.map(({ slot, egress }) => ({ slot: this.#slot(slot), egress }));
      await step('Looking what sandboxes may reach of the host', () => this.#egress.expect(living));
      await this.#setUp();
      await step('Starting resolver and proxy', () => this.#egress.open(living, options.onHelperEvent));
    });
    this.#checks ??= setInterval(() => void this.#check(), this.#config.checkSeconds * 1000).unref();
  }

  describe(slot: number): NetworkSlot {
    return publicPart(this.#slot(slot));
  }

  async create(slot: number, uid: number, egress: SlotEgress): Promise<NetworkSlot> {
    const planned = this.#slot(slot);
    await step(`Making the network of slot ${String(slot)}`, async () => {
      try {
        await this.#make(planned, uid, egress);
      } catch (firstError) {
        // Something of the slot is there already: once more from a clean slate.
        if (isOffshootError(firstError)) throw firstError;
        await this.#remove(slot);
        await this.#make(planned, uid, egress);
      }
    });
    return publicPart(planned);
  }

  async setEgress(slot: number, egress: SlotEgress): Promise<void> {
    await step(`Changing what slot ${String(slot)} may reach`, () => this.#egress.change(this.#slot(slot), egress));
  }

  pinsOf(sandboxId: string): Promise<PinDocument> {
    return this.#gate().pinsOf(sandboxId);
  }

  restorePins(sandboxId: string, document: PinDocument): Promise<void> {
    return this.#gate().restorePins(sandboxId, document);
  }

  countedByGate(since?: GateCursor): Promise<GateReport> {
    return this.#gate().report(since);
  }

  async countedByFilter(slot: number): Promise<CountedTraffic[]> {
    const { netnsPath } = this.#slot(slot);
    return step(`Reading what the filter of slot ${String(slot)} counted`, () =>
      countedTraffic(this.#runner, netnsPath),
    );
  }

  async remove(slot: number): Promise<void> {
    await step(`Removing the network of slot ${String(slot)}`, async () => {
      await Promise.all([this.#remove(slot), this.#egress.forget(slot)]);
    });
  }

  async existing(): Promise<number[]> {
    return step('Listing network namespaces', async () => {
      const [names, links] = await Promise.all([netnsNames(), listLinks(this.#runner)]);
      const slots = [
        ...names.map((name) => slotOfName(this.#plan.netnsPrefix, name)),
        ...links.map((link) => slotOfName(this.#plan.vethPrefix, link.ifname)),
      ];
      return [...new Set(slots.flatMap((slot) => slot ?? []))].sort((a, b) => a - b);
    });
  }

  stop(keep: boolean): Promise<void> {
    clearInterval(this.#checks);
    this.#checks = undefined;
    return this.#inTurn(async () => {
      await this.#dns?.close();
      this.#dns = undefined;
      if (keep) return this.#egress.close(true);
      await Promise.all((await this.existing()).map((slot) => this.remove(slot)));
      await this.#egress.close(false);
      await this.#host.remove();
    });
  }

  async #setUp(): Promise<void> {
    const { resolvConf, dnsUpstreams } = this.#config;
    await this.#host.ensure();
    await step('Answering DNS on the bridge', async () => {
      this.#dns ??= await openDnsForwarder({
        address: this.#plan.bridgeAddress,
        port: this.#plan.dnsPort,
        resolvConf,
        ...(dnsUpstreams === undefined ? {} : { upstreams: dnsUpstreams }),
      });
    });
    await step('Letting sandboxes reach resolver and proxy', () => this.#egress.ensure());
  }

  async #check(): Promise<void> {
    try {
      await this.#inTurn(async () => {
        if (this.#checks !== undefined) await this.#setUp();
      });
      this.#failedCheck = undefined;
    } catch (error) {
      this.#failedCheck = `The last check of the network failed: ${String(error)}`;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  #gate(): Gate {
    const { gate } = this.#egress;
    if (gate !== undefined) return gate;
    throw new OffshootError('network-setup-failed', { message: 'Resolver and proxy were not started.' });
  }

  #slot(slot: number): SlotPlan {
    return planSlot(this.#plan, this.#config.subnet.base, slot);
  }

  async #make(slot: SlotPlan, uid: number, egress: SlotEgress): Promise<void> {
    const rules = await this.#egress.prepare(slot, egress);
    await runChecked(this.#runner, 'ip', ['-batch', '-'], { input: outsideBatch(this.#plan, slot) });
    const batch = insideBatch(this.#plan, slot, uid);
    const inside = [`--net=${slot.netnsPath}`, '--', 'sh', '-c', insideScript, 'sh', batch];
    await settleAll([
      runChecked(this.#runner, 'nsenter', inside, { input: rules }),
      this.#egress.admit(slot, egress),
    ] as const);
  }

  async #remove(slot: number): Promise<void> {
    const input = removeBatch(slotNames(this.#plan, slot));
    const result = await this.#runner.run('ip', ['-force', '-batch', '-'], { input });
    const problems = result.stderr.split('\n').filter((line) => line !== '' && !isAbsence(line));
    if (problems.length > 0) throw new Error(problems.join('; '));
  }
}

/** What `ip` says of things that are not there; `-batch` adds a line of its own for each failure. */
function isAbsence(line: string): boolean {
  return /Cannot find device|No such file or directory|^Command failed -:\d+$/.test(line);
}

function publicPart(slot: SlotPlan): NetworkSlot {
  const { vethName: _vethName, ...rest } = slot;
  return rest;
}

async function netnsNames(): Promise<string[]> {
  return readdir(netnsDirectory).catch(() => []);
}
