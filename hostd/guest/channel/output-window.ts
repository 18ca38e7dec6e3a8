import { ProtocolViolation } from '../protocol/frame.ts';
import { Backlog } from './backlog.ts';

/** Takes output in order; what it returns undefined for, or a promise that resolved, has been consumed. */
export type OutputConsumer = (channel: number, offset: number, bytes: Buffer) => Promise<void> | undefined;

const windowBytes = 1024 * 1024;
/** Acknowledge in a flood only this often. */
const ackStepBytes = 128 * 1024;
/** Deliveries whose promises have not resolved; later output waits in the backlog and is merged there. */
const maxInFlight = 64;

interface Delivery {
  endOffset: number;
  done: boolean;
}

/** The guest-to-host direction of one stream: hands bytes on exactly once and in order, and counts what was consumed. */
export class OutputWindow {
  #consumedBytes: number;
  #wireOffset: number;
  #handedOffset: number;
  #receivedOffset: number;
  #limit: number;
  #acknowledged: number;
  #failed = false;
  readonly #deliveries: Delivery[] = [];
  readonly #backlog = new Backlog();
  readonly #consume: OutputConsumer;
  readonly #onConsumed: () => void;
  readonly #onFailed: (error: unknown) => void;

  constructor(
    startOffset: number,
    consume: OutputConsumer,
    onConsumed: () => void,
    onFailed: (error: unknown) => void,
  ) {
    this.#consumedBytes = startOffset;
    this.#wireOffset = startOffset;
    this.#handedOffset = startOffset;
    this.#receivedOffset = startOffset;
    this.#acknowledged = startOffset;
    this.#limit = startOffset + windowBytes;
    this.#consume = consume;
    this.#onConsumed = onConsumed;
    this.#onFailed = onFailed;
  }

  /**
   * What may be acknowledged: everything before it was consumed. After a cut the consumer can be ahead of what the guest
   * has sent again; that is acknowledged only as it comes.
   */
  get ackOffset(): number {
    return Math.min(this.#consumedBytes, this.#wireOffset);
  }

  /** Where the guest may send up to when that much is acknowledged. */
  get nextLimit(): number {
    return this.ackOffset + windowBytes;
  }

  /** All that was received has been consumed. */
  get idle(): boolean {
    return this.#consumedBytes === this.#receivedOffset;
  }

  /** An acknowledgement is worth a frame: a large step, or the sink has caught up. */
  get ackDue(): boolean {
    return this.ackUrgent || (this.#ackStep > 0 && this.ackOffset === this.#wireOffset);
  }

  get ackUrgent(): boolean {
    return this.#ackStep >= ackStepBytes;
  }

  get #ackStep(): number {
    return this.#failed ? 0 : this.ackOffset - this.#acknowledged;
  }

  /** The caller has told the guest of `ackOffset` and `nextLimit`. */
  acknowledged(): void {
    this.#acknowledged = this.ackOffset;
    this.#limit = this.nextLimit;
  }

  /**
   * A new session: the guest sends again from `consumedBytes`, or from its base where that is later. Bytes that the
   * consumer has had are skipped when they come again.
   */
  resume(baseOffset: number, lengthBytes: number, gapAllowed: boolean): void {
    if (lengthBytes < this.#receivedOffset) throw new ProtocolViolation('a stream has become shorter');
    if (baseOffset > this.#consumedBytes) {
      if (!gapAllowed) throw new ProtocolViolation('a stream has lost bytes that were not acknowledged');
      this.#consumedBytes = baseOffset;
      this.#handedOffset = baseOffset;
      this.#receivedOffset = baseOffset;
    }
    this.#wireOffset = this.#consumedBytes;
    this.acknowledged();
  }

  /** DATA. Throws ProtocolViolation when it does not continue the stream or exceeds the window. */
  receive(channel: number, offset: number, parts: readonly Buffer[]): void {
    if (offset !== this.#wireOffset) throw new ProtocolViolation('DATA does not continue its stream');
    for (const part of parts) {
      const start = this.#wireOffset;
      this.#wireOffset += part.length;
      if (this.#wireOffset > this.#limit) throw new ProtocolViolation('DATA exceeds the window');
      const known = Math.max(0, this.#receivedOffset - start);
      if (known >= part.length) {
        this.#onConsumed();
        continue;
      }
      this.#receivedOffset = this.#wireOffset;
      if (this.#failed) continue;
      const fresh = known === 0 ? part : part.subarray(known);
      if (this.#deliveries.length >= maxInFlight || this.#backlog.lengthBytes > 0) this.#backlog.push(channel, fresh);
      else this.#hand(channel, fresh);
    }
  }

  /** END. Throws ProtocolViolation unless all of the output has come. */
  finish(lengthBytes: number): void {
    if (lengthBytes !== this.#wireOffset || lengthBytes !== this.#receivedOffset)
      throw new ProtocolViolation('END does not match the output');
  }

  #hand(channel: number, bytes: Buffer): void {
    const offset = this.#handedOffset;
    this.#handedOffset += bytes.length;
    const delivery = { endOffset: this.#handedOffset, done: false };
    let promise: Promise<void> | undefined;
    try {
      promise = this.#consume(channel, offset, bytes);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (promise === undefined && this.#deliveries.length === 0) {
      this.#consumedBytes = delivery.endOffset;
      this.#onConsumed();
      return;
    }
    this.#deliveries.push(delivery);
    if (promise === undefined) {
      delivery.done = true;
      return;
    }
    promise.then(
      () => {
        delivery.done = true;
        this.#settle();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  #settle(): void {
    let settled = 0;
    for (const delivery of this.#deliveries) {
      if (!delivery.done) break;
      this.#consumedBytes = delivery.endOffset;
      settled += 1;
    }
    if (settled === 0 || this.#failed) return;
    this.#deliveries.splice(0, settled);
    while (this.#deliveries.length < maxInFlight) {
      const piece = this.#backlog.shift();
      if (piece === undefined) break;
      this.#hand(piece.channel, piece.bytes);
    }
    this.#onConsumed();
  }

  #fail(error: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#backlog.clear();
    this.#onFailed(error);
  }
}
