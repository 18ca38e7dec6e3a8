import type { DenialReason, EgressMode } from '../../../contract/egress.ts';

export { compilePolicy } from './compile-policy.ts';

export type PolicyMode = EgressMode;
export type { DenialReason };

export interface NameRule {
  kind: 'name';
  /** A-label, lower case, without the trailing dot and without `*.`. */
  name: string;
  /** `*.name`: any depth below it, never the name itself. */
  wildcard: boolean;
  port: number | 'any';
  transport: 'tcp' | 'udp';
  /** How the port is read: 443 is tls and 80 http without a prefix; others are raw unless the rule says `tls:` or `http:`. */
  layer: 'tls' | 'http' | 'raw';
  /** The name may resolve to private addresses. */
  allowPrivate: boolean;
  /** The rule as a user would write it, normalised. */
  text: string;
}

export interface AddressRule {
  kind: 'address';
  family: 4 | 6;
  /** Canonical, no bits set behind the prefix, without brackets. */
  network: string;
  prefixLength: number;
  port: number | 'any';
  transport: 'tcp' | 'udp';
  /** The rule as a user would write it, normalised. */
  text: string;
}

export type EgressRule = NameRule | AddressRule;

export interface Policy {
  mode: PolicyMode;
  rules: readonly EgressRule[];
}

/** In audit mode it says what enforce would do: the caller lets it through and records the reason. */
export type Verdict = { allowed: true; rule?: EgressRule } | { allowed: false; reason: DenialReason };

/** A compiled policy. A lookup costs the same with 1,000 rules as with 10. Names come in any case, with or without a trailing dot. */
export interface PolicyView {
  readonly policy: Policy;
  /** Whether the resolver answers for this name; else `dns-name`. */
  mayResolve(name: string): Verdict;
  /** Whether the proxy connects to this name; else `sni` (tls), `host-header` (http), or `port` where only the port is not named. */
  mayConnect(to: { name: string; port: number; layer: 'tls' | 'http' }): Verdict;
  /** Whether what a name resolved to may be used: `rebind` for addresses that are not public, unless a rule says `private` or names the range; given a port, a rule for that port. */
  mayUseAddress(name: string | undefined, address: string, port?: number): Verdict;
  /** By address rules alone: `address`, `port`, `private-range` or `protocol`. */
  mayReach(to: { address: string; port: number; transport: 'tcp' | 'udp' }): Verdict;
  /** The ports of the rules that name this name and that no listener of the proxy takes, for pins. */
  rawPorts(name: string): readonly { port: number | 'any'; transport: 'tcp' | 'udp' }[];
}

export interface HostAddresses {
  /** Addresses and networks of the host, of sandboxes and of the daemon. */
  own: readonly string[];
}
