import { chmod, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { z } from 'zod';
import { parseLine, readLines, writeLine } from './json-lines.ts';

const requestSchema = z.strictObject({ id: z.int().min(0), method: z.string(), params: z.unknown() });

/** One thing a helper can be asked for. Takes what came, answers what goes back. */
export type Operation = (params: unknown) => Promise<unknown>;

/** Work that gets only what its schema allows. */
export function operation<Params>(schema: z.ZodType<Params>, work: (params: Params) => unknown): Operation {
  return async (params) => await work(schema.parse(params));
}

export interface LineServer {
  close(): Promise<void>;
}

/** Answers requests, one JSON text a line, on a unix socket that only this user can open. What is no request is answered with an error and changes nothing. */
export async function openControlServer(
  path: string,
  operations: Readonly<Record<string, Operation>>,
  maxLineBytes: number,
): Promise<LineServer> {
  return openLineServer(path, maxLineBytes, (line, socket) => {
    void answer(operations, line).then((reply) => {
      writeLine(socket, reply);
    });
  });
}

/** A unix socket of mode 0600 in the place of whatever is there. */
export async function openLineServer(
  path: string,
  maxLineBytes: number,
  onLine: (line: string, socket: Socket) => void,
): Promise<LineServer> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    readLines(socket, maxLineBytes, (line) => {
      onLine(line, socket);
    });
  });
  await rm(path, { force: true });
  // For the moment between its making and the chmod.
  const before = process.umask(0o177);
  try {
    server.listen(path);
    await once(server, 'listening');
  } finally {
    process.umask(before);
  }
  await chmod(path, 0o600);
  server.on('error', () => undefined);
  return {
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(operations: Readonly<Record<string, Operation>>, line: string): Promise<object> {
  const request = requestSchema.safeParse(parseLine(line));
  if (!request.success) return { id: null, error: { message: `no request: ${z.prettifyError(request.error)}` } };
  const { id, method, params } = request.data;
  const known = Object.hasOwn(operations, method) ? operations[method] : undefined;
  if (known === undefined) return { id, error: { message: `there is no ${method.slice(0, 100)}` } };
  try {
    return { id, result: (await known(params)) ?? null };
  } catch (error) {
    return { id, error: { message: messageOf(error) } };
  }
}

function messageOf(error: unknown): string {
  const text = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
  return text.slice(0, 2000);
}
