import type { Buffer } from 'node:buffer';
import { compilePolicy, type Policy, type PolicyMode, type PolicyView } from '../../policy/policy.ts';
import type { NameRule } from '../../policy/policy.ts';
import type { UpstreamServers } from '../lookup.ts';
import type { DnsObservation } from '../observation.ts';
import type { Pin } from '../pin-document.ts';
import type { PinSink } from '../pin-table.ts';
import { createResolver, type Resolver } from '../resolver.ts';
import { plainName, readName } from '../wire.ts';
import { guestQuery, readReply, type QueryParts, type ReadReply } from './guest-message.ts';
import { zoneAnswer, type Zone } from './zone-server.ts';

/** `host`, `*.domain`, with `:port` (443), ` private` after it and `udp:` in front. */
export function nameRule(text: string): NameRule {
  const match = /^(udp:)?(\*\.)?([^: ]+)(?::(\d+|\*))?( private)?$/.exec(text);
  if (match?.[3] === undefined) throw new Error(`no rule: ${text}`);
  const port = match[4] === '*' ? 'any' : Number(match[4] ?? 443);
  return {
    kind: 'name',
    name: match[3],
    wildcard: match[2] !== undefined,
    port,
    transport: match[1] === undefined ? 'tcp' : 'udp',
    layer: port === 443 ? 'tls' : port === 80 ? 'http' : 'raw',
    allowPrivate: match[5] !== undefined,
    text,
  };
}

export function policyOf(mode: PolicyMode, ...rules: string[]): Policy {
  return { mode, rules: rules.map(nameRule) };
}

export const guestAddress = '10.83.0.2';
export const sandboxId = 'sbx_one';

/** A pin sink that remembers. */
export class RecordingSink implements PinSink {
  readonly open = new Map<string, number>();
  readonly log: string[] = [];
  used: readonly Pin[] = [];
  /** Awaited by each addition. */
  delay: () => Promise<void> = () => Promise.resolve();
  failing = false;

  async add(sandbox: string, pin: Pin, lifetimeMs: number): Promise<void> {
    await this.delay();
    if (this.failing) throw new Error('no such set');
    this.log.push(`+ ${describe(sandbox, pin)}`);
    this.open.set(describe(sandbox, pin), lifetimeMs);
  }

  async remove(sandbox: string, pin: Pin): Promise<void> {
    if (this.failing) throw new Error('no such set');
    await Promise.resolve();
    this.log.push(`- ${describe(sandbox, pin)}`);
    this.open.delete(describe(sandbox, pin));
  }

  async inUse(_sandbox: string, pins: readonly Pin[]): Promise<readonly Pin[]> {
    await Promise.resolve();
    const used = this.used.map((pin) => describe('', pin));
    // Copies, as from another process.
    return pins.filter((pin) => used.includes(describe('', pin))).map((pin) => ({ ...pin }));
  }
}

export function describe(sandbox: string, { address, port, transport }: Pin): string {
  return `${sandbox} ${transport} ${address} ${String(port)}`.trim();
}

export interface ResolverLab {
  resolver: Resolver;
  sink: RecordingSink;
  observed: DnsObservation[];
  /** Names that servers were asked for, in order. */
  asked: string[];
  /** Milliseconds; moved by tests. */
  clock: { ms: number };
  setPolicy(policy: Policy): void;
  ask(parts: QueryParts | string, transport?: 'udp' | 'tcp'): Promise<ReadReply>;
}

export interface LabOptions {
  zone?: Zone;
  upstream?: UpstreamServers;
  policy?: Policy;
}

/** One sandbox and its resolver; servers that answer from a zone without sockets, unless others are given. */
export function resolverLab(options: LabOptions): ResolverLab {
  const asked: string[] = [];
  const observed: DnsObservation[] = [];
  const clock = { ms: 1_000_000 };
  const sink = new RecordingSink();
  let view: PolicyView = compilePolicy(options.policy ?? policyOf('enforce'), { own: [] });
  const fromZone: UpstreamServers = {
    resolve: (query) => {
      const name = readName(query.bytes, 12, 'refuse');
      asked.push(plainName(name?.labels ?? []) ?? '?');
      return Promise.resolve(zoneAnswer(query.bytes, options.zone ?? {}, 'udp'));
    },
  };
  const resolver = createResolver({
    viewOf: (address) => (address === guestAddress ? { sandboxId, view } : undefined),
    viewOfSandbox: (id) => (id === sandboxId ? view : undefined),
    upstream: options.upstream ?? fromZone,
    pins: sink,
    record: (observation) => observed.push(observation),
    now: () => clock.ms,
  });
  return {
    resolver,
    sink,
    observed,
    asked,
    clock,
    setPolicy: (policy) => {
      view = compilePolicy(policy, { own: [] });
    },
    ask: async (parts, transport = 'udp') => {
      const query: Buffer = guestQuery(typeof parts === 'string' ? { name: parts } : parts);
      return readReply(await resolver.answerQuery(guestAddress, transport, query));
    },
  };
}
