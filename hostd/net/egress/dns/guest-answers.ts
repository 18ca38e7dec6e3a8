import type { PolicyView } from '../policy/policy.ts';
import type { Lookup } from './lookup.ts';
import type { DnsObservation } from './observation.ts';
import { passedOn } from './passed-on.ts';
import { passesData, permissionFor, type Permission } from './permission.ts';
import { isPinnable, type PinTable } from './pin-table.ts';
import { isInfrastructureName, judgedName, treatmentOf } from './query-types.ts';
import type { GuestQuery } from './query.ts';
import { addressRecords, noData, noSuchName, serverFailure, type GuestTransport, type Reply } from './reply.ts';
import type { SandboxNames } from './sandbox-names.ts';
import { rcodes, types } from './wire.ts';

/** For one answer. A name with more addresses than can be pinned on all its ports is answered with the first ones. */
const maxPinsPerAnswer = 1024;
const localhostTtlSeconds = 3600;

export interface GuestAnswersOptions {
  viewOfSandbox: (sandboxId: string) => PolicyView | undefined;
  names: SandboxNames;
  lookup: Lookup;
  pins: PinTable;
  record: (observation: DnsObservation) => void;
  /** The guest is told these addresses of the name. */
  answered: (sandboxId: string, name: string, addresses: readonly string[]) => void;
}

interface Asked {
  sandboxId: string;
  view: PolicyView;
  query: GuestQuery;
  name: string;
  transport: GuestTransport;
}

/** What a guest's well-formed query is answered with. */
export class GuestAnswers {
  readonly #options: GuestAnswersOptions;

  constructor(options: GuestAnswersOptions) {
    this.#options = options;
  }

  /** Rejects when a pin can't be made. */
  async to(
    { sandboxId, view }: { sandboxId: string; view: PolicyView },
    query: GuestQuery,
    transport: GuestTransport,
  ): Promise<Reply> {
    const { name } = query;
    if (query.isRoot) return noData;
    if (name === undefined) {
      const about = { sandboxId, name: query.printable, transport };
      this.#options.record({ ...about, outcome: 'denied', reason: 'dns-name' });
      return noSuchName;
    }
    const asked: Asked = { sandboxId, view, query, name, transport };
    // RFC 6761 section 6.3: it never leaves the machine that asks.
    if ((name === 'localhost' || name.endsWith('.localhost')) && view.policy.mode !== 'none') return localhost(query);
    return query.type === types.a ? this.#addresses(asked) : this.#otherData(asked);
  }

  async #addresses({ sandboxId, name, transport }: Asked): Promise<Reply> {
    const outcome = await this.#options.names.addressesOf(sandboxId, name, transport);
    if (outcome.kind === 'failed') return serverFailure;
    if (outcome.kind === 'none' && outcome.why === 'no-data') return noData;
    if (outcome.kind !== 'addresses') return noSuchName;
    const { ttlSeconds } = outcome;
    // Pins by the policy of this very moment: a change closes only those that are there.
    const view = this.#options.viewOfSandbox(sandboxId);
    if (view === undefined) return serverFailure;
    const ports = view.rawPorts(name);
    const addresses = outcome.addresses.slice(0, Math.max(1, Math.floor(maxPinsPerAnswer / Math.max(1, ports.length))));
    const pins = addresses
      .flatMap((address) => ports.map(({ port, transport: over }) => ({ address, port, transport: over, name })))
      .filter((pin) => isPinnable(view, pin));
    await this.#options.pins.pin(sandboxId, pins, ttlSeconds * 1000);
    this.#options.answered(sandboxId, name, addresses);
    return { rcode: rcodes.noError, answers: addressRecords(addresses, ttlSeconds) };
  }

  async #otherData(asked: Asked): Promise<Reply> {
    const { view, query, name } = asked;
    const permission = permissionFor(view, judgedName(name, query.type));
    if (permission.kind === 'denied') {
      if (!isInfrastructureName(name)) this.#record(asked, 'denied', 'dns-name');
      return noSuchName;
    }
    const treatment = treatmentOf(query.type);
    if (treatment === 'absent') return noData;
    if (treatment === 'transfer' || treatment === 'unsupported') {
      this.#record(asked, 'denied', 'protocol');
      return { rcode: treatment === 'transfer' ? rcodes.refused : rcodes.notImplemented };
    }
    if (passesData(view)) return this.#passOn(asked, permission);
    if (treatment === 'payload') this.#record(asked, 'denied', 'protocol');
    return noData;
  }

  /** Other data than addresses, where no list is in force. A list would not let it through: that is recorded when there was some. */
  async #passOn(asked: Asked, permission: Permission): Promise<Reply> {
    const { sandboxId, query, name } = asked;
    const reply = passedOn(query, await this.#options.lookup.rawAnswer(name, query.type));
    const viewNow = this.#options.viewOfSandbox(sandboxId);
    if (viewNow === undefined || !passesData(viewNow)) return serverFailure;
    const hasData = (reply.answers ?? []).length > 0;
    if (!hasData || isInfrastructureName(name) || viewNow.policy.mode === 'open') return reply;
    this.#record(asked, 'would-deny', permission.kind === 'audited' ? 'dns-name' : 'protocol');
    return reply;
  }

  #record(
    { sandboxId, name, transport }: Asked,
    outcome: 'denied' | 'would-deny',
    reason: 'dns-name' | 'protocol',
  ): void {
    this.#options.record({ sandboxId, name, transport, outcome, reason });
  }
}

function localhost(query: GuestQuery): Reply {
  if (query.type !== types.a) return noData;
  return { rcode: rcodes.noError, answers: addressRecords(['127.0.0.1'], localhostTtlSeconds) };
}
