import type { Socket } from 'node:net';

/** Keeps a connection whose other end vanished without a word from staying for ever. */
export const keepAliveProbeMs = 60_000;

/**
 * Joins two connections until both are done: bytes pass as they come, an end on one side is an end on the other, a break is a reset.
 * A side that reads slowly holds the other one back.
 */
export function tunnel(guest: Socket, upstream: Socket, idleMs: number): void {
  for (const socket of [guest, upstream]) {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveProbeMs);
  }
  breaksWith(guest, upstream);
  breaksWith(upstream, guest);
  // Every byte passes the guest's socket, so its clock is enough for both.
  guest.setTimeout(idleMs, () => {
    guest.resetAndDestroy();
  });
  guest.pipe(upstream);
  upstream.pipe(guest);
}

function breaksWith(socket: Socket, other: Socket): void {
  socket.once('close', (hadError) => {
    if (hadError || !socket.readableEnded) other.resetAndDestroy();
  });
}
