import { InFlight } from '../../dns/in-flight.ts';
import type { NameRule } from '../policy/policy.ts';

export const queriesPerSecond = 500;
export const queriesInFlight = 64;
const queriesInFlightOfAll = 1024;
/** In front of a wildcard's domain. A storage bucket's name (63) with its service and region fits; a message in pieces needs many. */
export const maxWildcardBytes = 120;
export const maxWildcardLabels = 8;
/** Different names under one wildcard that a sandbox may have asked of its owner's servers: this many at once, then one a second. */
export const newNamesAtOnce = 100;
export const newNamesPerSecond = 1;
/** Asked before, so asking again tells the owner of the domain little. */
const maxKnownNames = 256;

/** Whether a name is short enough in front of its wildcard's domain to be a host's and no message. */
export function fitsWildcard(rule: NameRule, name: string): boolean {
  const front = name.slice(0, -(rule.name.length + 1));
  return front.length <= maxWildcardBytes && front.split('.').length <= maxWildcardLabels;
}

/** So much at once, and then so much a second. */
export class TokenBucket {
  readonly #now: () => number;
  readonly #capacity: number;
  readonly #perSecond: number;
  #tokens: number;
  #filledMs: number;

  constructor(now: () => number, capacity: number, perSecond: number) {
    this.#now = now;
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#tokens = capacity;
    this.#filledMs = now();
  }

  take(): boolean {
    const nowMs = this.#now();
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((nowMs - this.#filledMs) / 1000) * this.#perSecond);
    this.#filledMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

interface WildcardUse {
  bucket: TokenBucket;
  known: Set<string>;
}

interface SandboxUse {
  queries: TokenBucket;
  wildcards: Map<string, WildcardUse>;
}

/** What one sandbox may ask, so that it can't take the resolver from others, nor send much through the names it asks for. */
export class QueryLimits {
  readonly #now: () => number;
  readonly #sandboxes = new Map<string, SandboxUse>();
  /** Queries being answered. */
  readonly inFlight = new InFlight(queriesInFlight, queriesInFlightOfAll);

  constructor(now: () => number) {
    this.#now = now;
  }

  admitsQuery(sandboxId: string): boolean {
    return this.#useOf(sandboxId).queries.take();
  }

  /** Called when a name that only a wildcard allows would be asked of its owner's servers. */
  admitsNewName(sandboxId: string, rule: NameRule, name: string): boolean {
    const { bucket, known } = this.#wildcardOf(sandboxId, rule);
    if (known.delete(name)) {
      known.add(name);
      return true;
    }
    if (!bucket.take()) return false;
    known.add(name);
    if (known.size > maxKnownNames) known.delete(known.values().next().value ?? name);
    return true;
  }

  /** For a sandbox that is gone. */
  forget(sandboxId: string): void {
    this.#sandboxes.delete(sandboxId);
  }

  #useOf(sandboxId: string): SandboxUse {
    const use = this.#sandboxes.get(sandboxId) ?? {
      queries: new TokenBucket(this.#now, queriesPerSecond, queriesPerSecond),
      wildcards: new Map<string, WildcardUse>(),
    };
    this.#sandboxes.set(sandboxId, use);
    return use;
  }

  #wildcardOf(sandboxId: string, rule: NameRule): WildcardUse {
    const { wildcards } = this.#useOf(sandboxId);
    const use = wildcards.get(rule.name) ?? {
      bucket: new TokenBucket(this.#now, newNamesAtOnce, newNamesPerSecond),
      known: new Set<string>(),
    };
    wildcards.set(rule.name, use);
    return use;
  }
}
