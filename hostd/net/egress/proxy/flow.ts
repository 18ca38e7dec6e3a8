import type { Socket } from 'node:net';
import type { Destination } from './decision.ts';
import type { ListenSpec } from './options.ts';

/** A server that takes nothing for this long after the guest's end is given up. */
const flushMs = 30_000;

/** One connection of a guest, from its first byte to its end, with the upstream connection that serves it now. */
export class Flow {
  readonly sandboxId: string;
  readonly source: string;
  readonly spec: ListenSpec;
  readonly guest: Socket;
  readonly #ended = new AbortController();
  /** What was decided last; undefined until a name is known. */
  destination: Destination | undefined;
  /** Dialled for the destination. */
  address: string | undefined;
  #upstream: Socket | undefined;

  constructor(sandboxId: string, source: string, spec: ListenSpec, guest: Socket) {
    this.sandboxId = sandboxId;
    this.source = source;
    this.spec = spec;
    this.guest = guest;
    // The 'close' that follows is what counts.
    guest.on('error', () => undefined);
    guest.once('close', (hadError) => {
      this.#ended.abort();
      if (hadError || !guest.readableEnded) this.#upstream?.resetAndDestroy();
      else this.#finishUpstream();
    });
  }

  /** Aborts when the guest's side is closed. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** A new decision begins: nothing is dialled for it yet. */
  heads(destination: Destination): void {
    this.destination = destination;
    this.address = undefined;
  }

  /** Takes the connection over; the one before it is closed. */
  carry(upstream: Socket, address: string): void {
    if (this.#upstream !== upstream) this.#upstream?.destroy();
    this.#upstream = upstream;
    this.address = address;
  }

  /** What the guest had sent before its end still goes out. */
  #finishUpstream(): void {
    const upstream = this.#upstream;
    upstream?.setTimeout(flushMs, () => upstream.destroy());
    upstream?.destroySoon();
  }

  /** Both ends get a reset, at once: not even what is buffered goes out. */
  cut(): void {
    this.#upstream?.resetAndDestroy();
    this.guest.resetAndDestroy();
  }
}
