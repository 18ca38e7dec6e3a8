import type { Socket } from 'node:net';
import type { DenialReason, PolicyView } from '../policy/policy.ts';

export type ProxyLayer = 'tls' | 'http';

/** One listening port. Node can't read a connection's original destination, so each original port has a listener of its own. */
export interface ListenSpec {
  address: string;
  /** 0 picks a free one. */
  port: number;
  /** The port the guest meant to reach; upstream connections go to it. */
  forPort: number;
  layer: ProxyLayer;
}

export interface ProxyListener {
  readonly address: string;
  readonly port: number;
  /** Takes no more connections; those it took go on, but for idle HTTP ones. The port is free at once. */
  close(): void;
}

export interface ProxyLimits {
  /** Open at once; further ones are reset. */
  connectionsPerSandbox: number;
  /** For a whole ClientHello or request head. */
  nameDeadlineMs: number;
  /** How long a ClientHello with its record headers, or a request head, may be. */
  bytesUntilName: number;
  /** A connection on which nothing moved for this long is reset. */
  idleMs: number;
  /** For one address of a name. */
  dialTimeoutMs: number;
  /** Of one name; a guest may have one with thousands, each of which would take a socket for as long as it does not answer. */
  dialledAddresses: number;
  /** The next address is tried beside one that has not answered for this long. */
  dialStaggerMs: number;
  /** On one HTTP connection, read but not yet answered. */
  pipelinedRequests: number;
  /** Of one sandbox: memory of requests that wait for the one before them. */
  waitingBytesPerSandbox: number;
  /** Of a request or an answer; a line may have no more than a letter and a colon, and takes some 80 bytes. */
  headerLines: number;
  /** After a refusal: for the guest to read it before the reset. */
  lingerMs: number;
  /** Names with counters of their own per sandbox; further ones share a row without name. */
  usageRowsPerSandbox: number;
}

export const defaultLimits: ProxyLimits = {
  connectionsPerSandbox: 1024,
  nameDeadlineMs: 10_000,
  bytesUntilName: 64 * 1024,
  idleMs: 3_600_000,
  dialTimeoutMs: 10_000,
  dialledAddresses: 8,
  dialStaggerMs: 300,
  pipelinedRequests: 128,
  waitingBytesPerSandbox: 16 * 1024 * 1024,
  headerLines: 256,
  lingerMs: 1000,
  usageRowsPerSandbox: 1024,
};

/** Troubles that are no denial: the policy allows it, but it did not work. */
export type ProxyFailure = 'resolve' | 'dial' | 'upstream' | 'limit';

/** What became of one TLS connection or one HTTP request. */
export interface ProxyEntry {
  sandboxId: string;
  /** `audited`: let through, `enforce` would have denied it for `reason`. `cut`: was under way and is no longer allowed for `reason`. */
  outcome: 'allowed' | 'audited' | 'denied' | 'cut' | 'failed';
  reason?: DenialReason | undefined;
  failure?: ProxyFailure | undefined;
  /** As checked, or as the guest sent it, made printable, where it is no host name. */
  name?: string | undefined;
  /** Dialled, or the first one refused. */
  address?: string | undefined;
  port: number;
  layer: ProxyLayer;
  transport: 'tcp';
}

/** Counted on upstream connections since the proxy started; those still open are in it. */
export interface UsageRow {
  sandboxId: string;
  /** Absent in the row that sums up what is beyond `usageRowsPerSandbox`. */
  name?: string | undefined;
  port: number;
  /** Of connections that audit let through: why `enforce` would have denied them. */
  wouldDeny?: DenialReason | undefined;
  connections: number;
  /** To the guest. */
  bytesIn: number;
  /** From the guest. */
  bytesOut: number;
}

export interface SandboxView {
  sandboxId: string;
  view: PolicyView;
}

export interface ProxyOptions {
  /** The sandbox at this address and its policy of now; undefined: connections from there are reset at once. */
  viewOf: (sourceAddress: string) => SandboxView | undefined;
  /** Addresses of a name in the order to try. Empty or rejected: a failure, not a denial. */
  resolve: (sandboxId: string, name: string) => Promise<readonly string[]>;
  /** The address that a guest dialled, by the connection's port and the listener's as this process sees them; undefined when it can't be known. Must not reject. */
  dialledAddress: (sandboxId: string, fromPort: number, listenerPort: number) => Promise<string | undefined>;
  /** Sockets need `allowHalfOpen` and should keep little waiting, as those of `dial` in dial.ts do. The signal ends attempts no longer wanted. */
  dial: (address: string, port: number, signal: AbortSignal) => Promise<Socket>;
  /** Called for every decision. Must not throw. */
  record: (entry: ProxyEntry) => void;
  limits?: Partial<ProxyLimits> | undefined;
}

export interface Proxy {
  /** Starts one more listener. Rejects as `net.Server` does when the address is taken. */
  listen(spec: ListenSpec): Promise<ProxyListener>;
  /** To be called right after policies changed: resets what is no longer allowed before it returns, and says how many connections that were. */
  enforceAgain(): number;
  usage(): UsageRow[];
  /** Resets what a sandbox still has open and forgets its counters. */
  forget(sandboxId: string): void;
  /** Ends every listener and connection. */
  close(): Promise<void>;
}
