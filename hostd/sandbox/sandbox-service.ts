import type { EgressPolicyInfo, EgressPolicyRequest, EgressReport } from '../contract/egress.ts';
import type { ForkResult, ForkSandbox } from '../contract/fork.ts';
import type { CreateSandbox, SandboxInfo } from '../contract/sandbox.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { Creation } from './creation.ts';
import type { HostContext } from './host-context.ts';
import type { Egress } from './egress/egress.ts';
import type { EgressReports } from './egress/egress-reports.ts';
import type { Forks } from './fork/forks.ts';
import type { CreateOptions, ForkOptions, SandboxService } from './host.ts';
import type { Idempotency, IdempotencyKey } from './idempotency.ts';
import { newSandboxId, requestHash } from './ids.ts';
import type { Leases } from './leases.ts';
import type { Pauser } from './pause/pauser.ts';
import type { Retention } from './retention.ts';
import { sandboxInfo } from './sandbox-view.ts';
import { goneError, type Teardown } from './teardown.ts';

/** The newest tombstones that `list` shows. */
const listedTombstones = 1000;

export interface SandboxServiceParts {
  host: HostContext;
  creation: Creation;
  teardown: Teardown;
  idempotency: Idempotency;
  leases: Leases;
  retention: Retention;
  pauser: Pauser;
  forks: Forks;
  egress: Egress;
  egressReports: EgressReports;
}

export class LocalSandboxes implements SandboxService {
  readonly #host: HostContext;
  readonly #parts: SandboxServiceParts;
  /** Creates under way, by id. */
  readonly #creating = new Map<string, { specHash: string; done: Promise<void> }>();

  constructor(parts: SandboxServiceParts) {
    this.#host = parts.host;
    this.#parts = parts;
  }

  async create(
    request: CreateSandbox,
    options: CreateOptions = {},
  ): Promise<{ sandbox: SandboxInfo; created: boolean }> {
    if (this.#host.stopping) throw new OffshootError('shutting-down');
    const { idempotencyKey: key, signal } = options;
    if (key === undefined) return this.#createById(request, signal, undefined);
    const keyed = { key, requestHash: requestHash(this.#host.store.hashKey, request) };
    let created = false;
    const { answer } = await this.#parts.idempotency.run(keyed, signal, async () => {
      const made = await this.#createById(request, signal, keyed);
      created = made.created;
      return made.sandbox.id;
    });
    return { sandbox: await this.get(answer), created };
  }

  async get(id: string): Promise<SandboxInfo> {
    return Promise.resolve(this.#info(id));
  }

  async list(filter: { labels: Record<string, string>; all: boolean }): Promise<SandboxInfo[]> {
    const { registry, store, clock } = this.#host;
    const live = registry.live.map((sandbox) => sandboxInfo(sandbox.row, clock, sandbox));
    const gone = filter.all ? store.sandboxes.gone(listedTombstones).map((row) => sandboxInfo(row, clock)) : [];
    const wanted = Object.entries(filter.labels);
    const matches = ({ labels }: SandboxInfo) => wanted.every(([name, value]) => labels[name] === value);
    return Promise.resolve([...live, ...gone].filter(matches));
  }

  async renew(id: string, timeoutSeconds: number, shorten: boolean): Promise<SandboxInfo> {
    this.#parts.leases.renew(this.#host.registry.standing(id), timeoutSeconds, shorten);
    return this.get(id);
  }

  async stop(id: string): Promise<SandboxInfo> {
    const sandbox = this.#host.registry.find(id);
    if (sandbox === undefined) {
      await this.#creating.get(id)?.done.catch(() => undefined); // between request and row
      if (this.#host.registry.find(id) !== undefined) return this.stop(id);
      return this.get(id);
    }
    const ending = { reason: 'stopped', message: 'Stopped by request.' } as const;
    if (sandbox.row.state === 'queued' || sandbox.row.state === 'creating') {
      sandbox.ending.abort(goneError(id, ending));
      await sandbox.creation?.catch(() => undefined);
    }
    if (sandbox.row.state !== 'gone') await this.#parts.teardown.end(sandbox, ending);
    return this.get(id);
  }

  async pause(id: string, hibernateAfterSeconds?: number): Promise<SandboxInfo> {
    await this.#parts.pauser.pause(id, hibernateAfterSeconds);
    return this.get(id);
  }

  async resume(id: string): Promise<SandboxInfo> {
    await this.#parts.pauser.resume(id);
    return this.get(id);
  }

  async fork(id: string, request: ForkSandbox, options: ForkOptions = {}): Promise<ForkResult> {
    return this.#parts.forks.fork(id, request, options.idempotencyKey);
  }

  async cancelFork(forkId: string): Promise<void> {
    await this.#parts.forks.cancel(forkId);
  }

  async setEgress(id: string, policy: EgressPolicyRequest): Promise<EgressPolicyInfo> {
    await this.#parts.egress.set(id, policy);
    return (await this.get(id)).egress;
  }

  async egressReport(id: string): Promise<EgressReport> {
    return this.#parts.egressReports.report(this.#host.registry.row(id));
  }

  async console(id: string): Promise<string> {
    const row = this.#host.registry.row(id);
    const vm = this.#host.registry.find(id)?.vm;
    return vm === undefined ? row.consoleTail : vm.consoleTail();
  }

  async #createById(
    request: CreateSandbox,
    signal: AbortSignal | undefined,
    keyed: IdempotencyKey | undefined,
  ): Promise<{ sandbox: SandboxInfo; created: boolean }> {
    const { id: chosenId, waitSeconds: _waitSeconds, ...spec } = request;
    const id = chosenId ?? newSandboxId();
    const specHash = requestHash(this.#host.store.hashKey, spec);
    for (let taken = this.#taken(id); taken !== undefined; taken = this.#taken(id)) {
      if (taken.specHash !== specHash) {
        throw new OffshootError('sandbox-id-taken', {
          message: `The sandbox ${id} was asked for with other parameters.`,
          details: { sandboxId: id },
        });
      }
      await taken.done;
      if (!taken.failed) return { sandbox: this.#info(id), created: false };
      await this.#parts.retention.remove(id);
    }
    const done = this.#parts.creation.run({ id, request, specHash, keyed, signal });
    this.#creating.set(id, { specHash, done });
    try {
      await done;
    } finally {
      this.#creating.delete(id);
    }
    this.#parts.leases.changed();
    return { sandbox: this.#info(id), created: true };
  }

  /** Who has the id: one being made, one that is there, or a tombstone. One whose create failed may be made again. */
  #taken(id: string): { specHash: string; done?: Promise<void>; failed: boolean } | undefined {
    const making = this.#creating.get(id);
    if (making !== undefined) return { ...making, failed: false };
    const row = this.#host.registry.find(id)?.row ?? this.#host.store.sandboxes.get(id);
    if (row === undefined) return undefined;
    return { specHash: row.specHash, failed: row.state === 'gone' && row.endReason === 'create-failed' };
  }

  #info(id: string): SandboxInfo {
    const sandbox = this.#host.registry.find(id);
    return sandboxInfo(sandbox?.row ?? this.#host.registry.row(id), this.#host.clock, sandbox);
  }
}
