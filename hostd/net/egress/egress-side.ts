import { setTimeout as sleep } from 'node:timers/promises';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { Upstream } from '../config.ts';
import { listOwnAddresses } from '../ip-json.ts';
import type { SlotEgress } from '../network.ts';
import type { SlotPlan } from '../plan.ts';
import { ProxyNamespace } from './firewall/proxy-namespace.ts';
import type { Gate, GateOptions } from './gate/gate.ts';
import type { HelperEvent } from './gate/helper-keeper.ts';
import { InTurn } from './gate/in-turn.ts';
import type { ProxyListenerSpec } from './gate/messages.ts';
import { listenersFor, needsListeners } from './listener-plan.ts';
import type { Policy } from './policy/policy.ts';
import { SlotFilter, type SlotFilterOptions } from './slot-filter.ts';
import { gatePolicy, isRuled, takesPins } from './slot-policy.ts';

/** Starts resolver and proxy, the latter in this network namespace, or takes them over. */
export type OpenGate = (
  proxyNetnsPath: string,
  options: Pick<GateOptions, 'sandboxes' | 'own' | 'dns' | 'listeners' | 'onEvent'>,
) => Promise<Gate>;

export interface EgressSideOptions extends SlotFilterOptions {
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
/** A change of policy is in force within a second. */
const closingPatienceMs = 500;

/** What keeps sandboxes to their policies: the rules of their slots, resolver and proxy, all told the same. */
export class EgressSide {
  readonly #options: EgressSideOptions;
  readonly #namespace: ProxyNamespace;
  readonly #filter: SlotFilter;
  readonly #slots = new Map<number, Ruled>();
  /** Of the proxy's listeners. */
  readonly #turn = new InTurn();
  /** Of each slot's rules: else an older document could be loaded last. */
  readonly #turnOfSlot = new Map<number, InTurn>();
  #gate: Gate | undefined;

  constructor(options: EgressSideOptions) {
    this.#options = options;
    this.#namespace = new ProxyNamespace(options.runner, options.plan);
    this.#filter = new SlotFilter(options, this.#namespace.proxy.address);
  }

  /** To be called before the host's side is made: so the sandboxes of an earlier hostd don't lose what they may reach of the host. */
  async expect(living: readonly LivingRules[]): Promise<void> {
    if (this.#options.openGate === undefined || this.#gate !== undefined) return;
    this.#filter.own = await listOwnAddresses(this.#options.runner);
    for (const { slot, egress } of living) await this.#filter.openHost(slot, egress.policy);
  }

  /** Opens the gate with what sandboxes of an earlier hostd may, whose rules are loaded anew: they may be of another version. */
  async open(living: readonly LivingRules[], onEvent: (event: HelperEvent) => void): Promise<void> {
    const { openGate, plan, dns } = this.#options;
    if (openGate === undefined || this.#gate !== undefined) return;
    // A proxy that lives goes on taking connections.
    await this.#namespace.ensure('keep');
    this.#filter.own = await listOwnAddresses(this.#options.runner);
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
    if (own.join() === this.#filter.own.join()) return;
    this.#filter.own = own;
    await gate.setOwnAddresses(this.#allOwn);
    await this.#reload();
  }

  /**
   * The rules of a new slot, for its empty netns, which is not to be made before: helpers know sandboxes by the address and namespace of their
   * slot, and this resolves when they have forgotten the one before. The proxy listens where the rules lead.
   */
  prepare(slot: SlotPlan, egress: SlotEgress): Promise<string> {
    return this.#inTurnOf(slot.slot, async () => {
      // Nothing of a slot's earlier sandbox.
      await this.#filter.closeHost(slot.slot);
      await this.#listenFor({ slot, egress, rules: '', told: false });
      const rules = this.#document(slot, egress.policy);
      this.#slots.set(slot.slot, { slot, egress, rules, told: false });
      return rules;
    });
  }

  /** Tells resolver and proxy of a new slot, and opens what it may reach of the host; nothing gets by a name, or there, before. */
  async admit(slot: SlotPlan, egress: SlotEgress): Promise<void> {
    await this.#filter.openHost(slot, egress.policy);
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
    if (before === undefined && this.#gate !== undefined) {
      throw new OffshootError('network-setup-failed', {
        message: `Slot ${String(slot.slot)} has no sandbox any more.`,
      });
    }
    const told = before?.told === true || isRuled(egress.policy);
    await this.#listenFor({ slot, egress, rules: '', told });
    const rules = this.#document(slot, egress.policy);
    const policy = told ? gatePolicy(slot, egress) : undefined;
    const load = async () => {
      if (rules !== before?.rules) await this.#filter.load(slot, egress.policy, rules);
    };
    const tell = async () => {
      if (policy !== undefined) await this.#gate?.setPolicy(policy);
    };
    await this.#filter.narrowHost(slot, egress.policy);
    // Pins are in the sets of the rules, which those of `open` and `none` lack: the resolver takes them back while the sets are there.
    const isLoadedFirst = isRuled(egress.policy);
    if (isLoadedFirst) await load();
    await this.#whileClosing(slot, before?.egress.policy, egress, tell());
    if (!isLoadedFirst) await load();
    await this.#filter.openHost(slot, egress.policy);
    this.#slots.set(slot.slot, { slot, egress, rules, told });
  }

  /** Waits for resolver and proxy to be told; where that takes long, as one of them hangs or died, what they would close is closed meanwhile. */
  async #whileClosing(
    slot: SlotPlan,
    before: Policy | undefined,
    { policy, sandbox }: SlotEgress,
    telling: Promise<void>,
  ): Promise<void> {
    if (before === undefined || !takesPins(before, policy)) return telling;
    const told = telling.then(
      () => true,
      () => true,
    );
    if (await Promise.race([told, sleep(closingPatienceMs, false, { ref: false })])) return telling;
    if (!isRuled(policy)) {
      const nothing: Policy = { mode: 'enforce', rules: [] };
      await this.#filter.load(slot, nothing, this.#document(slot, nothing));
    }
    await this.#filter.closePins(slot);
    await telling;
    if (isRuled(policy) && sandbox !== undefined) await this.#gate?.rewritePins(sandbox.id);
  }

  /** A slot that goes. Helpers that take long to forget its sandbox are not waited for here, but by `prepare`. */
  async forget(slot: number): Promise<void> {
    await this.#filter.closeHost(slot);
    const late = new AbortController();
    const patience = sleep(forgetMs, undefined, { signal: late.signal }).catch(() => undefined);
    const forgotten = this.#inTurnOf(slot, () => this.#forget(slot));
    await Promise.race([forgotten, patience]);
    late.abort();
  }

  async #forget(slot: number): Promise<void> {
    const known = this.#slots.get(slot);
    this.#slots.delete(slot);
    // A change that was under way may have opened it again.
    await this.#filter.closeHost(slot);
    const id = known?.egress.sandbox?.id;
    if (known?.told === true && id !== undefined) await this.#gate?.remove(id).catch(() => undefined);
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
    return [...this.#filter.own, this.#options.plan.subnet];
  }

  #document(slot: SlotPlan, policy: Policy): string {
    return this.#filter.document(slot, policy, this.#gate?.listeners);
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
    if (rules !== before) await this.#filter.load(slot, egress.policy, rules).catch(() => undefined);
    if (this.#slots.get(number) === mended) await this.#filter.openHost(slot, egress.policy);
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
    if (gate === undefined || !isRuled(policy) || !needsListeners(policy)) return;
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
    return listenersFor(policies, this.#gate?.listeners ?? [], this.#namespace.proxy.address);
  }

  async #letIn(gate: Gate): Promise<void> {
    await this.#namespace.ensure(gate.listeners.map(({ port }) => port));
    await gate.keepInPlace();
  }
}
