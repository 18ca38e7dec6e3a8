import type { Socket } from 'node:net';
import { z } from 'zod';
import { connectUnix } from './unix-socket.ts';

const maxLineBytes = 1 << 20;

const messageSchema = z.union([
  z.object({ QMP: z.unknown() }),
  z.object({ return: z.unknown(), id: z.number().int() }),
  z.object({ error: z.object({ class: z.string(), desc: z.string() }), id: z.number().int().optional() }),
  z.object({ event: z.string(), data: z.record(z.string(), z.unknown()).optional() }),
]);

export interface QmpEvent {
  name: string;
  data: Record<string, unknown>;
}

/** QEMU refused a command. */
export class QmpError extends Error {
  readonly command: string;
  readonly errorClass: string;

  constructor(command: string, errorClass: string, description: string) {
    super(`${command}: ${description}`);
    this.name = 'QmpError';
    this.command = command;
    this.errorClass = errorClass;
  }
}

interface Pending {
  command: string;
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** A session with QEMU's monitor. QEMU serves one at a time: a second one waits until the first is closed. */
export class QmpClient {
  readonly #socket: Socket;
  readonly #onEvent: (event: QmpEvent) => void;
  readonly #greeting = Promise.withResolvers<undefined>();
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #ended: Error | undefined;

  private constructor(socket: Socket, onEvent: (event: QmpEvent) => void) {
    this.#socket = socket;
    this.#onEvent = onEvent;
    this.#greeting.promise.catch(() => undefined);
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error('the VMM closed its monitor')));
  }

  /** Connects and negotiates. Rejects when QEMU does not greet within `timeoutMs`. */
  static async connect(
    path: string,
    timeoutMs: number,
    onEvent: (event: QmpEvent) => void = () => undefined,
  ): Promise<QmpClient> {
    const client = new QmpClient(await connectUnix(path), onEvent);
    const timer = setTimeout(
      () => client.#end(new Error(`no greeting from the VMM within ${String(timeoutMs)} ms`)),
      timeoutMs,
    );
    try {
      await client.#greeting.promise;
      await client.execute('qmp_capabilities', {}, z.unknown(), timeoutMs);
      return client;
    } catch (error) {
      client.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs one command; the answer is checked against `schema`. Rejects with a QmpError when QEMU refuses, with another Error on time-out or loss. */
  async execute<T>(
    command: string,
    args: Record<string, unknown>,
    schema: z.ZodType<T>,
    timeoutMs = 10_000,
  ): Promise<T> {
    if (this.#ended !== undefined) throw this.#ended;
    const id = this.#nextId++;
    const answer = await new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new Error(`${command}: no answer within ${String(timeoutMs)} ms`));
      }, timeoutMs);
      this.#pending.set(id, { command, resolve, reject, timer });
      this.#socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`);
    });
    return schema.parse(answer);
  }

  /** Ends the session; the machine goes on. */
  close(): void {
    this.#end(new Error('the monitor session was closed'));
  }

  #end(error: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    this.#socket.destroy();
    this.#greeting.reject(error);
    for (const { command, reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new Error(`${command}: ${error.message}`, { cause: error }));
    }
    this.#pending.clear();
  }

  #take(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf(10); end >= 0 && this.#ended === undefined; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.#unread, rest.subarray(0, end)]);
      this.#unread = [];
      this.#unreadBytes = 0;
      rest = rest.subarray(end + 1);
      this.#dispatch(line.toString('utf8'));
    }
    this.#unread.push(rest);
    this.#unreadBytes += rest.length;
    if (this.#unreadBytes > maxLineBytes) this.#end(new Error('the VMM sent an endless line'));
  }

  #dispatch(line: string): void {
    const parsed = messageSchema.safeParse(parseJson(line));
    if (!parsed.success) {
      this.#end(new Error('the VMM sent a message that is not QMP'));
      return;
    }
    const message = parsed.data;
    if ('QMP' in message) this.#greeting.resolve(undefined);
    else if ('event' in message) this.#onEvent({ name: message.event, data: message.data ?? {} });
    else if ('error' in message) {
      const pending = this.#settle(message.id);
      pending?.reject(new QmpError(pending.command, message.error.class, message.error.desc));
    } else this.#settle(message.id)?.resolve(message.return);
  }

  #settle(id: number | undefined): Pending | undefined {
    if (id === undefined) return undefined;
    const pending = this.#pending.get(id);
    clearTimeout(pending?.timer);
    this.#pending.delete(id);
    return pending;
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
