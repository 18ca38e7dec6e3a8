import { Buffer } from 'node:buffer';
import { exchangeOverTcp, exchangeOverUdp, type Exchange } from '../../dns/exchange.ts';
import { parseQuery, type DnsQuery } from '../../dns/message.ts';
import type { AnswerCache, Resolution } from './answer-cache.ts';
import { readAddressAnswer, type UpstreamAnswer } from './upstream-answer.ts';
import { classIn, headerBytes, types, writeName } from './wire.ts';

/** Questions to servers for one name, when each answer only leads on to the next. */
export const maxQuestions = 8;
/** Less than a client waits (5 s, resolv.conf(5)); no further question is asked after it. */
const budgetMs = 4500;

/** The host's own servers: UpstreamResolver is one. Never rejects. */
export interface UpstreamServers {
  resolve(query: DnsQuery, exchange: Exchange): Promise<Buffer>;
}

export interface LookupOptions {
  upstream: UpstreamServers;
  cache: AnswerCache;
  /** Monotonic milliseconds. */
  now: () => number;
}

/** Finds addresses of names: from the cache, by joining a question that is under way, or by asking. */
export class Lookup {
  readonly #options: LookupOptions;
  readonly #underWay = new Map<string, Promise<Resolution>>();

  constructor(options: LookupOptions) {
    this.#options = options;
  }

  /** `mayAsk` is called only if a server has to be asked; undefined when it says no. Never rejects. */
  async addressesOf(name: string, mayAsk: () => boolean): Promise<Resolution | undefined> {
    const known = this.#options.cache.get(name) ?? this.#underWay.get(name);
    if (known !== undefined) return known;
    if (!mayAsk()) return undefined;
    const asking = this.#ask(name);
    this.#underWay.set(name, asking);
    try {
      return await asking;
    } finally {
      this.#underWay.delete(name);
    }
  }

  /** The answer of a server to a question of any type, as it came; over TCP when it does not fit UDP. */
  async rawAnswer(name: string, type: number): Promise<Buffer> {
    const query = newQuestion(name, type);
    if (query === undefined) return Buffer.alloc(0);
    const answer = await this.#options.upstream.resolve(query, exchangeOverUdp);
    const isCut = answer.length > 2 && (answer.readUInt8(2) & 0x02) !== 0;
    return isCut ? this.#options.upstream.resolve(query, exchangeOverTcp) : answer;
  }

  async #ask(name: string): Promise<Resolution> {
    return this.#options.cache.set(name, await this.#follow(name));
  }

  async #follow(start: string): Promise<Resolution> {
    const { now } = this.#options;
    const deadlineMs = now() + budgetMs;
    const asked = new Set<string>();
    let name = start;
    let chainTtlSeconds = Number.POSITIVE_INFINITY;
    while (!asked.has(name) && asked.size < maxQuestions && (asked.size === 0 || now() < deadlineMs)) {
      asked.add(name);
      const answer: UpstreamAnswer = readAddressAnswer(name, await this.rawAnswer(name, types.a));
      if (answer.kind === 'failed' || answer.kind === 'truncated') break;
      chainTtlSeconds = Math.min(chainTtlSeconds, answer.ttlSeconds);
      if (answer.kind !== 'alias') return { ...answer, ttlSeconds: chainTtlSeconds };
      name = answer.target;
    }
    return { kind: 'failed' };
  }
}

/** A question of hostd's own: nothing of the guest's but the name and type goes into it. Without EDNS, which not every server takes; what does not fit comes by TCP. */
function newQuestion(name: string, type: number): DnsQuery | undefined {
  const head = Buffer.alloc(headerBytes);
  head.writeUInt8(0x01, 2);
  head.writeUInt16BE(1, 4);
  const tail = Buffer.alloc(4);
  tail.writeUInt16BE(type, 0);
  tail.writeUInt16BE(classIn, 2);
  // The exchange puts an id of its own into the message.
  return parseQuery(Buffer.concat([head, writeName(name), tail]));
}
