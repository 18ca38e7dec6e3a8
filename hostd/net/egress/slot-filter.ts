import { OffshootError } from '../../errors/offshoot-error.ts';
import type { Runner } from '../../platform/run.ts';
import { hostOpenings } from '../host-openings.ts';
import type { HostTable } from '../host-table.ts';
import type { NetworkPlan, SlotPlan } from '../plan.ts';
import { slotRules } from '../slot-rules.ts';
import { loadRules, rulesAnew } from './firewall/load-rules.ts';
import { slotPolicyRules } from './firewall/slot-policy-rules.ts';
import { pinSets } from './firewall/slot-sets.ts';
import type { ProxyListenerSpec } from './gate/messages.ts';
import { ledTo } from './listener-plan.ts';
import type { Policy } from './policy/policy.ts';
import { effective, isRuled } from './slot-policy.ts';

export interface SlotFilterOptions {
  runner: Runner;
  plan: NetworkPlan;
  hostTable: Pick<HostTable, 'open' | 'closeAllBut'>;
}

/** Puts policies into packet filters: that of a slot, and the host's where a policy opens addresses of the host. */
export class SlotFilter {
  /** The host's addresses of now. */
  own: readonly string[] = [];
  readonly #options: SlotFilterOptions;
  readonly #proxyAddress: string;

  constructor({ runner, plan, hostTable }: SlotFilterOptions, proxyAddress: string) {
    this.#options = { runner, plan, hostTable };
    this.#proxyAddress = proxyAddress;
  }

  /** The nft document for a slot. `listeners`: the open ones of the proxy, undefined where there is none. Throws `network-setup-failed` for a policy that needs one then. */
  document(slot: SlotPlan, policy: Policy, listeners: readonly ProxyListenerSpec[] | undefined): string {
    const { plan } = this.#options;
    const ruled = effective(policy);
    if (ruled.mode === 'open' || ruled.mode === 'none') return slotRules(plan, slot, ruled.mode, this.own);
    if (listeners === undefined) {
      throw new OffshootError('network-setup-failed', {
        message: `Nothing here can keep a sandbox to mode ${ruled.mode}.`,
      });
    }
    const helpers = {
      resolver: { address: plan.bridgeAddress, port: plan.policyDnsPort },
      proxy: { address: this.#proxyAddress, listeners: ledTo(ruled, listeners) },
    };
    return slotPolicyRules(plan, slot, ruled, { own: this.own }, helpers);
  }

  /** Throws CommandError. */
  async load(slot: SlotPlan, policy: Policy, document: string): Promise<void> {
    // Those of a policy with names take the place of earlier ones by themselves, and leave the pins.
    const whole = isRuled(policy) ? document : rulesAnew(document);
    await loadRules(this.#options.runner, slot.netnsPath, whole);
  }

  /** Closes all that is open by name, under a policy with names; the resolver writes anew what may stay (`Gate.rewritePins`). Throws CommandError. */
  async closePins({ netnsPath }: SlotPlan): Promise<void> {
    await loadRules(
      this.#options.runner,
      netnsPath,
      pinSets.map((name) => `flush set inet offshoot ${name}\n`).join(''),
    );
  }

  /** What a policy may reach of the host is open to its slot from now on, and nothing else. Throws CommandError. */
  openHost(slot: SlotPlan, policy: Policy): Promise<void> {
    return this.#options.hostTable.open(slot.slot, this.#hostOpenings(slot, policy));
  }

  /** Of what is open to a slot, only what this policy may reach stays. Throws CommandError. */
  narrowHost(slot: SlotPlan, policy: Policy): Promise<void> {
    return this.#options.hostTable.closeAllBut(slot.slot, this.#hostOpenings(slot, policy));
  }

  /** Throws CommandError. */
  closeHost(slot: number): Promise<void> {
    return this.#options.hostTable.open(slot, []);
  }

  /** The bridge is the host's address that never changes; it may not be there yet. */
  #hostOpenings({ hostSideAddress }: SlotPlan, policy: Policy): string[] {
    return hostOpenings(hostSideAddress, policy, [...this.own, this.#options.plan.bridgeAddress]);
  }
}
