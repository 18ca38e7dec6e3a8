import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void | Promise<void>;

/** An HTTP server on a unix socket that a test scripts; it can go away and come back on the same path. */
export class ScriptedServer {
  readonly #folder: string;
  readonly socketPath: string;
  handler: Handler;
  #server: Server | undefined;

  private constructor(folder: string, handler: Handler) {
    this.#folder = folder;
    this.socketPath = path.join(folder, 'hostd.sock');
    this.handler = handler;
  }

  static async start(handler: Handler): Promise<ScriptedServer> {
    const server = new ScriptedServer(await mkdtemp(path.join(tmpdir(), 'offshoot-client-')), handler);
    await server.listen();
    return server;
  }

  get host(): string {
    return `unix:${this.socketPath}`;
  }

  async listen(): Promise<void> {
    const listener: RequestListener = (request, response) => void this.#serve(request, response);
    const server = createServer(listener);
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.socketPath, resolve));
  }

  /** Cuts every connection and removes the socket, as a killed daemon does. */
  async goAway(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.goAway();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the client left
    }
    await this.handler(request, response, Buffer.concat(chunks));
  }
}

export function answerJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** One frame of the binary output form. */
export function outputFrame(kind: 0 | 1 | 2 | 3 | 4, bytes: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt8(kind, 0);
  header.writeUInt32LE(bytes.length, 1);
  return Buffer.concat([header, bytes]);
}

export const endedExec = {
  id: 'exe_1',
  sandboxId: 'sbx_1',
  state: 'ended',
  command: 'true',
  cwd: '/workspace',
  user: 'root',
  pty: false,
  stdin: false,
  startedAt: '2030-01-01T00:00:00.000Z',
  endedAt: '2030-01-01T00:00:01.000Z',
  exitCode: 0,
  signal: null,
  timedOut: false,
  oomKilled: false,
  failure: null,
  outputBytes: 0,
  truncated: false,
  usage: null,
} as const;
