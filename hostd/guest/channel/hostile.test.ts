import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Guest } from '../guest.ts';
import type { Field } from '../protocol/fields.ts';
import { frameType } from '../protocol/frame.ts';
import { ChannelConnector } from './connector.ts';
import { socketFolder } from './testing/carriers.ts';
import { count, plainFrame, resyncAnswer } from './testing/host-frames.ts';
import {
  dataFrame,
  endFrame,
  listedStream,
  plainHello,
  type PeerSession,
  ScriptedPeer,
} from './testing/scripted-peer.ts';
import { catSpec, CollectingSink } from './testing/sinks.ts';

let folder: ReturnType<typeof socketFolder>;
let peer: ScriptedPeer;
const guests: Guest[] = [];

async function connect(helloTimeoutMs = 5000): Promise<Guest> {
  const guest = await new ChannelConnector().connect({
    socketPath: folder.socketPath,
    midStream: true,
    helloTimeoutMs,
  });
  guests.push(guest);
  return guest;
}

beforeEach(async () => {
  folder = socketFolder();
  peer = new ScriptedPeer();
  await peer.server.listen(folder.socketPath);
});

afterEach(async () => {
  for (const guest of guests.splice(0)) guest.disconnect();
  await peer.server.close();
  folder[Symbol.dispose]();
});

/** Writes the chunk for ever, as fast as it is taken. */
function flood(socket: Socket, chunk: () => Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk()));
  };
  socket.on('drain', more);
  more();
}

/** What is held after the garbage is gone; buffers are freed a little after the collection. */
async function retainedBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let least = Infinity;
  for (let round = 0; round < 5; round += 1) {
    collect();
    least = Math.min(least, heldBytes());
    await sleep(20);
  }
  return least;
}

/** Bytes that hostd itself holds, buffers and objects; the peer of these tests lives in the same process and holds little. */
function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Garbage left out: how much of it lies around is a matter of how busy the machine is. */
async function mostRetainedDuring(run: Promise<unknown>): Promise<number> {
  const startBytes = await retainedBytes();
  let most = 0;
  let over = false;
  const done = run.finally(() => {
    over = true;
  });
  while (!over) most = Math.max(most, (await retainedBytes()) - startBytes);
  await done;
  return most;
}

describe('before the session', () => {
  test.each<[string, Buffer]>([
    ['noise', randomBytes(65536)],
    ['start bytes', Buffer.alloc(65536, 0xf5)],
    ['answers to other nonces', resyncAnswer(randomBytes(16), Buffer.alloc(60_000))],
    ['single bytes', Buffer.from([0xf5])],
  ])('endless %s: connect gives up and holds next to nothing', async (_what, chunk) => {
    peer.onConnection = (socket) => flood(socket, () => chunk);
    const attempt = expect(connect(300)).rejects.toMatchObject({
      code: 'guest-unresponsive',
      details: { reason: 'timeout' },
    });
    expect(await mostRetainedDuring(attempt)).toBeLessThan(100 * 1024 * 1024);
  });

  test('a guest that never answers, and one that never reads', async () => {
    peer.onConnection = (socket) => socket.pause();
    await expect(connect(200)).rejects.toMatchObject({ code: 'guest-unresponsive' });
  });

  test('a hello that breaks the rules three times is the end', async () => {
    peer.hello = () => [['version', 9]];
    await expect(connect()).rejects.toMatchObject({ code: 'guest-protocol' });
    expect(peer.sessions).toBe(3);
  });

  test('an answer that comes only to the second question is taken', async () => {
    let asked = 0;
    const serve = peer.hello;
    peer.hello = (index) => {
      asked += 1;
      return index === 0 ? [] : serve(index);
    };
    const guest = await connect(5000);
    expect(asked).toBe(2);
    expect(guest.hello.agentBuild).toBe('scripted');
  });
});

interface Misbehaviour {
  what: string;
  /** Output that hostd accepts before it sees the violation. */
  acceptedBytes?: number;
  /** It shows only while the sink takes nothing: then nothing raises the window. */
  needsStuckSink?: true;
  does: (session: PeerSession, streamId: number) => void;
}

const okEnd: Field[] = [
  ['ok', 1],
  ['exit-code', 4],
];
const misbehaviours: Misbehaviour[] = [
  { what: 'noise', does: ({ raw }) => raw(randomBytes(1000)) },
  { what: 'a wrong tag', does: ({ raw, tag }, id) => raw(plainFrame(tag + 1, dataFrame(id, 0, Buffer.from('x')))) },
  { what: 'an oversized frame', does: ({ send }, id) => send(dataFrame(id, 0, Buffer.alloc(70_000))) },
  { what: 'data that skips', does: ({ send }, id) => send(dataFrame(id, 1, Buffer.from('x'))) },
  {
    what: 'data that is doubled',
    acceptedBytes: 1,
    does: ({ send }, id) => [0, 0].forEach((offset) => send(dataFrame(id, offset, Buffer.alloc(1)))),
  },
  {
    what: 'data beyond the window',
    acceptedBytes: 1024 * 1024,
    needsStuckSink: true,
    does: ({ raw, tag }, id) => {
      const frames = Array.from({ length: 17 }, (_value, index) => dataFrame(id, index * 65536, Buffer.alloc(65536)));
      raw(Buffer.concat(frames.map((frame) => plainFrame(tag, frame))));
    },
  },
  { what: 'data of a stream nobody opened', does: ({ send }, id) => send(dataFrame(id + 1000, 0, Buffer.from('x'))) },
  { what: 'an END too early', does: ({ send }, id) => send(endFrame(id, 5, okEnd)) },
  {
    what: 'a malformed END',
    does: ({ send }, id) => send({ ...endFrame(id, 0, []), payload: Buffer.from('nonsense') }),
  },
  {
    what: 'an ACK of input never sent',
    does: ({ send }, id) => send({ type: frameType.ack, streamId: id, offset: 1, payload: count(70_000) }),
  },
  {
    what: 'an ACK with an absurd limit',
    does: ({ send }, id) => send({ type: frameType.ack, streamId: id, offset: 0, payload: Buffer.alloc(8, 0xff) }),
  },
  {
    what: 'an OPEN with an id of the host',
    does: ({ send }) => send({ type: frameType.open, streamId: 5, offset: 0, payload: Buffer.alloc(0) }),
  },
  { what: 'padding without end', does: ({ raw }) => raw(Buffer.alloc(100_000)) },
  { what: 'pings without end', does: ({ socket, tag }) => flood(socket.pause(), repeated(tag, frameType.ping, 0)) },
  {
    what: 'streams of its own without end',
    does: ({ socket, tag }) => flood(socket.pause(), repeated(tag, frameType.open, 0x80000001)),
  },
];

function repeated(tag: number, type: number, streamId: number): () => Buffer {
  const frame = plainFrame(tag, { type, streamId, offset: 0, payload: Buffer.alloc(0) });
  const many = Buffer.concat(Array.from({ length: 1000 }, () => frame));
  return () => many;
}

describe('in a session', () => {
  let misbehaves: (index: number) => boolean;

  function script({ does, acceptedBytes = 0 }: Misbehaviour): void {
    const seen = new Set<number>();
    peer.hello = () => [...plainHello, ...[...seen].map((id) => listedStream(id, { length: acceptedBytes }))];
    peer.onFrame = (session, { type, streamId, offset }) => {
      if (type !== frameType.open && type !== frameType.resume) return;
      seen.add(streamId);
      if (misbehaves(session.index)) return does(session, streamId);
      const from = type === frameType.open ? 0 : offset;
      for (let at = from; at < acceptedBytes; at += 65536)
        session.send(dataFrame(streamId, at, Buffer.alloc(Math.min(65536, acceptedBytes - at))));
      session.send(endFrame(streamId, acceptedBytes, okEnd));
    };
  }

  function sinkFor({ needsStuckSink }: Misbehaviour, stuckBeforeSession: number): CollectingSink {
    const sink = new CollectingSink();
    if (needsStuckSink !== true) return sink;
    sink.hold = async () => {
      while (peer.sessions < stuckBeforeSession) await sleep(1);
    };
    return sink;
  }

  test.each(misbehaviours)('$what, once: a new session, and the exec comes to its end', async (misbehaviour) => {
    misbehaves = (index) => index === 0;
    script(misbehaviour);
    const guest = await connect();
    const sink = sinkFor(misbehaviour, 2);
    const exec = guest.exec(catSpec, sink);
    expect(await exec.result).toMatchObject({ exitCode: 4 });
    expect(sink.nextOffset).toBe(misbehaviour.acceptedBytes ?? 0);
    expect(peer.sessions).toBe(2);
  });

  test.each(misbehaviours)('$what, again and again: the end of this sandbox, not of hostd', async (misbehaviour) => {
    misbehaves = () => true;
    script(misbehaviour);
    const guest = await connect();
    const exec = guest.exec(catSpec, sinkFor(misbehaviour, 4));
    expect(await guest.closed).toBe('protocol');
    expect(peer.sessions).toBe(3);
    await expect(exec.result).rejects.toMatchObject({ code: 'guest-protocol', details: { reason: 'protocol' } });
    await expect(guest.sync(1000)).rejects.toMatchObject({ code: 'guest-protocol' });
    peer.sessions = 4;
  });

  test('data after END, and streams that lose or shrink what they had', async () => {
    const wrong: Record<string, string | number>[] = [
      { length: 3 },
      { base: 6, length: 9 },
      { received: 7, length: 5, limit: 9 },
    ];
    for (const state of wrong) {
      let current: number | undefined;
      peer.hello = () => [...plainHello, ...(current === undefined ? [] : [listedStream(current, state)])];
      peer.onFrame = (session, { type, streamId }) => {
        if (type !== frameType.open) return;
        current = streamId;
        session.send(dataFrame(streamId, 0, Buffer.from('12345')));
        setTimeout(() => session.socket.destroy(), 5);
      };
      const guest = await connect();
      const exec = guest.exec(catSpec, new CollectingSink());
      await expect(exec.result).rejects.toMatchObject({ code: 'guest-protocol' });
    }
    peer.hello = () => plainHello;
    peer.onFrame = (session, { type, streamId }) => {
      if (type !== frameType.open) return;
      session.send(endFrame(streamId, 0, okEnd));
      session.send(dataFrame(streamId, 0, Buffer.from('x')));
    };
    const guest = await connect();
    const before = peer.sessions;
    expect(await guest.exec(catSpec, new CollectingSink()).result).toMatchObject({ exitCode: 4 });
    while (peer.sessions === before) await sleep(1);
  });
});

describe('memory', () => {
  test('a guest that floods pings and reads no answers gets few: the rest are not kept for it', async () => {
    let pongs = 0;
    peer.onFrame = (session, { type, streamId }) => {
      if (type === frameType.pong) pongs += 1;
      if (type !== frameType.open) return;
      session.socket.pause();
      for (let sent = 0; sent < 60_000; sent += 1000) session.raw(repeated(session.tag, frameType.ping, 0)());
      session.send(dataFrame(streamId, 0, Buffer.from('x')));
    };
    const guest = await connect();
    const sink = new CollectingSink();
    guest.exec(catSpec, sink);
    while (sink.nextOffset === 0) await sleep(1);
    for (const socket of peer.server.sockets) socket.resume();
    await sleep(50);
    const answered = guest.ping(5000);
    peer.onFrame = (session, frame) => {
      if (frame.type === frameType.pong) pongs += 1;
      if (frame.type === frameType.ping) session.send({ ...frame, type: frameType.pong });
    };
    await answered;
    expect(pongs).toBeGreaterThan(1000);
    expect(pongs).toBeLessThan(40_000);
  });

  test('a sink that is stuck while another stream flows pins no more than its window', async () => {
    peer.onFrame = (session, { type, streamId }) => {
      if (type !== frameType.open || streamId !== 2) return;
      // Single bytes for the stuck stream 1, each in a chunk that is full of output for stream 2.
      let offset = 0;
      const send = (): void => {
        if (session.socket.destroyed || offset === 1000) return;
        session.raw(
          Buffer.concat([
            plainFrame(session.tag, dataFrame(1, offset, Buffer.from('x'))),
            plainFrame(session.tag, dataFrame(2, offset * 60_000, Buffer.alloc(60_000))),
          ]),
        );
        offset += 1;
        setImmediate(send);
      };
      send();
    };
    const guest = await connect();
    const stuck = new CollectingSink();
    stuck.hold = () => new Promise(() => undefined);
    guest.exec(catSpec, stuck, 1);
    const flowing = new CollectingSink();
    flowing.hold = async () => void (flowing.all.length = flowing.stdout.length = 0);
    guest.exec(catSpec, flowing, 2);
    const flows = (async () => {
      while (flowing.nextOffset < 1000 * 60_000) await sleep(5);
    })();
    const before = await retainedBytes();
    await flows;
    expect(stuck.nextOffset).toBeGreaterThan(0);
    expect((await retainedBytes()) - before).toBeLessThan(16 * 1024 * 1024);
    expect(stuck.writes).toBeLessThanOrEqual(64);
  });
});
