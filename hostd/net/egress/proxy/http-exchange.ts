import {
  Agent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endToEnd, hasMoreLines, pairs, tokensOf } from './http-headers.ts';
import type { CheckedRequest } from './http-request.ts';
import type { ProxyLimits } from './options.ts';

type HeadLimits = Pick<ProxyLimits, 'bytesUntilName' | 'headerLines'>;

export type GoodRequest = Extract<CheckedRequest, { kind: 'request' }>;

/** Speaks over one connection that is there already, one request after the other. */
export class OneSocketAgent extends Agent {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 });
    this.#socket = socket;
  }

  override createConnection(): Duplex {
    return this.#socket;
  }
}

export interface Upstream {
  host: string;
  socket: Socket;
  agent: OneSocketAgent;
}

/** Why an exchange ended early: nothing of an answer has gone to the guest (`unanswered`), the same on a connection that served before (`stale`), or a part has (`broken`). */
export type ExchangeEnd = 'done' | 'unanswered' | 'stale' | 'broken';

/** Says a request again upstream and streams the answer back, both bodies at the pace of the slower side. Never rejects. */
export function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  checked: GoodRequest,
  agent: OneSocketAgent,
  limits: HeadLimits,
): Promise<ExchangeEnd> {
  const { promise, resolve } = Promise.withResolvers<ExchangeEnd>();
  const closing = !response.shouldKeepAlive;
  const upstream = startRequest(request, checked, {
    agent,
    connection: closing ? ['close'] : ['keep-alive'],
    limits,
  });
  if (upstream === undefined) return Promise.resolve('unanswered');
  let answered = false;
  upstream.on('error', () => {
    if (!answered) resolve(upstream.reusedSocket ? 'stale' : 'unanswered');
  });
  // Nobody asked for it.
  upstream.on('upgrade', () => {
    upstream.destroy();
    resolve('unanswered');
  });
  upstream.on('continue', () => {
    response.writeContinue();
  });
  upstream.on('response', (answer) => {
    answered = true;
    passAnswer(answer, response, closing, limits.headerLines).then(
      () => {
        resolve('done');
      },
      () => {
        resolve(response.headersSent ? 'broken' : 'unanswered');
      },
    );
  });
  request.on('error', () => upstream.destroy());
  if (checked.hasBody) {
    request.once('end', () => {
      if (hasMoreLines(request.rawTrailers, limits.headerLines)) upstream.destroy();
      else if (request.rawTrailers.length > 0) upstream.addTrailers(pairs(request.rawTrailers));
    });
    request.pipe(upstream);
  } else {
    request.resume();
    upstream.end();
  }
  return promise;
}

/** undefined when node finds the request can't be written. */
export function startRequest(
  request: IncomingMessage,
  { destination, path, headers }: GoodRequest,
  how: { agent?: OneSocketAgent; socket?: Socket; connection: string[]; limits: HeadLimits },
): ClientRequest | undefined {
  const { agent, socket, connection, limits } = how;
  try {
    const started = httpRequest({
      host: destination.host,
      port: destination.port,
      method: request.method,
      path,
      headers: [...headers, 'Connection', ...connection],
      setHost: false,
      maxHeaderSize: limits.bytesUntilName,
      ...(agent === undefined ? {} : { agent }),
      ...(socket === undefined ? {} : { createConnection: () => socket }),
    });
    started.maxHeadersCount = limits.headerLines + 1;
    return started;
  } catch {
    return undefined;
  }
}

/** What a guest is told of a server that takes up another protocol. */
export function switchingHead(answer: IncomingMessage): string {
  const lines = pairs(answer.rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 101 ${answer.statusMessage ?? ''}\r\n${lines.join('')}\r\n`;
}

/** Resolves when the answer has gone out whole; rejects when it broke off or can't be said again. */
export function passAnswer(
  answer: IncomingMessage,
  response: ServerResponse,
  closing: boolean,
  mostLines: number,
): Promise<void> {
  if (hasMoreLines(answer.rawHeaders, mostLines)) {
    answer.destroy();
    return Promise.reject(new Error('the answer has too many header lines'));
  }
  const toOldClient = response.req.httpVersion === '1.0';
  const lastOne =
    closing || tokensOf(answer.rawHeaders, 'connection').includes('close') || !delimited(answer, toOldClient);
  const dropped = ['transfer-encoding', ...(hasTrailers(answer, response) ? [] : ['trailer'])];
  const headers = [...endToEnd(answer.rawHeaders, ...dropped), 'Connection', lastOne ? 'close' : 'keep-alive'];
  response.sendDate = false;
  return new Promise((resolve, reject) => {
    answer.on('error', reject);
    // node says 'close' before 'finish' reaches other listeners, and no 'close' for an answer it did not make.
    response.once('finish', resolve);
    response.once('close', () => {
      if (response.writableFinished) resolve();
      else reject(new Error('the guest left'));
    });
    try {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
    } catch (error) {
      answer.destroy();
      throw error;
    }
    answer.once('end', () => {
      if (hasMoreLines(answer.rawTrailers, mostLines)) {
        // Else its end would follow, and it would look whole.
        response.destroy();
        reject(new Error('the answer has too many trailers'));
      } else if (answer.rawTrailers.length > 0) response.addTrailers(pairs(answer.rawTrailers));
    });
    answer.pipe(response);
  });
}

/** Whether trailers can follow; where they can't, node refuses to announce them. */
function hasTrailers(answer: IncomingMessage, { req }: ServerResponse): boolean {
  const hasBody = req.method !== 'HEAD' && answer.statusCode !== 204 && answer.statusCode !== 304;
  return hasBody && req.httpVersion !== '1.0' && answer.headers['transfer-encoding'] !== undefined;
}

/** Whether the guest sees the end of the answer without the connection's end, and the server too: then both connections can serve on. */
function delimited(answer: IncomingMessage, toOldClient: boolean): boolean {
  if (answer.statusCode === 204 || answer.statusCode === 304) return true;
  if (answer.headers['content-length'] !== undefined) return true;
  return answer.headers['transfer-encoding'] !== undefined && !toOldClient;
}
