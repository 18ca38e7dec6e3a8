import type { Buffer } from 'node:buffer';
import type { Clock } from '../../platform/clock.ts';
import type { Upstream } from '../config.ts';
import type { DnsAnswer, Exchange } from './exchange.ts';
import { failureResponse, rcodes, type DnsQuery } from './message.ts';

/** Less than the 5 s after which the C library gives a server up (resolv.conf(5)), so that a client gets an answer, if only that there is none. */
const wholeBudgetMs = 4500;
const rounds = 2;

/** Asks the servers in turn until one gives an answer. */
export class UpstreamResolver {
  readonly #servers: () => Promise<readonly Upstream[]>;
  readonly #clock: Clock;
  /** The server that answered last, so that a dead one is not waited for with every query. */
  #preferred: Upstream | undefined;

  constructor(servers: () => Promise<readonly Upstream[]>, clock: Clock) {
    this.#servers = servers;
    this.#clock = clock;
  }

  /** The answer to send to the client: SERVFAIL when no server gave one. Never rejects. */
  async resolve(query: DnsQuery, exchange: Exchange): Promise<Buffer> {
    const deadlineMs = this.#clock.monotonicMs() + wholeBudgetMs;
    const servers = this.#inOrder(await this.#servers());
    const patienceMs = wholeBudgetMs / Math.max(2, servers.length);
    let unwilling: DnsAnswer | undefined;
    for (const server of Array.from({ length: rounds }, () => servers).flat()) {
      const leftMs = deadlineMs - this.#clock.monotonicMs();
      if (leftMs <= 0) break;
      const answer = await exchange(server, query, Math.min(patienceMs, leftMs));
      if (answer === undefined) continue;
      if (answer.code !== rcodes.serverFailure && answer.code !== rcodes.refused) {
        this.#preferred = server;
        return answer.bytes;
      }
      unwilling = answer;
      if (servers.length === 1) break;
    }
    return unwilling?.bytes ?? failureResponse(query, rcodes.serverFailure);
  }

  #inOrder(servers: readonly Upstream[]): Upstream[] {
    const isPreferred = (server: Upstream): boolean =>
      server.address === this.#preferred?.address && server.port === this.#preferred.port;
    return [...servers.filter(isPreferred), ...servers.filter((server) => !isPreferred(server))];
  }
}
