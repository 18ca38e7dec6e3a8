import { setTimeout as sleep } from 'node:timers/promises';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { Runner } from '../../platform/run.ts';
import type { Upstream } from '../config.ts';
import { hostOpenings } from '../host-openings.ts';
import type { HostTable } from '../host-table.ts';
import { listOwnAddresses } from '../ip-json.ts';
import type { SlotEgress } from '../network.ts';
import type { NetworkPlan, SlotPlan } from '../plan.ts';
import { slotRules } from '../slot-rules.ts';
import { loadRules, rulesAnew } from './firewall/load-rules.ts';
import { ProxyNamespace } from './firewall/proxy-namespace.ts';
import { slotPolicyRules } from './firewall/slot-policy-rules.ts';
import type { Gate, GateOptions } from './gate/gate.ts';
import type { HelperEvent } from './gate/helper-keeper.ts';
import { InTurn } from './gate/in-turn.ts';
import type { ProxyListenerSpec, SandboxPolicy } from './gate/messages.ts';
import { heldMode, isHeldByName } from './policy/held-mode.ts';
import type { Policy } from './policy/policy.ts';
import { proxiedPorts } from './policy/proxied-ports.ts';

/** Starts resolver and proxy, the latter in this network namespace, or takes them over. */
export type OpenGate = (
  proxyNetnsPath: string,
  options: Pick<GateOptions, 'sandboxes' | 'own' | 'dns' | 'listeners' | 'onEvent'>,
) => Promise<Gate>;

export interface EgressSideOptions {
  runner: Runner;
  plan: NetworkPlan;
  hostTable: Pick<HostTable, 'open' | 'closeAllBut'>;
  /** Absent: no policy but open and none can be put in force. */
  openGate: OpenGate | undefined;
  dns: { resolvConf: string; upstreams: readonly Upstream[] | undefined };
}

/** A slot that is there, and what it may. */
interface LivingRules {
  slot: SlotPlan;
  egress: SlotEgress;
}

/** A slot whose rules are in force. */
interface Ruled extends LivingRules {
  /** The nft document it was given last. */
  rules: string;
  /** Resolver and proxy know of it. */
  told: boolean;
}

/** A helper that is being started anew is not waited for when a slot goes: it is told in its turn. */
const forgetMs = 1000;

/** Stands for what every policy leads to the proxy. */
const anyPolicy: Policy = { mode: 'enforce', rules: [] };

/** What keeps sandboxes to their policies: the rules of their slots, resolver and proxy, all told the same. */
export class EgressSide {
  readonly #options: EgressSideOptions;
  readonly #namespace: ProxyNamespace;
  readonly #slots = new Map<number, Ruled>();
  /** Of the proxy's listeners. */
  readonly #turn = new InTurn();
  /** Of each slot's rules: else an older document could be loaded last. */
  readonly #turnOfSlot = new Map<number, InTurn>();
  #gate: Gate | undefined;
  #own: readonly string[] = [];

  constructor(options: EgressSideOptions) {
    this.#options = options;
    this.#namespace = new ProxyNamespace(options.runner, options.plan);
  }

  /** To be called before the host's side is made: so the sandboxes of an earlier hostd don't lose what they may reach of the host. */
  async expect(living: readonly LivingRules[]): Promise<void> {
    if (this.#options.openGate === undefined || this.#gate !== undefined) return;
    this.#own = await listOwnAddresses(this.#options.runner);
    for (const { slot, egress } of living) await this.#openHost(slot, egress);
  }

  /** Opens the gate with what sandboxes of an earlier hostd may, whose rules are loaded anew: they may be of another version. */
  async open(living: readonly LivingRules[], onEvent: (event: HelperEvent) => void): Promise<void> {
    const { openGate, plan, dns } = this.#options;
    if (openGate === undefined || this.#gate !== undefined) return;
    // A proxy that lives goes on taking connections.
    await this.#namespace.ensure('keep');
    this.#own = await listOwnAddresses(this.#options.runner);
    const upstreams = dns.upstreams === undefined ? {} : { upstreams: [...dns.upstreams] };
    const ruled = living.filter(({ egress }) => isRuled(egress.policy));
    this.#gate = await openGate(this.#namespace.proxy.netnsPath, {
      sandboxes: ruled.flatMap(({ slot, egress }) => gatePolicy(slot, egress) ?? []),
      own: this.#allOwn,
      dns: { address: plan.bridgeAddress, port: plan.policyDnsPort, resolvConf: dns.resolvConf, ...upstreams },
      listeners: this.#listenersFor(living.map(({ egress }) => egress.policy)),
      onEvent,
    });
    await this.#letIn(this.#gate);
    for (const { slot, egress } of living) {
      this.#slots.set(slot.slot, { slot, egress, rules: '', told: isRuled(egress.policy) });
    }
    await this.#reload();
  }

  /** To be called after each time that the host's side was mended. */
  async ensure(): Promise<void> {
    const gate = this.#gate;
    if (gate === undefined) return;
    await this.#turn.do(() => this.#letIn(gate));
    const own = await listOwnAddresses(this.#options.runner);
    if (own.join() === this.#own.join()) return;
    this.#own = own;
    await gate.setOwnAddresses(this.#allOwn);
    await this.#reload();
  }

  /** The rules of a new slot, for its empty netns; the proxy listens where they lead. */
  prepare(slot: SlotPlan, egress: SlotEgress): Promise<string> {
    return this.#inTurnOf(slot.slot, async () => {
      // Nothing of a slot's earlier sandbox.
      await this.#options.hostTable.open(slot.slot, []);
      await this.#listenFor({ slot, egress, rules: '', told: false });
      const rules = this.#document(slot, egress.policy);
      this.#slots.set(slot.slot, { slot, egress, rules, told: false });
      return rules;
    });
  }

  /** Tells resolver and proxy of a new slot, and opens what it may reach of the host; nothing gets by a name, or there, before. */
  async admit(slot: SlotPlan, egress: SlotEgress): Promise<void> {
    await this.#openHost(slot, egress);
    const made = this.#slots.get(slot.slot);
    const policy = gatePolicy(slot, egress);
    if (made === undefined || policy === undefined || !isRuled(egress.policy)) return;
    this.#slots.set(slot.slot, { ...made, told: true });
    await this.#gate?.setPolicy(policy);
  }

  /** Another policy, or a first sandbox, for a slot there is. When it fails, some of both may be in force, and the next one mends it. */
  change(slot: SlotPlan, egress: SlotEgress): Promise<void> {
    return this.#inTurnOf(slot.slot, () => this.#change(slot, egress));
  }

  async #change(slot: SlotPlan, egress: SlotEgress): Promise<void> {
    const before = this.#slots.get(slot.slot);
    const told = before?.told === true || isRuled(egress.policy);
    await this.#listenFor({ slot, egress, rules: '', told });
    const rules = this.#document(slot, egress.policy);
    const policy = told ? gatePolicy(slot, egress) : undefined;
    const load = async () => {
      if (rules !== before?.rules) await this.#load(slot, egress.policy, rules);
    };
    const tell = async () => {
      if (policy !== undefined) await this.#gate?.setPolicy(policy);
    };
    await this.#options.hostTable.closeAllBut(slot.slot, this.#hostOpenings(slot, egress));
    // Pins are in the sets of the rules, which those of `open` and `none` lack: the resolver takes them back while the sets are there.
    await (isRuled(egress.policy) ? load().then(tell) : tell().then(load));
    await this.#openHost(slot, egress);
    this.#slots.set(slot.slot, { slot, egress, rules, told });
  }

  /** A slot that goes. */
  async forget(slot: number): Promise<void> {
    const known = this.#slots.get(slot);
    this.#slots.delete(slot);
    await this.#options.hostTable.open(slot, []);
    const id = known?.egress.sandbox?.id;
    if (known?.told !== true || id === undefined || this.#gate === undefined) return;
    const late = new AbortController();
    const patience = sleep(forgetMs, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([this.#gate.remove(id).catch(() => undefined), patience]);
    late.abort();
  }

  get gate(): Gate | undefined {
    return this.#gate;
  }

  async close(keep: boolean): Promise<void> {
    const gate = this.#gate;
    this.#gate = undefined;
    await gate?.stop(keep);
    if (!keep) await this.#namespace.remove();
  }

  get #allOwn(): string[] {
    return [...this.#own, this.#options.plan.subnet];
  }

  #document(slot: SlotPlan, policy: Policy): string {
    const { plan } = this.#options;
    const ruled = effective(policy);
    if (ruled.mode === 'open' || ruled.mode === 'none') return slotRules(plan, slot, ruled.mode);
    if (this.#gate === undefined) {
      throw new OffshootError('network-setup-failed', {
        message: `Nothing here can keep a sandbox to mode ${ruled.mode}.`,
      });
    }
    const layers = proxiedPorts(ruled);
    const led = this.#gate.listeners.filter(({ forPort, layer }) => layers.get(forPort) === layer);
    const helpers = {
      resolver: { address: plan.bridgeAddress, port: plan.policyDnsPort },
      proxy: {
        address: this.#namespace.proxy.address,
        listeners: new Map(led.map(({ forPort, port }) => [forPort, port])),
      },
    };
    return slotPolicyRules(plan, slot, ruled, { own: this.#own }, helpers);
  }

  /** The bridge is the host's address that never changes; it may not be there yet. */
  #hostOpenings({ hostSideAddress }: SlotPlan, { policy }: SlotEgress): string[] {
    return hostOpenings(hostSideAddress, policy, [...this.#own, this.#options.plan.bridgeAddress]);
  }

  async #openHost(slot: SlotPlan, egress: SlotEgress): Promise<void> {
    await this.#options.hostTable.open(slot.slot, this.#hostOpenings(slot, egress));
  }

  async #load(slot: SlotPlan, policy: Policy, rules: string): Promise<void> {
    // Those of a policy with names take the place of earlier ones by themselves, and leave the pins.
    const document = isRuled(policy) ? rules : rulesAnew(rules);
    await loadRules(this.#options.runner, slot.netnsPath, document);
  }

  /** What is in force, with the addresses and listeners of now. A netns that is gone has nothing to be ruled. */
  async #reload(): Promise<void> {
    for (const slot of [...this.#slots.keys()]) await this.#inTurnOf(slot, () => this.#reloadSlot(slot));
  }

  async #reloadSlot(number: number): Promise<void> {
    const ruled = this.#slots.get(number);
    if (ruled === undefined) return;
    const { slot, egress, rules: before } = ruled;
    const rules = this.#document(slot, egress.policy);
    const mended = { ...ruled, rules };
    this.#slots.set(number, mended);
    if (rules !== before) await this.#load(slot, egress.policy, rules).catch(() => undefined);
    if (this.#slots.get(number) === mended) await this.#openHost(slot, egress);
  }

  #inTurnOf<Result>(slot: number, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turnOfSlot.get(slot) ?? new InTurn();
    this.#turnOfSlot.set(slot, turn);
    return turn.do(work);
  }

  /** Has the proxy listen on all ports that policies in force, and this one, lead to it. When it can't, the slot is as it was: no other one's ports depend on it. */
  async #listenFor(ruled: Ruled): Promise<void> {
    const { slot, policy } = { slot: ruled.slot.slot, policy: ruled.egress.policy };
    const before = this.#slots.get(slot);
    this.#slots.set(slot, ruled);
    const gate = this.#gate;
    if (gate === undefined || !isRuled(policy) || proxiedPorts(policy).size === proxiedPorts(anyPolicy).size) return;
    try {
      await this.#turn.do(() => this.#listen(gate));
    } catch (error) {
      if (before === undefined) this.#slots.delete(slot);
      else this.#slots.set(slot, before);
      throw error;
    }
  }

  /** Listeners that no policy needs any more are closed along with the next one that is opened. */
  async #listen(gate: Gate): Promise<void> {
    const wanted = this.#listenersFor([...this.#slots.values()].map(({ egress }) => egress.policy));
    if (wanted.every(({ port }) => port !== 0)) return;
    await gate.listen(wanted);
    await this.#letIn(gate);
  }

  #listenersFor(policies: readonly Policy[]): ProxyListenerSpec[] {
    const { address } = this.#namespace.proxy;
    const known = this.#gate?.listeners ?? [];
    const wanted = new Map<string, ProxyListenerSpec>();
    for (const policy of [anyPolicy, ...policies]) {
      for (const [forPort, layer] of proxiedPorts(policy)) {
        const open = known.find((one) => one.forPort === forPort && one.layer === layer);
        wanted.set(`${layer} ${String(forPort)}`, open ?? { address, port: 0, forPort, layer });
      }
    }
    return [...wanted.values()];
  }

  async #letIn(gate: Gate): Promise<void> {
    await this.#namespace.ensure(gate.listeners.map(({ port }) => port));
  }
}

function effective({ mode, rules }: Policy): Policy {
  return { mode: heldMode(mode, rules.length > 0), rules };
}

/** Whether names and pins play a part. */
function isRuled({ mode, rules }: Policy): boolean {
  return isHeldByName(mode, rules.length > 0);
}

function gatePolicy(
  { hostSideAddress, netnsPath }: SlotPlan,
  { policy, sandbox }: SlotEgress,
): SandboxPolicy | undefined {
  if (sandbox === undefined) return undefined;
  const { id: sandboxId, revision } = sandbox;
  return { sandboxId, sourceAddress: hostSideAddress, netnsPath, policy: effective(policy), revision };
}
