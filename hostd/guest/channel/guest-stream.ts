import { type Field, encodeFields } from '../protocol/fields.ts';
import { type Frame, ProtocolViolation, frameType, readCount, wholePayload } from '../protocol/frame.ts';
import type { HelloStream } from '../protocol/hello.ts';
import { type EndResult, parseEnd } from '../protocol/results.ts';
import { InputQueue } from './input-queue.ts';
import { OutputWindow } from './output-window.ts';
import { StreamControls } from './stream-controls.ts';
import {
  sendClose,
  sendControl,
  sendData,
  sendEof,
  sendGrant,
  sendOpen,
  type StreamTransport,
} from './stream-frames.ts';
import { StreamLostError, type StreamSetup } from './stream-setup.ts';

/** One stream: both directions, over as many sessions as it takes. */
export class GuestStream {
  readonly id: number;
  /** Resolves with the guest's END once all output was consumed; rejects when the stream failed. */
  readonly ended: Promise<EndResult>;
  readonly input: InputQueue;
  /** Called when the guest has consumed input. */
  onInputConsumed: () => void = () => undefined;
  readonly #onClosed: StreamSetup['onClosed'];
  readonly #output: OutputWindow;
  #fields: (() => Buffer) | undefined;
  #transport: StreamTransport | undefined;
  #confirmed: boolean;
  #fresh = true;
  #closed = false;
  #eofSent = false;
  #ackScheduled = false;
  #end: EndResult | undefined;
  #settled = false;
  readonly #controls: StreamControls;
  #resolveEnded: (end: EndResult) => void = () => undefined;
  #rejectEnded: (error: unknown) => void = () => undefined;

  constructor(setup: StreamSetup) {
    this.id = setup.id;
    this.#controls = new StreamControls(setup.confirm);
    this.#onClosed = setup.onClosed;
    this.#fields = setup.fields;
    this.#confirmed = setup.fields === undefined;
    this.input = new InputQueue(setup.adopted?.inputOffset ?? 0);
    this.#output = new OutputWindow(
      setup.adopted?.outputOffset ?? 0,
      setup.consume,
      () => this.#consumed(),
      (error) => this.fail(error),
    );
    this.ended = new Promise((resolve, reject) => {
      this.#resolveEnded = resolve;
      this.#rejectEnded = reject;
    });
    this.ended.catch(() => undefined);
  }

  /** True once END came or the stream failed: nothing more goes in. */
  get over(): boolean {
    return this.#settled || this.#end !== undefined;
  }

  /** A session has begun; `listed` is what the agent says of this stream. Throws ProtocolViolation. */
  attach(transport: StreamTransport, listed: HelloStream | undefined): void {
    this.#transport = transport;
    this.#eofSent = false;
    if (listed === undefined) this.#openAgain(transport);
    else this.#resume(transport, listed);
    this.#fresh = false;
    if (this.over) return;
    for (const payload of this.#controls.pending) sendControl(transport, this.id, payload);
    this.pump();
  }

  detach(): void {
    this.#transport = undefined;
  }

  /** A frame of this stream; false when it brought nothing. Throws ProtocolViolation. */
  take(frame: Frame): boolean {
    this.#confirmed = true;
    this.#fields = undefined;
    switch (frame.type) {
      case frameType.data:
        if (this.#end !== undefined) throw new ProtocolViolation('DATA after END');
        this.#output.receive(frame.channel, frame.offset, frame.payload);
        return true;
      case frameType.ack:
        return this.#takeAck(frame);
      case frameType.end:
        return this.#takeEnd(frame);
      default:
        return false;
    }
  }

  /** Queues input; resolves when the guest has consumed it. The caller checks `over` and `input.closed`. */
  write(bytes: Buffer): Promise<void> {
    const consumed = this.input.push(bytes);
    this.pump();
    return consumed;
  }

  endInput(): void {
    this.input.close();
    this.pump();
  }

  /** Sends CONTROL at least once; a newer one under the same name replaces one that is not known to have arrived. */
  control(name: string, fields: readonly Field[]): void {
    if (this.over || this.#closed) return;
    this.#controls.add(name, encodeFields(fields), (payload) => {
      if (this.#transport !== undefined) sendControl(this.#transport, this.id, payload);
    });
  }

  /** Tells the guest to forget the stream, and forgets it. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#transport !== undefined) sendClose(this.#transport, this.id);
    this.#transport = undefined;
    this.#onClosed();
    this.fail(new StreamLostError());
  }

  /** Rejects what waits on the stream. The guest is not told: close() does that. */
  fail(error: unknown): void {
    if (!this.#settled) {
      this.#settled = true;
      this.#rejectEnded(error);
    }
    this.input.fail(error);
    this.#controls.clear();
  }

  /** Sends what may be sent of the input, then EOF. */
  pump(): void {
    const transport = this.#transport;
    if (transport === undefined || this.over) return;
    const batch = this.input.take();
    if (batch !== undefined) sendData(transport, this.id, batch);
    const finalOffset = this.input.finalOffset;
    if (finalOffset === undefined || this.#eofSent) return;
    this.#eofSent = true;
    sendEof(transport, this.id, finalOffset);
  }

  /** Sends the acknowledgement that is due, unless the guest is not reading. */
  flush(): void {
    const transport = this.#transport;
    if (transport === undefined || this.#end !== undefined || !this.#output.ackDue || transport.congested) return;
    this.#output.acknowledged();
    sendGrant(transport, frameType.ack, this.id, this.#output.ackOffset, this.#output.nextLimit);
  }

  #openAgain(transport: StreamTransport): void {
    if (this.#end !== undefined) return;
    if (this.#fields === undefined || this.#confirmed) {
      this.fail(new StreamLostError());
      return;
    }
    this.input.restart();
    sendOpen(transport, this.id, this.#output.nextLimit, this.#fields());
  }

  #resume(transport: StreamTransport, listed: HelloStream): void {
    this.#confirmed = true;
    this.#fields = undefined;
    if (!this.over) this.input.resume(listed.receivedBytes, listed.inputLimitBytes);
    this.onInputConsumed();
    if (this.#end !== undefined) return;
    this.#output.resume(listed.baseOffset, listed.lengthBytes, this.#fresh);
    sendGrant(transport, frameType.resume, this.id, this.#output.ackOffset, this.#output.nextLimit);
  }

  #takeAck(frame: Frame): boolean {
    if (this.over) return false;
    const moved = this.input.acknowledge(frame.offset, readCount(wholePayload(frame), 0));
    if (!moved) return false;
    this.pump();
    this.onInputConsumed();
    return true;
  }

  #takeEnd(frame: Frame): boolean {
    if (this.#end !== undefined) return false;
    this.#output.finish(frame.offset);
    this.#end = parseEnd(wholePayload(frame));
    this.#controls.clear();
    this.#settleEnd();
    return true;
  }

  #consumed(): void {
    if (this.#end !== undefined) {
      this.#settleEnd();
      return;
    }
    if (this.#output.ackUrgent) this.flush();
    else if (!this.#ackScheduled && this.#output.ackDue) {
      this.#ackScheduled = true;
      setImmediate(() => {
        this.#ackScheduled = false;
        this.flush();
      });
    }
  }

  #settleEnd(): void {
    if (this.#end === undefined || !this.#output.idle || this.#settled) return;
    this.#settled = true;
    this.#resolveEnded(this.#end);
    this.input.fail(new StreamLostError());
  }
}
