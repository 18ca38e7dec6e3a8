import type { Buffer } from 'node:buffer';
import type { PolicyView } from '../policy/policy.ts';
import { AnswerCache, type CacheLimits } from './answer-cache.ts';
import { GuestAnswers } from './guest-answers.ts';
import { QueryLimits } from './limits.ts';
import { Lookup, type UpstreamServers } from './lookup.ts';
import type { DnsObservation } from './observation.ts';
import { PinTable, type PinSink } from './pin-table.ts';
import { parseGuestQuery } from './query.ts';
import { bareReply, buildReply, serverFailure, type GuestTransport } from './reply.ts';
import { SandboxNames, type NameOutcome } from './sandbox-names.ts';
import { isPlainName } from './wire.ts';

const defaultCache: CacheLimits = { entries: 20_000, bytes: 8 * 1024 * 1024 };

export interface SandboxView {
  sandboxId: string;
  view: PolicyView;
}

export interface ResolverOptions {
  /** The sandbox at this address and its policy of now; undefined: nothing is answered there. */
  viewOf: (sourceAddress: string) => SandboxView | undefined;
  /** The policy of now; undefined when the sandbox is gone. */
  viewOfSandbox: (sandboxId: string) => PolicyView | undefined;
  upstream: UpstreamServers;
  pins: PinSink;
  /** Called for every decision. Must not throw. */
  record: (observation: DnsObservation) => void;
  /** Called when a guest is told addresses of a name. Must not throw. */
  answered?: (sandboxId: string, name: string, addresses: readonly string[]) => void;
  /** Monotonic milliseconds. */
  now: () => number;
  cache?: CacheLimits;
}

export interface Resolver {
  /** The answer to one message from a guest; undefined: none is sent. Pins that the answer needs are in force when it resolves. Never rejects. */
  answerQuery(sourceAddress: string, transport: GuestTransport, query: Buffer): Promise<Buffer | undefined>;
  /** Addresses that the proxy may dial for the sandbox under this name; none when it is denied, leads to closed addresses only, or is not known. Never rejects. */
  resolveForProxy(sandboxId: string, name: string): Promise<string[]>;
  /** The same, with what came of it. */
  resolveName(sandboxId: string, name: string): Promise<NameOutcome>;
  /** To be called once `viewOf` and `viewOfSandbox` give the new policy: resolves when no pin is open that it does not support. Rejects when one could not be closed; calling again tries again. */
  policyChanged(sandboxId: string): Promise<void>;
  /** For a sandbox that is gone. */
  forget(sandboxId: string): void;
  readonly pins: PinTable;
}

/** DNS for sandboxes, each by its own policy. Has no sockets of its own but those that ask the host's servers. */
export function createResolver(options: ResolverOptions): Resolver {
  const { viewOf, viewOfSandbox, upstream, record, now } = options;
  const limits = new QueryLimits(now);
  const pins = new PinTable(options.pins, now);
  const lookup = new Lookup({ upstream, cache: new AnswerCache(now, options.cache ?? defaultCache), now });
  const names = new SandboxNames({ viewOfSandbox, lookup, limits, record });
  const answered = options.answered ?? (() => undefined);
  const answers = new GuestAnswers({ viewOfSandbox, names, lookup, pins, record, answered });

  /** What `work` gives, unless the sandbox asks for too much or it fails. */
  async function admitted<T>(sandboxId: string, work: () => Promise<T>): Promise<T | undefined> {
    if (!limits.admitsQuery(sandboxId) || !limits.inFlight.enter(sandboxId)) return undefined;
    try {
      return await work();
    } catch {
      // A pin that could not be made: better no answer than one that leads nowhere.
      return undefined;
    } finally {
      limits.inFlight.leave(sandboxId);
    }
  }

  const resolver: Resolver = {
    async answerQuery(sourceAddress, transport, bytes) {
      const sandbox = viewOf(sourceAddress);
      const parsed = parseGuestQuery(bytes);
      if (sandbox === undefined || parsed.kind === 'ignore') return undefined;
      if (parsed.kind === 'reject') {
        const { query, rcode } = parsed;
        return query === undefined ? bareReply(parsed, rcode) : buildReply(query, { rcode }, transport);
      }
      const { query } = parsed;
      const reply = await admitted(sandbox.sandboxId, () => answers.to(sandbox, query, transport));
      return buildReply(query, reply ?? serverFailure, transport);
    },
    async resolveForProxy(sandboxId, name) {
      const outcome = await resolver.resolveName(sandboxId, name);
      return outcome.kind === 'addresses' ? [...outcome.addresses] : [];
    },
    async resolveName(sandboxId, name) {
      const plain = name.toLowerCase().replace(/\.$/, '');
      if (!isPlainName(plain)) return { kind: 'denied' };
      const work = () => names.addressesOf(sandboxId, plain, 'proxy');
      return (await admitted(sandboxId, work)) ?? { kind: 'failed' };
    },
    async policyChanged(sandboxId) {
      const view = viewOfSandbox(sandboxId);
      if (view !== undefined) await pins.retain(sandboxId, view);
    },
    forget(sandboxId) {
      limits.forget(sandboxId);
      pins.forget(sandboxId);
    },
    pins,
  };
  return resolver;
}
