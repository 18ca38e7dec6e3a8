import type { NameRule, PolicyView } from '../policy/policy.ts';
import type { QueryLimits } from './limits.ts';
import type { Lookup } from './lookup.ts';
import type { DnsObservation } from './observation.ts';
import { permissionFor, type Permission } from './permission.ts';

/** What became of a sandbox's wish to know a name's addresses. */
export type NameOutcome =
  /** The policy allows the name and these addresses. */
  | { kind: 'addresses'; addresses: readonly string[]; ttlSeconds: number }
  /** No rule names it. Nothing was asked for, unless the policy changed meanwhile. */
  | { kind: 'denied' }
  /** It exists, but leads only to closed addresses: these. */
  | { kind: 'rebind'; addresses: readonly string[] }
  | { kind: 'none'; why: 'no-such-name' | 'no-data' }
  /** No server gave an answer, too much was asked for, or the sandbox is gone. */
  | { kind: 'failed' };

export interface SandboxNamesOptions {
  /** The policy of now; undefined when the sandbox is gone. */
  viewOfSandbox: (sandboxId: string) => PolicyView | undefined;
  lookup: Lookup;
  limits: QueryLimits;
  record: (observation: DnsObservation) => void;
}

/** Names as one sandbox may know them: the same for its own queries and for the proxy that connects on its behalf. */
export class SandboxNames {
  readonly #options: SandboxNamesOptions;

  constructor(options: SandboxNamesOptions) {
    this.#options = options;
  }

  /** `name` in lower case without a trailing dot. */
  async addressesOf(sandboxId: string, name: string, transport: DnsObservation['transport']): Promise<NameOutcome> {
    const { lookup, viewOfSandbox } = this.#options;
    const before = viewOfSandbox(sandboxId);
    if (before === undefined) return { kind: 'failed' };
    const permission = permissionFor(before, name);
    if (permission.kind === 'denied') return this.#denied(sandboxId, name, transport);
    const wildcard = permission.kind === 'allowed' ? permission.wildcard : undefined;
    const resolution = await lookup.addressesOf(name, () => this.#mayAsk(sandboxId, name, wildcard, transport));
    if (resolution === undefined || resolution.kind === 'failed') return { kind: 'failed' };
    // The policy may be another one by now.
    const view = viewOfSandbox(sandboxId);
    if (view === undefined) return { kind: 'failed' };
    const permissionNow = permissionFor(view, name);
    if (permissionNow.kind === 'denied') return this.#denied(sandboxId, name, transport);
    if (resolution.kind === 'none') return { kind: 'none', why: resolution.why };
    const { addresses, ttlSeconds } = resolution;
    const usable = addresses.filter((address) => view.mayUseAddress(name, address).allowed);
    const refused = addresses.find((address) => !usable.includes(address));
    const about = { sandboxId, name, transport };
    if (refused !== undefined) {
      this.#options.record({ ...about, outcome: 'denied', reason: 'rebind', address: refused });
    }
    if (usable.length === 0) return { kind: 'rebind', addresses };
    // What the proxy connects to it reports itself.
    if (transport !== 'proxy') this.#passed(about, permissionNow);
    return { kind: 'addresses', addresses: usable, ttlSeconds };
  }

  #passed(about: Pick<DnsObservation, 'sandboxId' | 'name' | 'transport'>, permission: Permission): void {
    const { record } = this.#options;
    if (permission.kind === 'audited') record({ ...about, outcome: 'would-deny', reason: 'dns-name' });
    else record({ ...about, outcome: 'allowed' });
  }

  #denied(sandboxId: string, name: string, transport: DnsObservation['transport']): NameOutcome {
    this.#options.record({ sandboxId, outcome: 'denied', reason: 'dns-name', name, transport });
    return { kind: 'denied' };
  }

  /** Names under a wildcard carry what the guest writes into them to their owner's servers: only so many new ones go. */
  #mayAsk(
    sandboxId: string,
    name: string,
    wildcard: NameRule | undefined,
    transport: DnsObservation['transport'],
  ): boolean {
    if (wildcard === undefined || this.#options.limits.admitsNewName(sandboxId, wildcard, name)) return true;
    const about = { sandboxId, name: `*.${wildcard.name}`, transport };
    this.#options.record({ ...about, outcome: 'denied', reason: 'dns-name' });
    return false;
  }
}
