import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
// These two parts load in a third of the time of the whole package, which every start of the command line would pay.
import request from 'undici/lib/api/api-request.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { z } from 'zod';
import { OffshootError } from '../errors/offshoot-error.ts';
import { Patience } from '../platform/patience.ts';
import { defaultHost, parseHostAddress } from './address.ts';
import { errorFromAnswer } from './problem.ts';

export interface ConnectionOptions {
  /** `unix:PATH` or `tcp:HOST:PORT`; default OFFSHOOT_HOST, else the socket of the system's hostd. */
  host?: string;
  /** Default OFFSHOOT_TOKEN. */
  token?: string;
  /** How long one request may go without an answer; default 60 s (creates and builds have their own). */
  requestTimeoutMs?: number;
  /**
   * How long to go on trying while hostd is away. When given it holds from the first request on; by default it is 60 s for a hostd that has
   * answered before, and a first request fails at once.
   */
  reconnectTimeoutMs?: number;
}

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  query?: Record<string, string | number | boolean | readonly string[] | undefined>;
  json?: unknown;
  body?: Buffer | Readable;
  headers?: Record<string, string>;
  /** 0 waits for ever. */
  timeoutMs?: number;
  /** True (default) when sending it again after a lost connection does no harm. */
  repeatable?: boolean;
  signal?: AbortSignal | undefined;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Readable;
}

const brokenOffCodes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const awayCodes = new Set([...brokenOffCodes, 'ECONNREFUSED', 'ENOENT', 'UND_ERR_CONNECT_TIMEOUT']);

/** HTTP to one hostd: repeats what is safe to repeat while the daemon is away, and turns every failure into an OffshootError. */
export class Transport {
  readonly host: string;
  readonly #options: ConnectionOptions;
  readonly #pool: Pool;
  readonly #token: string | undefined;
  readonly #requestTimeoutMs: number;
  readonly #reconnectTimeoutMs: number;
  /** A hostd that is away is expected back. */
  #awaited: boolean;

  constructor(options: ConnectionOptions = {}) {
    this.#options = options;
    this.host = options.host ?? process.env['OFFSHOOT_HOST'] ?? defaultHost;
    const address = parseHostAddress(this.host);
    const origin = address.kind === 'unix' ? 'http://localhost' : address.origin;
    this.#pool = new Pool(origin, {
      pipelining: 1,
      bodyTimeout: 0,
      headersTimeout: 0,
      connect: address.kind === 'unix' ? { socketPath: address.path } : {},
    });
    this.#token = options.token ?? process.env['OFFSHOOT_TOKEN'];
    this.#requestTimeoutMs = options.requestTimeoutMs ?? 60_000;
    this.#reconnectTimeoutMs = options.reconnectTimeoutMs ?? 60_000;
    this.#awaited = options.reconnectTimeoutMs !== undefined;
  }

  /** Another one to the same hostd, with connections of its own. */
  sibling(): Transport {
    const sibling = new Transport({ ...this.#options, host: this.host });
    sibling.#awaited = this.#awaited;
    return sibling;
  }

  /** Sends a request and reads a JSON answer of this shape. */
  async json<Schema extends z.ZodType>(schema: Schema, request: Request): Promise<z.output<Schema>> {
    const answer = await this.send(request);
    const text = await readText(answer.body);
    const parsed = schema.safeParse(parse(text));
    if (parsed.success) return parsed.data;
    throw new OffshootError('protocol-mismatch', {
      message: `The answer to ${request.method} ${request.path} has an unknown shape.`,
      details: { issues: parsed.error.issues.slice(0, 5).map((issue) => `${issue.path.join('.')}: ${issue.message}`) },
    });
  }

  /** Sends a request; the caller reads the body. Rejects for a status of 400 and above. */
  async send(request: Request): Promise<Answer> {
    const repeatable = request.repeatable ?? !isStream(request.body);
    const deadlineMs = performance.now() + this.#reconnectTimeoutMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#sendOnce(request);
      } catch (error) {
        const failure = this.#explain(error, request);
        // a connection that broke off was one: the daemon was there a moment ago
        if (brokenOffCodes.has(errorCode(error) ?? '')) this.#awaited = true;
        const waits = repeatable && this.#awaited && comesBack(failure);
        if (!waits || performance.now() >= deadlineMs) throw failure;
        await sleep(Math.min(50 * 2 ** attempt, 1000), undefined, { signal: request.signal }).catch(() => undefined);
      }
    }
  }

  /** Ends idle connections; requests under way go on. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #sendOnce(asked: Request): Promise<Answer> {
    const timeoutMs = asked.timeoutMs ?? this.#requestTimeoutMs;
    const unanswered = new AbortController();
    const patience =
      timeoutMs === 0
        ? undefined
        : new Patience(timeoutMs, () => {
            unanswered.abort(new DOMException('No answer in time', 'TimeoutError'));
          });
    const body = asked.json === undefined ? asked.body : JSON.stringify(asked.json);
    try {
      const answer: Dispatcher.ResponseData = await request.call(this.#pool, {
        method: asked.method,
        path: asked.path + queryString(asked.query),
        headers: this.#headers(asked),
        ...(body === undefined ? {} : { body }),
        signal: asked.signal === undefined ? unanswered.signal : AbortSignal.any([asked.signal, unanswered.signal]),
      });
      this.#awaited = true;
      if (answer.statusCode < 400) return { status: answer.statusCode, headers: answer.headers, body: answer.body };
      throw errorFromAnswer(answer.statusCode, await readText(answer.body));
    } finally {
      patience?.end();
    }
  }

  #headers(request: Request): Record<string, string> {
    return {
      ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
      ...request.headers,
    };
  }

  #explain(error: unknown, request: Request): OffshootError {
    if (error instanceof OffshootError) return error;
    if (request.signal?.aborted === true) return new OffshootError('aborted', { cause: error });
    if (error instanceof DOMException && error.name === 'TimeoutError') {
      return new OffshootError('request-timeout', {
        message: `${request.method} ${request.path} was not answered in time by ${this.host}.`,
        cause: error,
      });
    }
    const own = failureOfBody(request.body);
    if (own !== undefined) return own;
    const code = errorCode(error);
    const message =
      code === 'EACCES'
        ? `You may not use the socket of hostd at ${this.host}.`
        : `No hostd answers at ${this.host}${code === undefined ? '' : ` (${code})`}.`;
    if (code === 'EACCES') {
      return new OffshootError('host-unreachable', {
        message,
        hint: 'Join the group that owns the socket, or use sudo.',
        cause: error,
      });
    }
    if (code !== undefined && awayCodes.has(code))
      return new OffshootError('host-unreachable', { message, cause: error });
    return new OffshootError('host-unreachable', {
      message: `The connection to ${this.host} failed: ${error instanceof Error ? error.message : String(error)}`,
      cause: error,
    });
  }
}

/** True when trying again may help because the connection, not the request, was at fault. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof OffshootError) return error.code === 'host-unreachable' || error.code === 'shutting-down';
  const code = errorCode(error);
  return code !== undefined && (awayCodes.has(code) || code === 'UND_ERR_ABORTED');
}

/** False where waiting helps nobody: a socket that may not be used. */
function comesBack({ code, cause }: OffshootError): boolean {
  return code === 'shutting-down' || (code === 'host-unreachable' && errorCode(cause) !== 'EACCES');
}

/** What a body stream failed with by itself. A connection that fails destroys the stream with its own error, which does not count. */
function failureOfBody(body: Request['body']): OffshootError | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return undefined;
  const { errored } = body;
  if (errored === null || isAbort(errored) || isConnectionLoss(errored) || isOfHttp(errored)) return undefined;
  if (errored instanceof OffshootError) return errored;
  return new OffshootError('local-file-error', {
    message: `What was to be sent could not be read: ${errored.message}`,
    cause: errored,
  });
}

function isOfHttp(error: unknown): boolean {
  return errorCode(error)?.startsWith('UND_ERR_') === true;
}

function isAbort(error: Error): boolean {
  return error.name === 'AbortError' || error.name === 'TimeoutError';
}

export async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function isStream(body: Request['body']): boolean {
  return body !== undefined && !Buffer.isBuffer(body);
}

function queryString(query: Request['query']): string {
  if (query === undefined) return '';
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const item of value as readonly string[]) search.append(name, item);
    else search.set(name, value === true ? '1' : value === false ? '0' : String(value as string | number));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
