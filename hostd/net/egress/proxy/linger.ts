import type { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';

/**
 * Last words to a guest, then the end: the reset comes when the guest has closed, at the latest after `lingerMs`. What it still sends is thrown away;
 * closing on unread bytes would reset the connection before the guest has read why.
 */
export function endWith(guest: Socket, lastWords: Buffer, lingerMs: number): void {
  if (guest.destroyed) return;
  guest.end(lastWords);
  guest.resume();
  const timer = setTimeout(() => guest.resetAndDestroy(), lingerMs);
  guest.once('end', () => guest.destroy());
  guest.once('close', () => {
    clearTimeout(timer);
  });
}

/** Last words and a reset right behind them: for protocols whose programs read the words first. Nothing stays open. */
export function resetWith(guest: Socket, lastWords: Buffer): void {
  if (guest.destroyed) return;
  guest.write(lastWords, () => guest.resetAndDestroy());
}
