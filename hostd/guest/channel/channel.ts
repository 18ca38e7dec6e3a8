import type { Socket } from 'node:net';
import {
  type Frame,
  frameType,
  guestOpenedBit,
  maxStreams,
  ProtocolViolation,
  wholePayload,
} from '../protocol/frame.ts';
import type { Hello, HelloStream } from '../protocol/hello.ts';
import { Dialer } from './dialer.ts';
import { closedError, type CloseReason, tooManyStreams } from './errors.ts';
import { GuestStream } from './guest-stream.ts';
import { Pings } from './pings.ts';
import { Session } from './session.ts';
import { sendClose, sendEcho } from './stream-frames.ts';
import type { StreamSetup } from './stream-setup.ts';
import { Violations } from './violations.ts';
import { IdleFrameBudget } from './work-budget.ts';

const doubtPauseMs = 10_000;

/** The streams of one sandbox over the sessions that carry them: it reconnects and resumes until the sandbox is gone. */
export class GuestChannel {
  readonly closed: Promise<CloseReason>;
  /** Resolves with the first agent's answer; rejects when the channel closes before. */
  readonly ready: Promise<Hello>;
  readonly #streams = new Map<number, GuestStream>();
  /** Streams of an earlier host that nobody has taken up or dropped. */
  #strays = new Map<number, HelloStream>();
  readonly #pings = new Pings();
  readonly #dialer: Dialer;
  readonly #stop = new AbortController();
  #hello: Hello | undefined;
  #session: Session | undefined;
  #live: Session | undefined;
  #budget = new IdleFrameBudget();
  #midStream: boolean;
  #highestId = 0;
  readonly #violations = new Violations();
  #doubtedAtMs = -Infinity;
  #closedWith: Error | undefined;
  #resolveReady: (hello: Hello) => void = () => undefined;
  #rejectReady: (error: Error) => void = () => undefined;

  constructor(socketPath: string, midStream: boolean) {
    this.#midStream = midStream;
    this.#dialer = new Dialer(socketPath, this.#stop.signal);
    this.ready = new Promise((resolve, reject) => {
      this.#resolveReady = resolve;
      this.#rejectReady = reject;
    });
    this.ready.catch(() => undefined);
    this.closed = this.#run();
  }

  get hello(): Hello | undefined {
    return this.#hello;
  }

  /** Throws when the channel is closed or has as many streams as the protocol allows. */
  openStream(setup: Omit<StreamSetup, 'confirm' | 'onClosed' | 'adopted'>): GuestStream {
    if (this.#closedWith !== undefined) throw this.#closedWith;
    if (this.#streams.size + this.#strays.size >= maxStreams) throw tooManyStreams();
    return this.#add(setup);
  }

  /** Takes up a stream of an earlier host; undefined when the agent has none of this id and kind. */
  adoptStream(
    id: number,
    kind: string,
    outputOffset: number,
    consume: StreamSetup['consume'],
  ): GuestStream | undefined {
    const stray = this.#strays.get(id);
    if (this.#closedWith !== undefined || stray?.kind !== kind) return undefined;
    this.#strays.delete(id);
    return this.#add({ id, consume, adopted: { outputOffset, inputOffset: stray.receivedBytes } }, stray);
  }

  reserveStreamId(floor = 0): number {
    this.#highestId = Math.max(this.#highestId, floor) + 1;
    if (this.#highestId >= guestOpenedBit) throw new RangeError('stream ids are used up');
    return this.#highestId;
  }

  /** Calls back when the guest has answered; returns a function that gives up waiting. */
  ping(answered: () => void): () => void {
    return this.#pings.send(this.#live, answered);
  }

  /**
   * The guest let a deadline pass. If the session itself is what is stuck (an agent that waits for RESYNC says nothing),
   * a new one mends it, and costs a busy guest little.
   */
  doubt(): void {
    const nowMs = performance.now();
    if (this.#live === undefined || nowMs - this.#doubtedAtMs < doubtPauseMs) return;
    this.#doubtedAtMs = nowMs;
    this.#live.end();
  }

  closeStrays(): void {
    for (const id of this.#strays.keys()) this.#sendClose(id);
    this.#strays.clear();
  }

  /** The agent has dropped them by itself. */
  forgetStrays(): void {
    this.#strays.clear();
  }

  /** Ends the channel; the guest goes on. Idempotent. */
  disconnect(): void {
    this.#stop.abort();
    this.#session?.end();
  }

  async #run(): Promise<CloseReason> {
    const reason = await this.#runSessions();
    const error = closedError(reason, this.#violations.last);
    this.#closedWith = error;
    this.#rejectReady(error);
    for (const stream of this.#streams.values()) stream.fail(error);
    this.#streams.clear();
    return reason;
  }

  async #runSessions(): Promise<CloseReason> {
    for (;;) {
      const socket = await this.#dialer.dial();
      if (this.#stop.signal.aborted) return 'disconnected';
      if (socket === undefined) return 'carrier-gone';
      const violation = await this.#runSession(socket);
      if (this.#stop.signal.aborted) return 'disconnected';
      if (violation !== undefined && this.#violations.add(violation)) return 'protocol';
    }
  }

  async #runSession(socket: Socket): Promise<ProtocolViolation | undefined> {
    this.#budget = new IdleFrameBudget();
    const session = new Session(socket, this.#midStream, {
      onHello: (hello) => this.#begin(session, hello),
      onFrame: (frame) => this.#take(frame),
      onDrain: () => this.#flush(),
    });
    this.#session = session;
    this.#midStream = true;
    const violation = await session.ended;
    this.#session = undefined;
    this.#live = undefined;
    for (const stream of this.#streams.values()) stream.detach();
    return violation;
  }

  #begin(session: Session, hello: Hello): void {
    const isFirst = this.#hello === undefined;
    const listed = new Map(hello.streams.map((stream) => [stream.id, stream]));
    for (const id of listed.keys()) if (id < guestOpenedBit) this.#highestId = Math.max(this.#highestId, id);
    this.#hello = hello;
    this.#live = session;
    this.#strays = new Map([...listed].filter(([id]) => isFirst || this.#strays.has(id)));
    for (const stream of [...this.#streams.values()]) stream.attach(session, listed.get(stream.id));
    for (const id of listed.keys()) if (!this.#streams.has(id) && !this.#strays.has(id)) this.#sendClose(id);
    this.#pings.resume(session);
    this.#dialer.succeeded();
    this.#resolveReady(hello);
  }

  #take(frame: Frame): void {
    if (frame.type === frameType.pong) {
      if (this.#live === undefined || !this.#pings.take(this.#live, wholePayload(frame))) this.#budget.spend();
      return;
    }
    const stream = this.#streams.get(frame.streamId);
    if (stream !== undefined && frame.type !== frameType.open) {
      if (!stream.take(frame)) this.#budget.spend();
      return;
    }
    this.#budget.spend();
    if (frame.type === frameType.ping) this.#answerPing(frame);
    else if (frame.type === frameType.open) this.#refuse(frame);
    else if (frame.streamId > this.#highestId) throw new ProtocolViolation('a frame of a stream nobody opened');
  }

  #answerPing(frame: Frame): void {
    const session = this.#live;
    if (session === undefined || session.congested) return;
    sendEcho(session, frameType.pong, frame.offset, wholePayload(frame));
  }

  /** This host takes no streams from the guest: no kind of the protocol is opened from there yet. */
  #refuse(frame: Frame): void {
    if (frame.streamId < guestOpenedBit)
      throw new ProtocolViolation('the guest opened a stream with an id of the host');
    if (this.#live?.congested === false) this.#sendClose(frame.streamId);
  }

  #flush(): void {
    for (const stream of this.#streams.values()) stream.flush();
  }

  #add(setup: Omit<StreamSetup, 'confirm' | 'onClosed'>, listed?: HelloStream): GuestStream {
    if (this.#streams.has(setup.id)) throw new RangeError(`stream ${String(setup.id)} is in use`);
    this.#highestId = Math.max(this.#highestId, setup.id);
    const stream = new GuestStream({
      ...setup,
      confirm: (arrived) => this.ping(arrived),
      onClosed: () => this.#streams.delete(setup.id),
    });
    this.#streams.set(setup.id, stream);
    if (this.#live !== undefined) stream.attach(this.#live, listed);
    return stream;
  }

  #sendClose(id: number): void {
    if (this.#live !== undefined) sendClose(this.#live, id);
  }
}
