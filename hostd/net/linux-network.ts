import { access, readdir } from 'node:fs/promises';
import { isOffshootError } from '../errors/offshoot-error.ts';
import { runChecked, type Runner } from '../platform/run.ts';
import type { NetworkConfig } from './config.ts';
import { openDnsForwarder, type DnsForwarder } from './dns/forwarder.ts';
import { ensureBridge, ensureForwarding, uplinkMtu } from './host-bridge.ts';
import { closeForeignChains, openForeignChains } from './host-firewalls.ts';
import { hostRules } from './host-rules.ts';
import { listLinks } from './ip-json.ts';
import { closeLegacyChains, openLegacyChains } from './legacy-firewalls.ts';
import type { EgressMode, GuestLink, Network, NetworkSlot } from './network.ts';
import { listChains } from './nft-json.ts';
import { netnsDirectory, planNetwork, planSlot, slotOfName, type NetworkPlan, type SlotPlan } from './plan.ts';
import { setupError } from './setup-error.ts';
import { insideBatch, insideScript, outsideBatch, removeBatch } from './slot-commands.ts';
import { slotRules } from './slot-rules.ts';

/** The real network: netns, veth, tap and nft of this host. Reads the uplink's MTU; changes nothing yet. Throws `network-setup-failed`, `tool-missing`. */
export async function openLinuxNetwork(config: NetworkConfig, runner: Runner): Promise<Network> {
  try {
    return new LinuxNetwork(config, runner, planNetwork(config, config.mtu ?? (await uplinkMtu(runner))));
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
  #dns: DnsForwarder | undefined;
  #tableLoaded = false;
  #turnedForwardingOn = false;
  #legacyFinding: string | undefined;

  constructor(config: NetworkConfig, runner: Runner, plan: NetworkPlan) {
    this.#config = config;
    this.#runner = runner;
    this.#plan = plan;
    this.link = plan.link;
    this.capacity = plan.capacity;
  }

  get findings(): string[] {
    const forwarding = 'IPv4 forwarding (net.ipv4.ip_forward) was off; hostd turned it on and leaves it on.';
    return [this.#turnedForwardingOn ? forwarding : [], this.#legacyFinding ?? []].flat();
  }

  async start(): Promise<void> {
    await step('Making the bridge', () => ensureBridge(this.#runner, this.#plan));
    await step('Turning IPv4 forwarding on', async () => {
      if (await ensureForwarding()) this.#turnedForwardingOn = true;
    });
    await step('Loading the rules of the host', () => this.#ensureHostTable());
    await step('Opening other firewalls for the bridge', () => this.#ensurePassages());
    await step('Answering DNS on the bridge', async () => {
      this.#dns ??= await openDnsForwarder({
        address: this.#plan.bridgeAddress,
        port: this.#config.dnsPort,
        resolvConf: this.#config.resolvConf,
        ...(this.#config.dnsUpstreams === undefined ? {} : { upstreams: this.#config.dnsUpstreams }),
      });
    });
  }

  describe(slot: number): NetworkSlot {
    return publicPart(this.#slot(slot));
  }

  async create(slot: number, uid: number, mode: EgressMode): Promise<NetworkSlot> {
    const planned = this.#slot(slot);
    await step(`Making the network of slot ${String(slot)}`, async () => {
      if (await pathExists(planned.netnsPath)) await this.#remove(planned);
      try {
        await this.#make(planned, uid, mode);
      } catch (firstError) {
        // A veth without its netns, or a race with the kernel still clearing one: once more from a clean slate.
        if (isOffshootError(firstError)) throw firstError;
        await this.#remove(planned);
        await this.#make(planned, uid, mode);
      }
    });
    return publicPart(planned);
  }

  async remove(slot: number): Promise<void> {
    const planned = this.#slot(slot);
    await step(`Removing the network of slot ${String(slot)}`, () => this.#remove(planned));
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

  async stop(keep: boolean): Promise<void> {
    await this.#dns?.close();
    this.#dns = undefined;
    if (keep) return;
    await Promise.all((await this.existing()).map((slot) => this.remove(slot)));
    await step('Taking the passages out of other firewalls', async () => {
      await closeForeignChains(this.#runner, this.#plan);
      await closeLegacyChains(this.#runner, this.#plan);
    });
    await step('Removing the bridge and the rules of the host', async () => {
      const { tableName, bridgeName } = this.#plan;
      await runChecked(this.#runner, 'nft', [`table inet ${tableName}; delete table inet ${tableName}`]);
      const links = await listLinks(this.#runner);
      if (!links.some((link) => link.ifname === bridgeName)) return;
      await runChecked(this.#runner, 'ip', ['link', 'del', 'dev', bridgeName]);
    });
  }

  #slot(slot: number): SlotPlan {
    return planSlot(this.#plan, this.#config.subnet.base, slot);
  }

  async #make(slot: SlotPlan, uid: number, mode: EgressMode): Promise<void> {
    await runChecked(this.#runner, 'ip', ['-batch', '-'], { input: outsideBatch(this.#plan, slot) });
    const inside = [`--net=${slot.netnsPath}`, '--', 'sh', '-c', insideScript, 'sh', slotRules(this.#plan, slot, mode)];
    await runChecked(this.#runner, 'nsenter', inside, { input: insideBatch(this.#plan, slot, uid) });
  }

  async #remove(slot: SlotPlan): Promise<void> {
    const result = await this.#runner.run('ip', ['-force', '-batch', '-'], { input: removeBatch(slot) });
    const problems = result.stderr.split('\n').filter((line) => line !== '' && !isAbsence(line));
    if (problems.length > 0) throw new Error(problems.join('; '));
  }

  /** Once by each hostd, whose rules may differ from those of an earlier one; later only where someone has flushed them. */
  async #ensureHostTable(): Promise<void> {
    const chains = await listChains(this.#runner);
    if (this.#tableLoaded && chains.some((chain) => chain.table === this.#plan.tableName)) return;
    await runChecked(this.#runner, 'nft', ['-f', '-'], { input: hostRules(this.#plan) });
    this.#tableLoaded = true;
  }

  async #ensurePassages(): Promise<void> {
    await openForeignChains(this.#runner, this.#plan, await listChains(this.#runner));
    this.#legacyFinding = await openLegacyChains(this.#runner, this.#plan);
  }
}

/** What `ip` says of things that are not there; `-batch` adds a line of its own for each failure. */
function isAbsence(line: string): boolean {
  return /Cannot find device|No such file or directory|^Command failed -:\d+$/.test(line);
}

async function step<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw setupError(doing, error);
  }
}

function publicPart(slot: SlotPlan): NetworkSlot {
  const { vethName: _vethName, ...rest } = slot;
  return rest;
}

async function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function netnsNames(): Promise<string[]> {
  return readdir(netnsDirectory).catch(() => []);
}
