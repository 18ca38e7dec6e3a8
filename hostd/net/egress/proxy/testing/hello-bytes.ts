import { Buffer } from 'node:buffer';

export interface HelloParts {
  names?: readonly { type?: number; text: string }[];
  /** Further extensions, by type. */
  extensions?: readonly (readonly [type: number, data: Buffer])[];
  withoutExtensions?: boolean;
}

/** The body of a ClientHello, without message header. */
export function helloBody({ names, extensions = [], withoutExtensions = false }: HelloParts): Buffer {
  const start = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    vector(1, Buffer.alloc(32, 9)),
    vector(2, Buffer.from([0x13, 1, 0x13, 2])),
    vector(1, Buffer.from([0])),
  ]);
  if (withoutExtensions) return start;
  const list = names?.map(({ type = 0, text }) =>
    Buffer.concat([Buffer.from([type]), vector(2, Buffer.from(text, 'latin1'))]),
  );
  const serverName = list === undefined ? [] : [[0, vector(2, Buffer.concat(list))] as const];
  const all = [...serverName, ...extensions].map(([type, data]) => Buffer.concat([number(2, type), vector(2, data)]));
  return Buffer.concat([start, vector(2, Buffer.concat(all))]);
}

/** A body as handshake message, cut into records of this many bytes. */
export function helloRecords(body: Buffer, recordLength = 16_384): Buffer {
  const message = Buffer.concat([Buffer.from([1]), number(3, body.length), body]);
  const count = Math.ceil(message.length / recordLength);
  const records = Array.from({ length: count }, (_, index) =>
    Buffer.concat([
      Buffer.from([22, 3, 1]),
      vector(2, message.subarray(index * recordLength, (index + 1) * recordLength)),
    ]),
  );
  return Buffer.concat(records);
}

export function helloFor(name: string): Buffer {
  return helloRecords(helloBody({ names: [{ text: name }] }));
}

function vector(width: 1 | 2, data: Buffer): Buffer {
  return Buffer.concat([number(width, data.length), data]);
}

function number(width: 1 | 2 | 3, value: number): Buffer {
  const bytes = Buffer.alloc(width);
  bytes.writeUIntBE(value, 0, width);
  return bytes;
}
