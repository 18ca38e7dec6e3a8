import { runChecked, type Runner } from '../platform/run.ts';
import { ensureBridge, ensureForwarding } from './host-bridge.ts';
import { closeForeignChains, openForeignChains } from './host-firewalls.ts';
import type { HostTable } from './host-table.ts';
import { listLinks } from './ip-json.ts';
import { closeLegacyChains, openLegacyChains } from './legacy-firewalls.ts';
import { listChains } from './nft-json.ts';
import type { NetworkPlan } from './plan.ts';
import { step } from './setup-error.ts';

/** What all sandboxes share on the host: bridge, forwarding, rules, and passages through other firewalls. */
export class HostSide {
  readonly #runner: Runner;
  readonly #plan: NetworkPlan;
  readonly #table: HostTable;
  #turnedForwardingOn = false;
  #legacyFinding: string | undefined;

  constructor(runner: Runner, plan: NetworkPlan, table: HostTable) {
    this.#runner = runner;
    this.#plan = plan;
    this.#table = table;
  }

  get findings(): string[] {
    const forwarding = 'IPv4 forwarding (net.ipv4.ip_forward) was off; hostd turned it on and leaves it on.';
    return [this.#turnedForwardingOn ? forwarding : [], this.#legacyFinding ?? []].flat();
  }

  /** Makes what is missing. Throws `network-setup-failed`, `tool-missing`. */
  async ensure(): Promise<void> {
    await step('Making the bridge', () => ensureBridge(this.#runner, this.#plan));
    await step('Turning IPv4 forwarding on', async () => {
      if (await ensureForwarding('/proc/sys/net/ipv4/ip_forward')) this.#turnedForwardingOn = true;
      await ensureForwarding(`/proc/sys/net/ipv4/conf/${this.#plan.bridgeName}/forwarding`);
    });
    await step('Loading the rules of the host', () => this.#table.ensure());
    await step('Opening other firewalls for the bridge', async () => {
      await openForeignChains(this.#runner, this.#plan, await listChains(this.#runner));
      this.#legacyFinding = await openLegacyChains(this.#runner, this.#plan);
    });
  }

  /** Removes what is there; forwarding stays on, for others may rely on it by now. Throws `network-setup-failed`, `tool-missing`. */
  async remove(): Promise<void> {
    await step('Taking the passages out of other firewalls', async () => {
      await closeForeignChains(this.#runner, this.#plan);
      await closeLegacyChains(this.#runner, this.#plan);
    });
    await step('Removing the bridge and the rules of the host', async () => {
      const { bridgeName } = this.#plan;
      await this.#table.remove();
      const links = await listLinks(this.#runner);
      if (!links.some((link) => link.ifname === bridgeName)) return;
      await runChecked(this.#runner, 'ip', ['link', 'del', 'dev', bridgeName]);
    });
  }
}
