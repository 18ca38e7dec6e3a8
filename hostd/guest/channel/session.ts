import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { type Frame, ProtocolViolation } from '../protocol/frame.ts';
import { FrameDecoder } from '../protocol/frame-decoder.ts';
import { type Hello, parseHello } from '../protocol/hello.ts';
import { encodeResync, nonceBytes, padding, ResyncHunter, sessionTag } from '../protocol/resync.ts';
import type { StreamTransport } from './stream-frames.ts';
import { TurnSlice } from './work-budget.ts';

export interface SessionEvents {
  /** The agent has answered RESYNC: the session is live. May throw ProtocolViolation. */
  onHello: (hello: Hello) => void;
  /** May throw ProtocolViolation. */
  onFrame: (frame: Frame) => void;
  /** The guest reads again. */
  onDrain: () => void;
}

const firstAnswerMs = 1000;
/** Above this, what is optional is not sent: the guest is not reading. */
const congestedBytes = 256 * 1024;
/** No agent has a reason to send more padding than this in a session. */
const maxPaddingBytes = 64 * 1024;
/** What may come before RESYNC_ACK: the windows of all streams, 256 MiB, were perhaps in flight, and no more. */
const maxDiscardedBytes = 300 * 1024 * 1024;

/** One carrier connection from RESYNC to its end. */
export class Session implements StreamTransport {
  tag = 0;
  /** Resolves when the carrier is gone or after end(); with the violation when the guest broke the protocol. */
  readonly ended: Promise<ProtocolViolation | undefined>;
  readonly #socket: Socket;
  readonly #events: SessionEvents;
  readonly #slice = new TurnSlice();
  #violation: ProtocolViolation | undefined;
  #hunter: ResyncHunter | undefined;
  #decoder: FrameDecoder | undefined;
  #discardedBytes = 0;
  #resend: NodeJS.Timeout | undefined;
  #over = false;

  constructor(socket: Socket, midStream: boolean, events: SessionEvents) {
    this.#socket = socket;
    this.#events = events;
    this.ended = new Promise((resolve) => {
      socket.on('close', () => {
        this.#over = true;
        clearTimeout(this.#resend);
        resolve(this.#violation);
      });
    });
    socket.on('error', () => undefined);
    // Without this node waits until what was written has left, for ever if the peer does not read.
    socket.on('end', () => this.end());
    socket.on('drain', () => events.onDrain());
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#resync(midStream, firstAnswerMs);
  }

  get congested(): boolean {
    return this.#socket.writableLength > congestedBytes;
  }

  send(bytes: Buffer): void {
    if (!this.#over) this.#socket.write(bytes);
  }

  /** Writes made until the end of `batch` leave in one system call. */
  together(batch: () => void): void {
    this.#socket.cork();
    try {
      batch();
    } finally {
      this.#socket.uncork();
    }
  }

  /** Closes the carrier. What was sent and not yet taken by the kernel is lost. */
  end(): void {
    this.#over = true;
    this.#socket.destroy();
  }

  #resync(padded: boolean, answerMs: number): void {
    const nonce = randomBytes(nonceBytes);
    this.#discardedBytes += this.#hunter?.discardedBytes ?? 0;
    this.#hunter = new ResyncHunter(nonce);
    this.tag = sessionTag(nonce);
    this.together(() => {
      if (padded) this.send(padding);
      this.send(encodeResync(nonce));
    });
    this.#awaitAnswer(answerMs);
  }

  /** Asks again with a new nonce, ever less often, but never while the last question has not even left. */
  #awaitAnswer(answerMs: number): void {
    this.#resend = setTimeout(() => {
      if (this.#socket.writableLength > 0) this.#awaitAnswer(answerMs);
      else this.#resync(true, answerMs * 2);
    }, answerMs);
  }

  #take(chunk: Buffer): void {
    if (this.#over) return;
    this.#slice.begin();
    try {
      if (this.#decoder === undefined) this.#hunt(chunk);
      else this.#decode(this.#decoder, chunk);
    } catch (error) {
      if (!(error instanceof ProtocolViolation)) throw error;
      this.#violation = error;
      this.end();
      return;
    }
    if (!this.#slice.spent || this.#over) return;
    this.#socket.pause();
    setImmediate(() => this.#socket.resume());
  }

  #hunt(chunk: Buffer): void {
    const hunter = this.#hunter;
    const answer = hunter?.push(chunk);
    if (this.#discardedBytes + (hunter?.discardedBytes ?? 0) > maxDiscardedBytes)
      throw new ProtocolViolation('the guest sends without end and does not answer RESYNC');
    if (answer === undefined) return;
    clearTimeout(this.#resend);
    const hello = parseHello(answer.fields);
    this.#decoder = new FrameDecoder(this.tag, this.#events.onFrame);
    this.together(() => this.#events.onHello(hello));
    if (answer.rest.length > 0) this.#decode(this.#decoder, answer.rest);
  }

  #decode(decoder: FrameDecoder, chunk: Buffer): void {
    decoder.push(chunk);
    if (decoder.paddingBytes > maxPaddingBytes) throw new ProtocolViolation('the guest sends padding without end');
  }
}
