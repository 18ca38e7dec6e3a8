import { frameType } from '../protocol/frame.ts';
import { sendEcho, type StreamTransport } from './stream-frames.ts';

/**
 * Pings that wait for their answer, over reconnects. An answer says that all sent before it has arrived, so it also
 * answers every earlier ping, and no more than one is ever on its way: an agent may drop pings that come in a flood.
 */
export class Pings {
  #lastToken = 0n;
  #onItsWay: bigint | undefined;
  readonly #waiting = new Map<bigint, () => void>();

  /** Sends a ping as soon as there is a session without one. Returns a function that forgets it. */
  send(transport: StreamTransport | undefined, answered: () => void): () => void {
    this.#lastToken += 1n;
    const token = this.#lastToken;
    this.#waiting.set(token, answered);
    if (transport !== undefined && this.#onItsWay === undefined) this.#ping(transport);
    return () => this.#waiting.delete(token);
  }

  /** PONG; false when it is not the awaited one. */
  take(transport: StreamTransport, payload: Buffer): boolean {
    if (payload.length !== 8 || payload.readBigUInt64LE() !== this.#onItsWay) return false;
    const answeredUpTo = this.#onItsWay;
    this.#onItsWay = undefined;
    for (const [token, answered] of [...this.#waiting]) {
      if (token > answeredUpTo) break;
      this.#waiting.delete(token);
      answered();
    }
    if (this.#waiting.size > 0 && this.#onItsWay === undefined) this.#ping(transport);
    return true;
  }

  /** A new session: what was on its way may be lost. */
  resume(transport: StreamTransport): void {
    this.#onItsWay = undefined;
    if (this.#waiting.size > 0) this.#ping(transport);
  }

  #ping(transport: StreamTransport): void {
    this.#onItsWay = this.#lastToken;
    const payload = Buffer.allocUnsafe(8);
    payload.writeBigUInt64LE(this.#lastToken);
    sendEcho(transport, frameType.ping, 0, payload);
  }
}
