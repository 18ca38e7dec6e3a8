import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { z } from 'zod';
import { parseLine, readLines, writeLine } from './json-lines.ts';

const replySchema = z.object({
  id: z.int().nullable(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** The helper answered that it did not do it. */
export class HelperRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HelperRefusal';
  }
}

/** The connection ended before the answer: whether it was done is not known. */
export class HelperGone extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HelperGone';
  }
}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (cause: Error) => void;
}

/** One connection to a helper. */
export class ControlClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;
  /** Resolves when the connection has ended, by whatever. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket, maxLineBytes: number) {
    this.#socket = socket;
    readLines(socket, maxLineBytes, (line) => {
      this.#take(line);
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        for (const { reject } of this.#waiting.values()) reject(new HelperGone('the helper is gone'));
        this.#waiting.clear();
        resolve();
      });
    });
  }

  /** Rejects with the system's error when nobody listens there. */
  static async connect(path: string, maxLineBytes: number): Promise<ControlClient> {
    const socket = connect(path);
    await once(socket, 'connect');
    return new ControlClient(socket, maxLineBytes);
  }

  /** False from the moment at which the end is known, which is a little before `closed`. */
  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Rejects with HelperRefusal, or with HelperGone when the connection ends or no answer comes in time. */
  async call<Result>(method: string, params: unknown, result: z.ZodType<Result>, timeoutMs: number): Promise<Result> {
    if (!this.isOpen) throw new HelperGone('the helper is gone');
    const id = (this.#nextId += 1);
    const replied = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    const timer = setTimeout(() => {
      this.#waiting.get(id)?.reject(new HelperGone(`no answer to ${method} within ${String(timeoutMs)} ms`));
    }, timeoutMs);
    try {
      writeLine(this.#socket, { id, method, params });
      return result.parse(await replied);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(line: string): void {
    const reply = replySchema.safeParse(parseLine(line));
    if (!reply.success || reply.data.id === null) return;
    const waiting = this.#waiting.get(reply.data.id);
    if (reply.data.error === undefined) waiting?.resolve(reply.data.result);
    else waiting?.reject(new HelperRefusal(reply.data.error.message));
  }
}
