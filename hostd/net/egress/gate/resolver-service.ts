import { systemClock } from '../../../platform/clock.ts';
import { openDnsListener, type DnsListener } from '../../dns/listener.ts';
import type { UpstreamServers } from '../dns/lookup.ts';
import type { DnsObservation } from '../dns/observation.ts';
import type { Pin, PinDocument } from '../dns/pin-document.ts';
import { isPinnable } from '../dns/pin-table.ts';
import { createResolver, type Resolver } from '../dns/resolver.ts';
import { hostResolver } from '../../dns/forwarder.ts';
import type { PolicyView } from '../policy/policy.ts';
import { operation } from './control-server.ts';
import { namesSocket, pinsFile } from './helper-files.ts';
import { DialledAddresses } from './dialled-addresses.ts';
import { InTurn } from './in-turn.ts';
import {
  dnsListenSchema,
  policyDocumentSchema,
  reportRequestSchema,
  restorePinsSchema,
  sandboxRequestSchema,
  type DnsListen,
  type PolicyAck,
  type PolicyDocument,
} from './messages.ts';
import { openNamesServer } from './names-server.ts';
import type { LivingPin, OpenPinWriter, PinWriter } from './pin-writer.ts';
import { PolicyTable, type PolicyEntry } from './policy-table.ts';
import { RememberedPins } from './remembered-pins.ts';
import { ReportLog } from './report-log.ts';
import type { HelperService } from './run-helper.ts';
import { ToldAnswers } from './told-answers.ts';

const renewPinsMs = 20_000;
const savePinsMs = 5000;

/** Names, pins and their policies, for the guests over DNS and for the proxy over a socket of its own in this folder. */
export async function openResolverService(folder: string, openWriter: OpenPinWriter): Promise<HelperService> {
  const service = new ResolverService(folder, openWriter);
  await service.open();
  return service;
}

class ResolverService implements HelperService {
  readonly #folder: string;
  readonly #writer: PinWriter;
  readonly #dialled: DialledAddresses;
  readonly #table = new PolicyTable();
  readonly #report = new ReportLog(() => systemClock.wallMs());
  readonly #resolver: Resolver;
  readonly #turn = new InTurn();
  readonly #closers: (() => unknown)[] = [];
  /** Not yet in the table. */
  #arriving = new Map<string, PolicyEntry>();
  readonly #told = new ToldAnswers();
  readonly #remembered: RememberedPins;
  #dns: { spec: string; listener: DnsListener } | undefined;
  #upstream: UpstreamServers | undefined;

  constructor(folder: string, openWriter: OpenPinWriter) {
    this.#folder = folder;
    this.#remembered = new RememberedPins(pinsFile(folder));
    this.#writer = openWriter((sandboxId) => (this.#table.of(sandboxId) ?? this.#arriving.get(sandboxId))?.netnsPath);
    this.#dialled = new DialledAddresses((sandboxId) => this.#writer.flows(sandboxId));
    this.#resolver = createResolver({
      viewOf: (address) => this.#table.atSource(address),
      viewOfSandbox: (sandboxId) => this.#table.of(sandboxId)?.view,
      upstream: { resolve: (query, exchange) => this.#servers().resolve(query, exchange) },
      pins: this.#writer,
      record: (observation) => {
        this.#record(observation);
      },
      answered: (sandboxId, name, addresses) => {
        for (const address of addresses) this.#answered(sandboxId, name, address);
      },
      now: () => systemClock.monotonicMs(),
    });
  }

  async open(): Promise<void> {
    await this.#remembered.load();
    const names = await openNamesServer(namesSocket(this.#folder), async (request) => {
      if ('fromPort' in request) {
        return this.#table.of(request.sandboxId) === undefined ? [] : this.#dialled.addresses(request);
      }
      const outcome = await this.#resolver.resolveName(request.sandboxId, request.name);
      // Closed addresses, too: the proxy refuses them, and says so to the guest and in the report.
      return outcome.kind === 'addresses' || outcome.kind === 'rebind' ? outcome.addresses : [];
    });
    const timers = [
      setInterval(() => void this.#resolver.pins.renewInUse().catch(complain), renewPinsMs),
      setInterval(() => void this.#save().catch(complain), savePinsMs),
    ];
    this.#closers.push(
      () => {
        for (const timer of timers) clearInterval(timer);
      },
      () => names.close(),
    );
  }

  readonly operations = {
    setPolicies: operation(policyDocumentSchema, (document) => this.#turn.do(() => this.#setPolicies(document))),
    dropSandbox: operation(sandboxRequestSchema, ({ sandboxId }) => this.#turn.do(() => this.#drop(sandboxId))),
    pins: operation(sandboxRequestSchema, ({ sandboxId }) => this.#resolver.pins.documentOf(sandboxId)),
    restorePins: operation(restorePinsSchema, ({ sandboxId, document }) => this.#restore(sandboxId, document)),
    rewritePins: operation(sandboxRequestSchema, ({ sandboxId }) => this.#rewrite(sandboxId)),
    listen: operation(dnsListenSchema, (spec) => this.#turn.do(() => this.#listen(spec))),
    report: operation(reportRequestSchema, ({ since, limit }) => this.#report.page(since, limit)),
  };

  health() {
    const { epoch, size: reportRows } = this.#report;
    return { epoch, sandboxes: this.#table.size, listeners: this.#dns === undefined ? 0 : 1, reportRows };
  }

  async close(): Promise<void> {
    await this.#dns?.listener.close();
    for (const close of this.#closers) await close();
    await this.#save().catch(complain);
  }

  async #setPolicies(document: PolicyDocument): Promise<PolicyAck> {
    const prepared = this.#table.prepare(document);
    // Before its names are answered: what an earlier resolver opened for it, and this one does not know of.
    this.#arriving = new Map(prepared.added.map((entry) => [entry.sandboxId, entry]));
    // One that hostd adds to the others is new, and nothing is open for it.
    if (document.others === 'drop') for (const entry of prepared.added) await this.#takeOver(entry);
    this.#table.commit(prepared);
    for (const sandboxId of prepared.dropped) this.#forget(sandboxId);
    for (const { sandboxId, view } of prepared.added) {
      const document = this.#remembered.take(sandboxId);
      if (document !== undefined) await this.#resolver.pins.restore(sandboxId, document, view);
    }
    // Every one, also when one fails: the names of all are decided by the new policies already.
    const closed = await Promise.allSettled(
      prepared.changed.map(({ sandboxId }) => this.#resolver.policyChanged(sandboxId)),
    );
    const failure = closed.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw new Error(`pins could not be closed: ${String(failure.reason)}`);
    return { revisions: this.#table.revisions(document.sandboxes.map(({ sandboxId }) => sandboxId)), cut: 0 };
  }

  async #takeOver({ sandboxId, view }: PolicyEntry): Promise<void> {
    const { pins } = this.#remembered.of(sandboxId) ?? { pins: [] };
    const supported = pins.filter((pin) => isNamed(view, pin) && isPinnable(view, pin));
    await this.#writer.replaceAll(sandboxId, supported.map(living));
  }

  async #rewrite(sandboxId: string): Promise<void> {
    await this.#writer.replaceAll(sandboxId, this.#resolver.pins.documentOf(sandboxId).pins.map(living));
  }

  async #restore(sandboxId: string, document: PinDocument): Promise<void> {
    const entry = this.#table.of(sandboxId);
    if (entry === undefined) throw new Error(`no sandbox ${sandboxId}`);
    await this.#resolver.pins.restore(sandboxId, document, entry.view);
  }

  async #drop(sandboxId: string): Promise<void> {
    this.#table.drop(sandboxId);
    this.#forget(sandboxId);
    await this.#writer.idle(sandboxId);
  }

  #forget(sandboxId: string): void {
    this.#told.forget(sandboxId);
    this.#dialled.forget(sandboxId);
    this.#resolver.forget(sandboxId);
    this.#report.drop(sandboxId);
  }

  async #listen(spec: DnsListen): Promise<void> {
    const text = JSON.stringify(spec);
    if (this.#dns?.spec === text) return;
    const { address, port, resolvConf, upstreams } = spec;
    await this.#dns?.listener.close();
    this.#dns = undefined;
    const servers = { address, port, resolvConf, ...(upstreams === undefined ? {} : { upstreams }) };
    this.#upstream = hostResolver(servers, systemClock);
    const answer = this.#resolver.answerQuery.bind(this.#resolver);
    this.#dns = { spec: text, listener: await openDnsListener({ address, port, answer }) };
  }

  #servers(): UpstreamServers {
    if (this.#upstream === undefined) throw new Error('no one said yet which servers to ask');
    return this.#upstream;
  }

  #record({ sandboxId, outcome, reason, name, address, transport }: DnsObservation): void {
    // The proxy records what it refuses; where a name leads elsewhere, too, nothing was refused.
    if (transport === 'proxy' && reason === 'rebind') return;
    this.#report.count({ sandboxId, outcome, reason, name, address, transport });
  }

  /** For the packet filter's counts, which know addresses alone. */
  #answered(sandboxId: string, name: string, address: string): void {
    // It may be gone since its pins began to be written: nobody would forget it a second time.
    if (this.#table.of(sandboxId) === undefined || !this.#told.isNew(sandboxId, name, address)) return;
    this.#report.count({ sandboxId, outcome: 'answered', name, address, transport: 'udp' });
  }

  #save(): Promise<void> {
    return this.#remembered.save(this.#table.sandboxIds(), (sandboxId) => this.#resolver.pins.documentOf(sandboxId));
  }
}

function living({ remainingMs: lifetimeMs, ...pin }: PinDocument['pins'][number]): LivingPin {
  return { pin, lifetimeMs };
}

function isNamed(view: PolicyView, pin: Pin): boolean {
  return view.rawPorts(pin.name).some(({ port, transport }) => port === pin.port && transport === pin.transport);
}

function complain(error: unknown): void {
  console.error(String(error));
}
