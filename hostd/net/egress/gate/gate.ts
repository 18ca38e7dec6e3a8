import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { makeFolder } from '../../../platform/make-folder.ts';
import { settleAll } from '../../../platform/settle-all.ts';
import { OffshootError } from '../../../errors/offshoot-error.ts';
import { pinDocumentSchema, type PinDocument } from '../dns/pin-document.ts';
import { HelperRefusal, type ControlClient } from './control-client.ts';
import { gateFolder, helperFiles } from './helper-files.ts';
import { HelperKeeper, type HelperEvent, type HelperWatch } from './helper-keeper.ts';
import { InTurn } from './in-turn.ts';
import {
  helperRoles,
  policyAckSchema,
  proxyListenSchema,
  reportPageSchema,
  widenAckSchema,
  type DnsListen,
  type HelperHealth,
  type HelperRole,
  type PolicyAck,
  type PolicyDocument,
  type ProxyListenerSpec,
  type ReportCursor,
  type ReportRow,
  type SandboxPolicy,
} from './messages.ts';
import { refuseOlder } from './policy-table.ts';

/** Where a reader of reports stands, in each helper. Plain JSON. */
export type GateCursor = Partial<Record<HelperRole, ReportCursor>>;

export interface GateRow extends ReportRow {
  helper: HelperRole;
  /** Of the helper's run that counted it. A row is a total of this run: it replaces an earlier one of the same run; those of other runs add to it. */
  epoch: string;
}

export interface GateReport {
  /** To be given next time, once the rows are safe: rows of sandboxes that are gone are forgotten then. */
  cursor: GateCursor;
  rows: GateRow[];
  more: boolean;
}

/** The resolver and the proxy of a host, as hostd sees them. Methods throw `network-setup-failed` when a helper would not, or is not there for half a minute. */
export interface Gate {
  /** Resolves when the policy is in force and connections that it does not allow are cut; tells how many these were. Also for a new sandbox. */
  setPolicy(sandbox: SandboxPolicy): Promise<{ cut: number }>;
  /** Cuts what it has open. Its counters stay until they were reported. */
  remove(sandboxId: string): Promise<void>;
  /** For copies, of which the policy has to be set before. */
  pinsOf(sandboxId: string): Promise<PinDocument>;
  restorePins(sandboxId: string, document: PinDocument): Promise<void>;
  /** Writes what is pinned into the sandbox's filter anew, after something else has emptied its sets. */
  rewritePins(sandboxId: string): Promise<void>;
  /** The whole list of the proxy's listeners; gives it back with the ports that they have. */
  listen(listeners: readonly ProxyListenerSpec[]): Promise<ProxyListenerSpec[]>;
  /** The listeners as they are now. */
  readonly listeners: readonly ProxyListenerSpec[];
  /** Addresses that are closed to all sandboxes unless a rule names them have changed. */
  setOwnAddresses(own: readonly string[]): Promise<void>;
  /** What was counted since the cursor; without one, everything. */
  report(since?: GateCursor): Promise<GateReport>;
  health(): Promise<Record<HelperRole, HelperHealth>>;
  /** To be called after the proxy's network namespace was mended: one that is in an earlier one is ended, and another started. */
  keepInPlace(): Promise<void>;
  /** With `keep` the helpers go on without hostd; else resolves when they are gone. */
  stop(keep: boolean): Promise<void>;
}

export interface GateOptions {
  stateDirectory: string;
  /** How each helper is started: program and arguments, to which the folder is added. */
  commands: Readonly<Record<HelperRole, readonly string[]>>;
  /** The file that stands for the network namespace in which the proxy runs; absent: in that of this process. */
  proxyNetnsPath?: string;
  /** All sandboxes that live; helpers forget others. */
  sandboxes: readonly SandboxPolicy[];
  own: readonly string[];
  dns: DnsListen;
  /** With port 0 a helper that lives keeps the port it has. */
  listeners: readonly ProxyListenerSpec[];
  onEvent: (event: HelperEvent) => void;
  watch?: HelperWatch;
}

const instructMs = 30_000;
/** A change takes effect within a second, whatever the proxy does. */
const narrowPatienceMs = 300;
/** For helpers that have to be started first, as it takes on an emulated host. */
const openMs = 240_000;

/** What a helper is given when it comes. */
interface Wanted {
  readonly sandboxes: ReadonlyMap<string, SandboxPolicy>;
  readonly own: readonly string[];
}

/** Takes over the helpers that live, starts those that do not, and watches them. Resolves when both do what is asked. Throws `network-setup-failed`. */
export async function openGate(options: GateOptions): Promise<Gate> {
  makeFolder(gateFolder(options.stateDirectory), 0o700);
  const gate = new ProcessGate(options);
  try {
    await gate.opened(options.watch?.waitMs ?? openMs);
  } catch (error) {
    // One of the two may run: it stays for those that it serves.
    await gate.stop(options.sandboxes.length > 0);
    throw error;
  }
  return gate;
}

class ProcessGate implements Gate {
  readonly #dns: DnsListen;
  #wanted: Wanted;
  #listeners: readonly ProxyListenerSpec[];
  readonly #resolver: HelperKeeper;
  readonly #proxy: HelperKeeper;
  readonly #turn = new InTurn();

  constructor(options: GateOptions) {
    const { stateDirectory, commands, sandboxes, own, dns, listeners, onEvent, watch } = options;
    this.#dns = dns;
    this.#wanted = { sandboxes: new Map(sandboxes.map((sandbox) => [sandbox.sandboxId, sandbox])), own };
    this.#listeners = listeners;
    const keeper = (role: HelperRole, instruct: (client: ControlClient) => Promise<void>) => {
      const files = helperFiles(gateFolder(stateDirectory), role);
      const netnsPath = role === 'proxy' ? options.proxyNetnsPath : undefined;
      return new HelperKeeper({ role, files, command: commands[role], netnsPath, instruct, onEvent, watch });
    };
    this.#resolver = keeper('resolver', async (client) => {
      await client.call('setPolicies', everything(this.#wanted), policyAckSchema, instructMs);
      await client.call('listen', this.#dns, z.null(), instructMs);
    });
    // Policies before listeners: nothing is ever decided without.
    this.#proxy = keeper('proxy', async (client) => {
      await client.call('setPolicies', everything(this.#wanted), policyAckSchema, instructMs);
      const bound = await client.call('listen', { listeners: this.#listeners }, proxyListenSchema, instructMs);
      this.#listeners = bound.listeners;
    });
  }

  get listeners(): readonly ProxyListenerSpec[] {
    return this.#listeners;
  }

  setPolicy(sandbox: SandboxPolicy): Promise<{ cut: number }> {
    return this.#change(({ sandboxes, own }) => {
      // Here too: a helper that starts meanwhile takes what it is given.
      refuseOlder(sandboxes.get(sandbox.sandboxId), sandbox);
      const wanted = { sandboxes: new Map(sandboxes).set(sandbox.sandboxId, sandbox), own };
      return { wanted, document: { sandboxes: [sandbox], others: 'keep', own: [...own], phase: 'final' } };
    });
  }

  remove(sandboxId: string): Promise<void> {
    return this.#turn.do(async () => {
      const sandboxes = new Map(this.#wanted.sandboxes);
      sandboxes.delete(sandboxId);
      this.#wanted = { ...this.#wanted, sandboxes };
      await helped(`${sandboxId} was not forgotten`, () =>
        // Each, also when the other can't be told: as long as one knows it, its address is no other sandbox's.
        settleAll([this.#proxy, this.#resolver].map((helper) => helper.call('dropSandbox', { sandboxId }, z.null()))),
      );
    });
  }

  pinsOf(sandboxId: string): Promise<PinDocument> {
    return helped(`Pins of ${sandboxId} are not known`, () =>
      this.#resolver.call('pins', { sandboxId }, pinDocumentSchema),
    );
  }

  async restorePins(sandboxId: string, document: PinDocument): Promise<void> {
    await helped(`Pins of ${sandboxId} were not restored`, () =>
      this.#resolver.call('restorePins', { sandboxId, document }, z.null()),
    );
  }

  async rewritePins(sandboxId: string): Promise<void> {
    await helped(`Pins of ${sandboxId} were not written`, () =>
      this.#resolver.call('rewritePins', { sandboxId }, z.null()),
    );
  }

  listen(listeners: readonly ProxyListenerSpec[]): Promise<ProxyListenerSpec[]> {
    return this.#turn.do(() =>
      helped('The proxy does not listen', async () => {
        const bound = await this.#proxy.call('listen', { listeners }, proxyListenSchema);
        this.#listeners = bound.listeners;
        return bound.listeners;
      }),
    );
  }

  async setOwnAddresses(own: readonly string[]): Promise<void> {
    await this.#change(({ sandboxes }) => {
      const wanted = { sandboxes, own };
      return { wanted, document: everything(wanted) };
    });
  }

  async report(since: GateCursor = {}): Promise<GateReport> {
    const keepers = { resolver: this.#resolver, proxy: this.#proxy };
    const pages = await helped('There is no report', () =>
      Promise.all(
        helperRoles.map(async (helper) => {
          const page = await keepers[helper].call('report', { since: since[helper] }, reportPageSchema);
          return { helper, ...page };
        }),
      ),
    );
    return {
      cursor: Object.fromEntries(pages.map(({ helper, cursor }) => [helper, cursor])),
      rows: pages.flatMap(({ helper, cursor, rows }) => rows.map((row) => ({ ...row, helper, epoch: cursor.epoch }))),
      more: pages.some(({ more }) => more),
    };
  }

  health(): Promise<Record<HelperRole, HelperHealth>> {
    return this.opened();
  }

  /** Resolves when both do what is asked of them. */
  async opened(waitMs?: number): Promise<Record<HelperRole, HelperHealth>> {
    const [resolver, proxy] = await helped('Resolver and proxy do not answer', () =>
      Promise.all([this.#resolver.health(waitMs), this.#proxy.health(waitMs)]),
    );
    return { resolver, proxy };
  }

  keepInPlace(): Promise<void> {
    return this.#proxy.keepInPlace();
  }

  async stop(keep: boolean): Promise<void> {
    await Promise.all([this.#proxy.stop(keep), this.#resolver.stop(keep)]);
  }

  /** What a helper refuses is no longer wanted: those that start later would refuse it, too, and be of no use to any sandbox. */
  #change(next: (now: Wanted) => { wanted: Wanted; document: PolicyDocument }): Promise<{ cut: number }> {
    return this.#turn.do(() =>
      helped('The egress policy is not in force', async () => {
        const before = this.#wanted;
        const { wanted, document } = next(before);
        this.#wanted = wanted;
        try {
          return await this.#apply(document);
        } catch (error) {
          if (error instanceof HelperRefusal) this.#wanted = before;
          throw error;
        }
      }),
    );
  }

  /**
   * What the proxy lets through it decides by one view alone from the name to the address; the resolver can only give it fewer names, and
   * pins follow the resolver's view alone. So whatever the two have at a moment - the old policy, the new one, or what both allow - nothing
   * passes that neither policy allows. The order is for what passes and is told meanwhile: first the proxy keeps to what both allow and cuts
   * the rest, so that what is being taken away is refused by its right reason and before its name stops to resolve; then the resolver
   * changes; then the proxy opens what is new, which resolves by now.
   */
  async #apply(document: PolicyDocument): Promise<{ cut: number }> {
    // A proxy that is down or hangs passes nothing: the resolver's pins need not wait for it.
    const narrowing = this.#proxy.callIfUp('setPolicies', { ...document, phase: 'narrow' }, policyAckSchema);
    narrowing.catch(() => undefined);
    await Promise.race([narrowing, sleep(narrowPatienceMs, undefined, { ref: false })]);
    await this.#resolver.call('setPolicies', document, policyAckSchema);
    const narrowed = await narrowing;
    const { cut } = (await this.#widen(narrowed)) ?? (await this.#proxy.call('setPolicies', document, policyAckSchema));
    return { cut: cut + (narrowed?.cut ?? 0) };
  }

  /** The proxy has the document already, and a long one takes its time; none when it is another proxy by now. */
  async #widen({ narrowed }: Partial<PolicyAck> = {}): Promise<PolicyAck | undefined> {
    if (narrowed === undefined) return undefined;
    return (await this.#proxy.callIfUp('widen', { narrowed }, widenAckSchema)) ?? undefined;
  }
}

function everything({ sandboxes, own }: Wanted): PolicyDocument {
  return { sandboxes: [...sandboxes.values()], others: 'drop', own: [...own], phase: 'final' };
}

async function helped<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw new OffshootError('network-setup-failed', {
      message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}`,
      hint: 'The folder gate in the state directory has what resolver and proxy said last: resolver.log and proxy.log.',
      cause,
    });
  }
}
