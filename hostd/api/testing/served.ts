import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Agent, request, type Dispatcher } from 'undici';
import { problemSchema, type Problem } from '../../contract/index.ts';
import type { ApiLimits } from '../limits.ts';
import { startApi, type ApiServer } from '../server.ts';
import { FakeHost } from './fake-host.ts';

export interface Answer {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  text: string;
}

/** A fake host served by the real api on a real unix socket. */
export class Served {
  readonly host: FakeHost;
  readonly api: ApiServer;
  readonly socketPath: string;
  readonly logLines: string[];
  readonly agent: Agent;
  readonly #folder: string;

  private constructor(folder: string, host: FakeHost, api: ApiServer, logLines: string[]) {
    this.#folder = folder;
    this.host = host;
    this.api = api;
    this.socketPath = join(folder, 'hostd.sock');
    this.logLines = logLines;
    this.agent = new Agent({ connect: { socketPath: this.socketPath } });
  }

  static async start(limits: Partial<ApiLimits> = {}): Promise<Served> {
    const folder = await mkdtemp(join(tmpdir(), 'offshoot-api-'));
    const host = new FakeHost();
    const logLines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line: string) => void logLines.push(line) });
    const listen = { kind: 'unix', path: join(folder, 'hostd.sock') } as const;
    const api = await startApi({ host, log, version: '0.1.0', listen, limits: { drainMs: 500, ...limits } });
    return new Served(folder, host, api, logLines);
  }

  /** Sends a request and leaves the body to be read. */
  async open(
    method: string,
    path: string,
    options: {
      json?: unknown;
      body?: Dispatcher.DispatchOptions['body'];
      headers?: Record<string, string>;
      signal?: AbortSignal;
    } = {},
  ): Promise<Dispatcher.ResponseData> {
    const { json, headers = {}, body, signal } = options;
    const content = json === undefined ? body : JSON.stringify(json);
    return request(`http://offshoot${path}`, {
      method: method as Dispatcher.HttpMethod,
      dispatcher: this.agent,
      headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(content === undefined ? {} : { body: content }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async send(method: string, path: string, options: Parameters<Served['open']>[2] = {}): Promise<Answer> {
    const { statusCode, headers, body } = await this.open(method, path, options);
    return { status: statusCode, headers, text: await body.text() };
  }

  async json<T>(method: string, path: string, options: Parameters<Served['open']>[2] = {}): Promise<T> {
    return JSON.parse((await this.send(method, path, options)).text) as T;
  }

  /** Sends a request that has to fail and returns its problem, checked for form. */
  async problem(method: string, path: string, options: Parameters<Served['open']>[2] = {}): Promise<Problem> {
    const answer = await this.send(method, path, options);
    return asProblem(answer);
  }

  /** Writes bytes as they are and returns all that comes back until the connection ends. */
  async raw(bytes: string | Buffer): Promise<string> {
    const socket = this.connect();
    socket.end(bytes);
    return readAll(socket);
  }

  connect(): Socket {
    return connect(this.socketPath);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api.stop();
    await this.agent.destroy();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

export function asProblem({ status, headers, text }: Answer): Problem {
  if (headers['content-type'] !== 'application/problem+json')
    throw new Error(`not a problem: ${String(status)} ${String(headers['content-type'])} ${text.slice(0, 500)}`);
  const problem = problemSchema.parse(JSON.parse(text));
  if (problem.status !== status)
    throw new Error(`status ${String(status)} carries a problem of ${String(problem.status)}`);
  if (problem.requestId !== headers['x-request-id']) throw new Error('the problem has another request id');
  return problem;
}
