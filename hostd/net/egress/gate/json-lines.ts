import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';

const lineEnd = 0x0a;

/**
 * Calls `onLine` with each line that comes, in order. A line longer than `maxBytes` destroys the socket: what follows has no known beginning.
 * Errors of the socket are taken; its 'close' is what counts.
 */
export function readLines(socket: Socket, maxBytes: number, onLine: (line: string) => void): void {
  let parts: Buffer[] = [];
  let length = 0;
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk;
    for (;;) {
      const end = rest.indexOf(lineEnd);
      const part = end === -1 ? rest : rest.subarray(0, end);
      length += part.length;
      if (length > maxBytes) {
        socket.destroy();
        return;
      }
      parts.push(part);
      if (end === -1) return;
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
      onLine(line);
      if (socket.destroyed) return;
    }
  });
}

/** JSON has no line ends of its own. */
export function writeLine(socket: Socket, message: unknown): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** undefined for what is no JSON; no JSON text means undefined. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
