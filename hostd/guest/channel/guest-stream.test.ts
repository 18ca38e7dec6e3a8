import { expect, test } from 'vitest';
import { encodeFields, type Field } from '../protocol/fields.ts';
import { channels, type Frame, frameType, readCount } from '../protocol/frame.ts';
import { GuestStream } from './guest-stream.ts';
import type { StreamTransport } from './stream-frames.ts';
import { HostFrameDecoder, type PlainFrame } from './testing/host-frames.ts';
import type { HelloStream } from '../protocol/hello.ts';
import { encodeResync } from '../protocol/resync.ts';

/** The guest's side of a session, as the frames that reach it. */
class Wire implements StreamTransport {
  readonly tag = Buffer.from('tag-tag-tag-tag-').readUInt32LE(0);
  congested = false;
  readonly frames: PlainFrame[] = [];
  readonly #decoder = new HostFrameDecoder();

  constructor() {
    this.#decoder.push(encodeResync(Buffer.from('tag-tag-tag-tag-')), () => undefined);
  }

  send(bytes: Buffer): void {
    this.#decoder.push(bytes, (frame) => this.frames.push({ ...frame, payload: Buffer.from(frame.payload) }));
  }

  of(type: number): PlainFrame[] {
    return this.frames.filter((frame) => frame.type === type);
  }
}

function open(consume: (bytes: Buffer) => Promise<void> | undefined) {
  const wire = new Wire();
  let confirmed: (() => void)[] = [];
  const stream = new GuestStream({
    id: 4,
    fields: () => encodeFields([['kind', 'exec']]),
    consume: (_channel, _offset, bytes) => consume(bytes),
    confirm: (arrived) => confirmed.push(arrived),
    onClosed: () => undefined,
  });
  const confirm = (): void => {
    for (const arrived of confirmed.splice(0)) arrived();
    confirmed = [];
  };
  stream.attach(wire, undefined);
  return { wire, stream, confirm };
}

function frame(type: number, offset: number, payload: Buffer = Buffer.alloc(0)): Frame {
  const channel = type === frameType.data ? channels.stdout : 0;
  return {
    type,
    streamId: 4,
    offset,
    flags: 0,
    channel,
    payload: payload.length === 0 ? [] : [payload],
    payloadBytes: payload.length,
  };
}

function listed(state: Partial<HelloStream> = {}): HelloStream {
  const nothing = { receivedBytes: 0, inputLimitBytes: 65536, baseOffset: 0, lengthBytes: 0, ended: false };
  return { id: 4, kind: 'exec', ...nothing, ...state };
}

const end = (offset: number, fields: Field[] = [['ok', 1]]): Frame =>
  frame(frameType.end, offset, encodeFields(fields));
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('OPEN goes out at once and grants a window of 1 MiB', () => {
  const { wire } = open(() => undefined);
  expect(wire.frames).toMatchObject([{ type: frameType.open, streamId: 4, offset: 1_048_576 }]);
});

test('single short outputs are acknowledged in the same turn, each once', async () => {
  const { wire, stream } = open(() => Promise.resolve());
  stream.take(frame(frameType.data, 0, Buffer.from('hello')));
  await turn();
  await turn();
  stream.take(frame(frameType.data, 5, Buffer.from('you')));
  await turn();
  await turn();
  expect(wire.of(frameType.ack).map(({ offset, payload }) => [offset, readCount(payload, 0)])).toEqual([
    [5, 1_048_581],
    [8, 1_048_584],
  ]);
});

test('a flood is acknowledged every 128 KiB, not for every frame', async () => {
  const { wire, stream } = open(() => Promise.resolve());
  let offset = 0;
  for (let round = 0; round < 100; round += 1) {
    for (let index = 0; index < 100; index += 1) {
      stream.take(frame(frameType.data, offset, Buffer.alloc(1000)));
      offset += 1000;
    }
    await Promise.resolve();
  }
  await turn();
  await turn();
  const acks = wire.of(frameType.ack);
  expect(acks.at(-1)?.offset).toBe(offset);
  expect(acks.length).toBeGreaterThan(20);
  expect(acks.length).toBeLessThanOrEqual(Math.ceil(offset / (128 * 1024)) + 1);
});

test('only what the sink has taken is acknowledged, up to the first that has not resolved', async () => {
  const taken: (() => void)[] = [];
  const { wire, stream } = open(() => new Promise((resolve) => void taken.push(resolve)));
  for (const offset of [0, 200_000, 400_000]) stream.take(frame(frameType.data, offset, Buffer.alloc(200_000)));
  taken[1]?.();
  await turn();
  expect(wire.of(frameType.ack)).toEqual([]);
  taken[0]?.();
  await turn();
  expect(wire.of(frameType.ack).map(({ offset }) => offset)).toEqual([400_000]);
});

test('after a cut nothing is acknowledged that the guest has not sent again', async () => {
  const taken: (() => void)[] = [];
  const { wire, stream } = open(() => new Promise((resolve) => void taken.push(resolve)));
  for (const offset of [0, 200_000, 400_000]) stream.take(frame(frameType.data, offset, Buffer.alloc(200_000)));
  taken[0]?.();
  await turn();
  const second = new Wire();
  stream.detach();
  stream.attach(second, listed({ lengthBytes: 600_000, baseOffset: 200_000 }));
  expect(second.of(frameType.resume).map(({ offset }) => offset)).toEqual([200_000]);
  for (const resolve of taken) resolve();
  await turn();
  expect(second.of(frameType.ack)).toEqual([]);
  stream.take(frame(frameType.data, 200_000, Buffer.alloc(150_000)));
  await turn();
  expect(second.of(frameType.ack).map(({ offset }) => offset)).toEqual([350_000]);
  stream.take(frame(frameType.data, 350_000, Buffer.alloc(250_000)));
  await turn();
  expect(second.of(frameType.ack).map(({ offset }) => offset)).toEqual([350_000, 600_000]);
  expect(taken).toHaveLength(3);
  expect(wire.of(frameType.ack).map(({ offset }) => offset)).toEqual([200_000]);
});

test('a guest that does not read gets no acknowledgement before it does', async () => {
  const { wire, stream } = open(() => Promise.resolve());
  wire.congested = true;
  stream.take(frame(frameType.data, 0, Buffer.alloc(500_000)));
  await turn();
  expect(wire.of(frameType.ack)).toEqual([]);
  wire.congested = false;
  stream.flush();
  expect(wire.of(frameType.ack).map(({ offset }) => offset)).toEqual([500_000]);
});

test('a sink that fails fails the stream with its error; nothing more is acknowledged or delivered', async () => {
  let calls = 0;
  const { wire, stream } = open(() => {
    calls += 1;
    return Promise.reject(new Error('disk full'));
  });
  stream.take(frame(frameType.data, 0, Buffer.alloc(300_000)));
  await expect(stream.ended).rejects.toThrow('disk full');
  stream.take(frame(frameType.data, 300_000, Buffer.alloc(300_000)));
  await turn();
  expect(calls).toBe(1);
  expect(wire.of(frameType.ack)).toEqual([]);
});

test('END waits for the sink', async () => {
  let take: () => void = () => undefined;
  const { stream } = open(() => new Promise((resolve) => void (take = resolve)));
  stream.take(frame(frameType.data, 0, Buffer.from('last')));
  stream.take(end(4));
  let ended = false;
  void stream.ended.then(() => (ended = true));
  await turn();
  expect(ended).toBe(false);
  take();
  expect(await stream.ended).toMatchObject({ ok: true });
});

test('controls are sent again in a new session until they are known to have arrived, the last of each kind', () => {
  const { stream, confirm } = open(() => undefined);
  const again = (): number[] => {
    const wire = new Wire();
    stream.detach();
    stream.attach(wire, listed());
    expect(wire.of(frameType.resume)).toHaveLength(1);
    return wire.of(frameType.control).map(({ payload }) => payload.at(-1) ?? 0);
  };
  stream.control('resize', [['rows', 1]]);
  stream.control('resize', [['rows', 2]]);
  stream.control('signal-2', [['signal', 2]]);
  expect(again()).toEqual([0x32, 0x32]);
  confirm();
  expect(again()).toEqual([]);
});

test('a stream that was heard of and is not listed is lost; one that never arrived is opened again', async () => {
  const { stream } = open(() => undefined);
  const second = new Wire();
  stream.detach();
  stream.attach(second, undefined);
  expect(second.of(frameType.open)).toHaveLength(1);
  stream.take(frame(frameType.data, 0, Buffer.from('x')));
  stream.detach();
  stream.attach(new Wire(), undefined);
  await expect(stream.ended).rejects.toThrow('lost the stream');
});
