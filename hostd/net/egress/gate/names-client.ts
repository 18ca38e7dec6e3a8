import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { nameAnswerSchema, type NameRequest } from './messages.ts';
import { parseLine, readLines, writeLine } from './json-lines.ts';

const maxLineBytes = 256 * 1024;
/** A little more than the resolver takes at most to ask servers. */
const answerMs = 6000;

type Question =
  Omit<Extract<NameRequest, { name: string }>, 'id'> | Omit<Extract<NameRequest, { fromPort: number }>, 'id'>;

interface Connection {
  socket: Socket;
  waiting: Map<number, (addresses: readonly string[]) => void>;
}

/** Asks the resolver for names, over one connection that is made again when it ended. */
export class NamesClient {
  readonly #path: string;
  #connection: Promise<Connection> | undefined;
  #nextId = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** None when the resolver has none, is not there, or does not answer in time. Never rejects. */
  addressesOf(sandboxId: string, name: string): Promise<readonly string[]> {
    return this.#answer({ sandboxId, name });
  }

  /** The address that a guest dialled in a connection that came from this port to that listener; undefined as above, or when it is over. Never rejects. */
  async dialledAddress(sandboxId: string, fromPort: number, listenerPort: number): Promise<string | undefined> {
    const [address] = await this.#answer({ sandboxId, fromPort, listenerPort });
    return address;
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    connection?.socket.destroy();
  }

  async #answer(question: Question): Promise<readonly string[]> {
    try {
      const connection = await this.#connected();
      return await this.#ask(connection, question);
    } catch {
      return [];
    }
  }

  #ask({ socket, waiting }: Connection, question: Question): Promise<readonly string[]> {
    const id = (this.#nextId += 1);
    return new Promise((resolve) => {
      const finish = (addresses: readonly string[]): void => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(addresses);
      };
      const timer = setTimeout(() => {
        finish([]);
      }, answerMs);
      waiting.set(id, finish);
      if (socket.destroyed) finish([]);
      else writeLine(socket, { id, ...question });
    });
  }

  #connected(): Promise<Connection> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const socket = connect(this.#path);
    await once(socket, 'connect');
    const waiting: Connection['waiting'] = new Map();
    readLines(socket, maxLineBytes, (line) => {
      const answer = nameAnswerSchema.safeParse(parseLine(line));
      if (answer.success) waiting.get(answer.data.id)?.(answer.data.addresses);
    });
    socket.once('close', () => {
      this.#connection = undefined;
      for (const finish of [...waiting.values()]) finish([]);
    });
    return { socket, waiting };
  }
}
