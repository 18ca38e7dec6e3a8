import { Buffer } from 'node:buffer';
import { readHostName, printable } from './host-name.ts';

const extensionServerName = 0;
const nameTypeHostName = 0;

/** What a ClientHello says about the server it wants. `odd`: several names, or one that is no host name. */
export type ServerName = { kind: 'name'; name: string } | { kind: 'none' } | { kind: 'odd'; shown: string };

/**
 * Reads the server name out of a ClientHello's body (RFC 8446 section 4.1.2, RFC 6066 section 3). undefined when the body is malformed anywhere.
 *
 * With Encrypted ClientHello (RFC 9849) the name read here is the outer one, the client-facing server's, and it alone decides: what is dialled
 * is that server. Which inner name it serves can't be seen; whoever allows the outer name allows all that its server hides behind it.
 */
export function readServerName(body: Buffer): ServerName | undefined {
  const fields = new Fields(body);
  fields.skip(2 + 32); // version, random
  fields.vector(1); // session id
  const suites = fields.vector(2);
  const compressions = fields.vector(1);
  if (suites.length < 2 || suites.length % 2 !== 0 || compressions.length === 0) return undefined;
  if (fields.atEnd) return fields.broken ? undefined : { kind: 'none' };
  const extensions = new Fields(fields.vector(2));
  if (fields.broken || !fields.atEnd) return undefined;
  const seen = new Set<number>();
  let serverName: ServerName | undefined = { kind: 'none' };
  while (!extensions.atEnd) {
    const type = extensions.number(2);
    const data = extensions.vector(2);
    if (extensions.broken || seen.has(type)) return undefined;
    seen.add(type);
    if (type === extensionServerName) serverName = readServerNameList(data);
  }
  return serverName;
}

function readServerNameList(data: Buffer): ServerName | undefined {
  const outer = new Fields(data);
  const list = new Fields(outer.vector(2));
  if (outer.broken || !outer.atEnd) return undefined;
  const entries: { type: number; text: string }[] = [];
  while (!list.atEnd) {
    const type = list.number(1);
    entries.push({ type, text: list.vector(2).toString('latin1') });
    if (list.broken) return undefined;
  }
  const [entry] = entries;
  if (entry === undefined) return { kind: 'none' };
  const name = entries.length === 1 && entry.type === nameTypeHostName ? readHostName(entry.text) : undefined;
  if (name !== undefined) return { kind: 'name', name };
  return { kind: 'odd', shown: printable(entries.map(({ text }) => text).join(',')) };
}

/** Reads length-prefixed fields; past the end it is `broken` and gives zeros. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;
  broken = false;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  skip(length: number): void {
    this.#take(length);
  }

  number(width: 1 | 2): number {
    const bytes = this.#take(width);
    return bytes.length === width ? bytes.readUIntBE(0, width) : 0;
  }

  vector(width: 1 | 2): Buffer {
    return this.#take(this.number(width));
  }

  #take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) {
      this.broken = true;
      this.#at = this.#bytes.length;
      return Buffer.alloc(0);
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
