import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { encodeFields, type Field } from '../protocol/fields.ts';
import type { Frame } from '../protocol/frame.ts';
import { Session } from './session.ts';
import { HostFrameDecoder, plainFrame, resyncAnswer } from './testing/host-frames.ts';
import { dataFrame } from './testing/scripted-peer.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A socket whose other end is the test: what is written, and what is said to arrive. */
class FakeSocket extends Duplex {
  readonly written: Buffer[] = [];
  takes = true;

  override _read(): void {
    // The test pushes.
  }

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.written.push(chunk);
    if (this.takes) callback();
  }
}

const hello: Field[] = [
  ['version', 1],
  ['agent', 'fake'],
];

function start(midStream: boolean) {
  const socket = new FakeSocket();
  const frames: Frame[] = [];
  let hellos = 0;
  const session = new Session(socket as unknown as Socket, midStream, {
    onHello: () => void (hellos += 1),
    onFrame: (frame) => frames.push(frame),
    onDrain: () => undefined,
  });
  const nonces = (): Buffer[] => {
    const found: Buffer[] = [];
    new HostFrameDecoder().push(Buffer.concat(socket.written), ({ payload }) => found.push(Buffer.from(payload)));
    return found;
  };
  return { socket, session, frames, nonces, hellos: () => hellos };
}

test('padding only where the agent may be in the middle of a frame', () => {
  expect(Buffer.concat(start(false).socket.written)).toHaveLength(60);
  const padded = Buffer.concat(start(true).socket.written);
  expect(padded).toHaveLength(16408 + 60);
  expect(padded.subarray(0, 16408).every((byte) => byte === 0)).toBe(true);
});

test('without an answer it asks again, padded, ever less often, and takes only the answer to the last question', () => {
  vi.useFakeTimers();
  const { socket, session, nonces, hellos } = start(false);
  vi.advanceTimersByTime(999);
  expect(nonces()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(nonces()).toHaveLength(2);
  vi.advanceTimersByTime(1999);
  expect(nonces()).toHaveLength(2);
  vi.advanceTimersByTime(1);
  const [first, second, third] = nonces();
  if (first === undefined || second === undefined || third === undefined) throw new Error('three questions');
  expect(Buffer.concat(socket.written)).toHaveLength(60 + 2 * (16408 + 60));
  socket.emit('data', resyncAnswer(second, encodeFields(hello)));
  expect(hellos()).toBe(0);
  socket.emit('data', resyncAnswer(third, encodeFields(hello)));
  expect(hellos()).toBe(1);
  expect(session.tag).toBe(third.readUInt32LE(0));
  vi.advanceTimersByTime(100_000);
  expect(nonces()).toHaveLength(3);
});

test('a guest that does not even read is not asked again and again', () => {
  vi.useFakeTimers();
  const { socket } = start(true);
  socket.takes = false;
  vi.advanceTimersByTime(1000);
  const askedBytes = socket.writableLength;
  vi.advanceTimersByTime(1_000_000);
  expect(socket.writableLength).toBe(askedBytes);
});

test('endless bytes without an answer are a violation in the end', async () => {
  const { socket, session } = start(true);
  const chunk = Buffer.alloc(64 * 1024, 0xf5);
  for (let pushed = 0; pushed < 310; pushed += 1)
    for (let part = 0; part < 16 && !socket.destroyed; part += 1) socket.emit('data', chunk);
  expect(socket.destroyed).toBe(true);
  expect((await session.ended)?.message).toMatch(/does not answer RESYNC/);
});

test('frames right behind the answer are taken; a guest that has had its share of the turn waits for the next', async () => {
  const { socket, session, frames, nonces } = start(false);
  const [nonce] = nonces();
  if (nonce === undefined) throw new Error('no RESYNC');
  const tiny = plainFrame(nonce.readUInt32LE(0), dataFrame(1, 0, Buffer.from('x')));
  socket.emit('data', Buffer.concat([resyncAnswer(nonce, encodeFields(hello)), tiny]));
  expect(frames).toHaveLength(1);
  const chunk = Buffer.concat(Array.from({ length: 2600 }, () => tiny));
  await new Promise(setImmediate);
  const startMs = performance.now();
  while (!socket.isPaused() && performance.now() - startMs < 2000) socket.emit('data', chunk);
  expect(socket.isPaused()).toBe(true);
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(socket.isPaused()).toBe(false);
  session.end();
  expect(await session.ended).toBeUndefined();
});
