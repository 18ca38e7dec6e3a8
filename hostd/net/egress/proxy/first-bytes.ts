import { Buffer } from 'node:buffer';
import { METHODS } from 'node:http';
import type { Socket } from 'node:net';

/** Those that a proxy takes no part in: what follows `CONNECT` is another protocol. */
const starts = METHODS.filter((method) => method !== 'CONNECT').map((method) => Buffer.from(`${method} `));

/** `http`: its bytes are still to be read from the connection. `other`: those taken from it; none when nothing came in time. `gone`: it ended. */
export type FirstBytes = { kind: 'http' } | { kind: 'other'; taken: Buffer } | { kind: 'gone' };

/** Waits until a connection has shown whether it begins with an HTTP request, or the time is over. Leaves it paused. */
export function firstBytes(guest: Socket, deadlineMs: number): Promise<FirstBytes> {
  return new Promise((resolve) => {
    let taken: Buffer = Buffer.alloc(0);
    const finish = (found: FirstBytes): void => {
      clearTimeout(deadline);
      guest.off('data', onData).off('end', onEnd).off('close', onEnd);
      guest.pause();
      resolve(found);
    };
    const onData = (chunk: Buffer): void => {
      taken = Buffer.concat([taken, chunk]);
      const possible = starts.filter((start) => beginAlike(start, taken));
      if (possible.length === 0) finish({ kind: 'other', taken });
      if (!possible.some((start) => taken.length >= start.length)) return;
      finish({ kind: 'http' });
      guest.unshift(taken);
    };
    const onEnd = (): void => {
      finish({ kind: 'gone' });
    };
    const deadline = setTimeout(() => {
      finish({ kind: 'other', taken });
    }, deadlineMs);
    guest.on('data', onData).on('end', onEnd).on('close', onEnd);
  });
}

function beginAlike(one: Buffer, other: Buffer): boolean {
  const length = Math.min(one.length, other.length);
  return one.subarray(0, length).equals(other.subarray(0, length));
}
