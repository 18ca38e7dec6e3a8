import { decodeFields, encodeFields, fieldTexts, type Field } from '../../protocol/fields.ts';
import { channels, frameType, readCount } from '../../protocol/frame.ts';
import { count, HostFrameDecoder, plainFrame, type PlainFrame, resyncAnswer } from './host-frames.ts';

const inputWindow = 65536;
const ringBytes = 1024 * 1024;

/** One stream of the model agent, with the output nobody has acknowledged. */
export class ModelStream {
  readonly id: number;
  readonly texts: Record<string, string>;
  readonly fields: readonly { key: string; value: Buffer }[];
  received = 0;
  consumed = 0;
  base = 0;
  sent = 0;
  limit: number;
  suspended = false;
  inputEnded = false;
  ended: Buffer | undefined;
  endSent = false;
  readonly controls: Record<string, string>[] = [];
  output: { channel: number; bytes: Buffer }[] = [];
  length = 0;
  onInput: (bytes: Buffer) => void = () => undefined;
  onInputEnd: () => void = () => undefined;
  onControl: (texts: Record<string, string>) => void = () => undefined;
  onClose: () => void = () => undefined;
  readonly #flush: () => void;

  constructor(id: number, open: Buffer, limit: number, flush: () => void) {
    this.id = id;
    this.fields = decodeFields(open, 4096);
    this.texts = fieldTexts(this.fields);
    this.limit = limit;
    this.#flush = flush;
  }

  /** False when the ring is full. */
  write(bytes: Buffer, channel: number = channels.stdout): boolean {
    if (this.length - this.base + bytes.length > ringBytes) return false;
    this.output.push({ channel, bytes });
    this.length += bytes.length;
    this.#flush();
    return true;
  }

  end(fields: readonly Field[]): void {
    this.ended = encodeFields(fields);
    this.#flush();
  }

  release(offset: number): void {
    while (this.output[0] !== undefined && this.base < offset) {
      const { channel, bytes } = this.output[0];
      const dropped = Math.min(offset - this.base, bytes.length);
      this.base += dropped;
      if (dropped === bytes.length) this.output.shift();
      else this.output[0] = { channel, bytes: bytes.subarray(dropped) };
    }
  }
}

/** The agent's side of PROTOCOL.md in TypeScript: streams with retention that outlive carriers. Programs are given by tests. */
export class ModelAgent {
  readonly streams = new Map<number, ModelStream>();
  capabilities = ['exec', 'read-file', 'write-file', 'list', 'stat', 'tar-in', 'tar-out', 'metrics', 'sync', 'include'];
  /** Largest DATA payload it sends. */
  frameBytes = 65536;
  /** Takes input up to its window and consumes none of it. */
  holdsInput = false;
  onOpen: (stream: ModelStream) => void = (stream) => stream.end([['ok', 1]]);
  resyncs = 0;
  opened = 0;
  acks = 0;
  /** Where its bytes go; undefined when no host is connected. */
  send: ((bytes: Buffer) => void) | undefined;
  readonly #decoder = new HostFrameDecoder();
  readonly #opening = new Map<number, Buffer[]>();
  #live = false;

  /** Bytes from the host, cut anywhere. */
  receive(chunk: Buffer): void {
    this.#decoder.push(chunk, (frame) => this.#take(frame));
  }

  /** The carrier is gone, as an agent that notices would see it. */
  carrierLost(): void {
    this.send = undefined;
    this.#live = false;
  }

  flush(): void {
    if (!this.#live) return;
    for (const stream of this.streams.values()) this.#flushStream(stream);
  }

  sendFrame(frame: PlainFrame): void {
    this.send?.(plainFrame(this.#decoder.tag ?? 0, frame));
  }

  #take(frame: PlainFrame): void {
    if (frame.type === frameType.resync) return this.#resync(frame.payload);
    if (frame.type === frameType.ping) return this.sendFrame({ ...frame, type: frameType.pong });
    if (frame.type === frameType.open) return this.#open(frame);
    const stream = this.streams.get(frame.streamId);
    if (stream === undefined) return;
    if (frame.type === frameType.data) this.#data(stream, frame);
    if (frame.type === frameType.eof) this.#eof(stream, frame);
    if (frame.type === frameType.control) {
      stream.controls.push(fieldTexts(decodeFields(frame.payload, 16)));
      stream.onControl(stream.controls.at(-1) ?? {});
    }
    if (frame.type === frameType.close) {
      this.streams.delete(stream.id);
      stream.onClose();
    }
    if (frame.type === frameType.ack) {
      this.acks += 1;
      if (frame.offset > stream.sent) throw new Error('model agent: ACK of output not sent in this session');
      stream.limit = readCount(frame.payload, 0);
      stream.release(frame.offset);
      this.#flushStream(stream);
    }
    if (frame.type === frameType.resume) {
      if (frame.offset > stream.length) throw new Error('model agent: RESUME beyond the output');
      stream.release(frame.offset);
      stream.sent = Math.max(frame.offset, stream.base);
      stream.limit = readCount(frame.payload, 0);
      stream.suspended = false;
      stream.endSent = false;
      this.#flushStream(stream);
    }
  }

  #resync(nonce: Buffer): void {
    this.resyncs += 1;
    this.#live = true;
    this.#opening.clear();
    const streams = [...this.streams.values()].map((stream): Field => {
      stream.suspended = true;
      return [
        'stream',
        encodeFields([
          ['id', stream.id],
          ['kind', stream.texts['kind'] ?? ''],
          ['received', stream.received],
          ['limit', stream.consumed + inputWindow],
          ['base', stream.base],
          ['length', stream.length],
          ['ended', stream.ended === undefined ? 0 : 1],
        ]),
      ];
    });
    const capabilities = this.capabilities.map((name): Field => ['capability', name]);
    this.send?.(resyncAnswer(nonce, encodeFields([['version', 1], ['agent', 'model'], ...capabilities, ...streams])));
  }

  #open(frame: PlainFrame): void {
    const parts = [...(this.#opening.get(frame.streamId) ?? []), Buffer.from(frame.payload)];
    this.#opening.set(frame.streamId, parts);
    if (frame.flags === 1) return;
    this.#opening.delete(frame.streamId);
    if (this.streams.has(frame.streamId)) throw new Error('model agent: a stream was opened twice');
    this.opened += 1;
    const stream = new ModelStream(frame.streamId, Buffer.concat(parts), frame.offset, () => this.flush());
    this.streams.set(stream.id, stream);
    this.onOpen(stream);
  }

  #data(stream: ModelStream, frame: PlainFrame): void {
    if (frame.offset !== stream.received) throw new Error('model agent: input does not continue');
    if (frame.offset + frame.payload.length > stream.consumed + inputWindow)
      throw new Error('model agent: input over its limit');
    stream.received += frame.payload.length;
    stream.onInput(Buffer.from(frame.payload));
    if (!this.holdsInput) this.consume(stream);
  }

  /** Consumes all that was received and says so. */
  consume(stream: ModelStream): void {
    stream.consumed = stream.received;
    this.sendFrame({
      type: frameType.ack,
      streamId: stream.id,
      offset: stream.consumed,
      payload: count(stream.consumed + inputWindow),
    });
  }

  #eof(stream: ModelStream, frame: PlainFrame): void {
    if (frame.offset !== stream.received) throw new Error('model agent: EOF before all of the input');
    if (stream.inputEnded) return;
    stream.inputEnded = true;
    stream.onInputEnd();
  }

  #flushStream(stream: ModelStream): void {
    if (stream.suspended || !this.#live) return;
    let position = stream.base;
    for (const { channel, bytes } of stream.output) {
      for (let start = Math.max(0, stream.sent - position); start < bytes.length;) {
        const room = Math.min(this.frameBytes, stream.limit - stream.sent, bytes.length - start);
        if (room <= 0) return;
        const payload = bytes.subarray(start, start + room);
        const offset = stream.sent;
        stream.sent += room;
        start += room;
        this.sendFrame({ type: frameType.data, streamId: stream.id, channel, offset, payload });
      }
      position += bytes.length;
    }
    if (stream.ended === undefined || stream.endSent) return;
    stream.endSent = true;
    this.sendFrame({ type: frameType.end, streamId: stream.id, offset: stream.length, payload: stream.ended });
  }
}
