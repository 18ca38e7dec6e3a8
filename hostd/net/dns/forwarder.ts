import type { Buffer } from 'node:buffer';
import { systemClock, type Clock } from '../../platform/clock.ts';
import type { Upstream } from '../config.ts';
import { exchangeOverTcp, exchangeOverUdp } from './exchange.ts';
import { InFlight } from './in-flight.ts';
import { openDnsListener, type DnsListener, type DnsTransport } from './listener.ts';
import { failureResponse, parseQuery, rcodes } from './message.ts';
import { ResolvConf } from './resolv-conf.ts';
import { UpstreamResolver } from './resolver.ts';

const queriesPerClient = 64;
const queriesInAll = 1024;

export interface DnsForwarderOptions {
  address: string;
  port: number;
  resolvConf: string;
  /** Asked instead of the servers in resolvConf. */
  upstreams?: readonly Upstream[];
}

export type DnsForwarder = DnsListener;

/** Answers DNS on this address by asking the host's own servers, over UDP what came by UDP and over TCP what came by TCP. Throws `network-setup-failed` when the port is taken. */
export async function openDnsForwarder(options: DnsForwarderOptions): Promise<DnsForwarder> {
  const resolver = hostResolver(options, systemClock);
  const queries = new InFlight(queriesPerClient, queriesInAll);
  const answer = async (client: string, transport: DnsTransport, bytes: Buffer): Promise<Buffer | undefined> => {
    const query = parseQuery(bytes);
    if (query === undefined) return undefined;
    if (!queries.enter(client)) return failureResponse(query, rcodes.serverFailure);
    try {
      return await resolver.resolve(query, transport === 'udp' ? exchangeOverUdp : exchangeOverTcp);
    } finally {
      queries.leave(client);
    }
  };
  return openDnsListener({ address: options.address, port: options.port, answer });
}

/** Asks the servers of resolv.conf, or those configured instead of them, but never the address it is asked on: that would go round for ever. */
export function hostResolver(options: DnsForwarderOptions, clock: Clock): UpstreamResolver {
  const resolvConf = new ResolvConf(options.resolvConf, clock);
  return new UpstreamResolver(async () => {
    const servers = options.upstreams ?? (await resolvConf.current());
    return servers.filter((one) => one.address !== options.address || one.port !== options.port);
  }, clock);
}
