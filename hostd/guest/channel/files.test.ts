import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Guest } from '../guest.ts';
import { encodeFields, type Field } from '../protocol/fields.ts';
import { ChannelConnector } from './connector.ts';
import { type CarrierServer, serveModel, socketFolder } from './testing/carriers.ts';
import { ModelAgent, type ModelStream } from './testing/model-agent.ts';

let folder: ReturnType<typeof socketFolder>;
let agent: ModelAgent;
let server: CarrierServer;
let guest: Guest;

beforeEach(async () => {
  folder = socketFolder();
  agent = new ModelAgent();
  server = await serveModel(agent, folder.socketPath);
  guest = await new ChannelConnector().connect({
    socketPath: folder.socketPath,
    midStream: false,
    helloTimeoutMs: 5000,
  });
});

afterEach(async () => {
  guest.disconnect();
  await server.close();
  folder[Symbol.dispose]();
});

const fails = (error: string, message = ''): Field[] => [
  ['error', error],
  ['message', message],
];

async function expectForgotten(): Promise<void> {
  await guest.ping(5000);
  expect(agent.streams.size).toBe(0);
}

test.each([
  ['not-found', 'guest-file-not-found'],
  ['no-space', 'guest-disk-full'],
  ['unsafe-path', 'unsafe-archive'],
  ['too-many-streams', 'too-many-streams'],
  ['invalid', 'invalid-request'],
  ['permission', 'guest-file-error'],
  ['not-a-file', 'guest-file-error'],
  ['something-new', 'guest-file-error'],
])('the agent says %s: every operation fails with %s', async (reason, code) => {
  agent.onOpen = (stream) => stream.end(fails(reason, 'Why\u001b[31m\nnot'));
  const expected = { code, message: 'Why [31m not', details: { reason, path: '/f' } };
  await expect(guest.files.read('/f')).rejects.toMatchObject(expected);
  await expect(guest.files.archive('/f')).rejects.toMatchObject(expected);
  await expect(guest.files.write('/f', Readable.from(['x']))).rejects.toMatchObject(expected);
  await expect(guest.files.extract('/f', Readable.from(['x']))).rejects.toMatchObject(expected);
  await expect(guest.files.list('/f')).rejects.toMatchObject(expected);
  await expect(guest.files.stat('/f')).rejects.toMatchObject(expected);
  await expectForgotten();
});

test('an agent that knows no include is not asked for a choice, which it would answer with everything', async () => {
  agent.capabilities = agent.capabilities.filter((name) => name !== 'include');
  server.drop();
  await expect.poll(() => agent.resyncs).toBe(2);
  await guest.ping(5000);
  await expect(guest.files.archive('/f', { include: ['a'] })).rejects.toMatchObject({
    code: 'guest-file-error',
    details: { reason: 'unknown-parameter', parameter: 'include', path: '/f' },
  });
  expect(agent.opened).toBe(0);
  agent.onOpen = (stream) => {
    stream.write(Buffer.from('tar'));
    stream.end([['ok', 1]]);
  };
  expect((await buffer(await guest.files.archive('/f', { include: [], exclude: ['a'] }))).toString()).toBe('tar');
});

test('parameters as the protocol names them', async () => {
  const seen: string[] = [];
  agent.onOpen = (stream) => {
    seen.push(stream.fields.map(({ key, value }) => `${key}=${value.toString()}`).join(' '));
    stream.end(fails('io'));
  };
  const calls = [
    guest.files.read('/a b'),
    guest.files.write('/a', Readable.from(['x']), { mode: 0o4755, parents: true }),
    guest.files.write('/a', Readable.from(['x'])),
    guest.files.list('/a', { recursive: true }),
    guest.files.extract('/a', Readable.from(['x']), { owner: '1:2' }),
    guest.files.archive('/a', { include: ['dist', '!*.map'], exclude: ['*.o', '.git'], sparse: true }),
  ];
  await Promise.allSettled(calls);
  expect(seen).toEqual([
    'kind=read-file path=/a b',
    'kind=write-file path=/a mode=4755 parents=1',
    'kind=write-file path=/a',
    'kind=list path=/a recursive=1',
    'kind=tar-in path=/a owner=1:2',
    'kind=tar-out path=/a include=dist include=!*.map exclude=*.o exclude=.git sparse=1',
  ]);
});

test("a read resolves with the first bytes, flows at the reader's pace, and an error half way is the stream's", async () => {
  let stream: ModelStream | undefined;
  agent.onOpen = (opened) => {
    stream = opened;
    stream.write(Buffer.alloc(1024 * 1024, 1));
  };
  const readable = await guest.files.read('/f');
  for (let round = 0; round < 3; round += 1) await guest.ping(5000);
  expect(stream?.base).toBeLessThan(600_000);
  readable.read();
  await expect.poll(() => stream?.base).toBe(1024 * 1024);
  stream?.write(Buffer.from('more'));
  stream?.end(fails('io', 'disk broke'));
  await expect(buffer(readable)).rejects.toMatchObject({ code: 'guest-file-error', message: 'disk broke' });
  await expectForgotten();
});

test('a reader that is destroyed, before or after the end, leaves nothing in the guest', async () => {
  agent.onOpen = (stream) => stream.write(Buffer.alloc(500_000));
  const readable = await guest.files.read('/f');
  readable.destroy();
  await expectForgotten();
  agent.onOpen = (stream) => {
    stream.write(Buffer.alloc(10));
    stream.end([['ok', 1]]);
  };
  (await guest.files.read('/f')).destroy();
  await expectForgotten();
});

test('a signal gives up: while opening, while reading, while writing', async () => {
  agent.onOpen = () => undefined;
  const first = new AbortController();
  const opening = guest.files.read('/f', { signal: first.signal });
  first.abort(new Error('enough'));
  await expect(opening).rejects.toMatchObject({ code: 'aborted', cause: { message: 'enough' } });
  await expect(guest.files.stat('/f', { signal: first.signal })).rejects.toMatchObject({ code: 'aborted' });

  agent.onOpen = (stream) => stream.write(Buffer.from('begin'));
  const second = new AbortController();
  const readable = await guest.files.read('/f', { signal: second.signal });
  second.abort();
  await expect(buffer(readable)).rejects.toMatchObject({ code: 'aborted' });

  const third = new AbortController();
  const writing = guest.files.write('/f', new PassThrough(), { signal: third.signal });
  third.abort();
  await expect(writing).rejects.toMatchObject({ code: 'aborted' });
  await expectForgotten();
});

test('a source that fails, is destroyed, or was destroyed before: aborted, and the guest never sees an EOF', async () => {
  const streams: ModelStream[] = [];
  agent.onOpen = (stream) => streams.push(stream);
  for (const error of [new Error('read error'), undefined]) {
    const content = new PassThrough();
    const writing = guest.files.write('/f', content);
    content.write('half');
    await sleep(5);
    content.destroy(error);
    await expect(writing).rejects.toMatchObject({ code: 'aborted', ...(error === undefined ? {} : { cause: error }) });
  }
  const dead = new PassThrough();
  dead.destroy();
  await expect(guest.files.write('/f', dead)).rejects.toMatchObject({ code: 'aborted' });
  await expectForgotten();
  expect(streams.map(({ inputEnded }) => inputEnded)).not.toContain(true);
});

test('a guest that fails first leaves the rest of the source to the caller', async () => {
  agent.onOpen = (stream) => {
    stream.onInput = () => stream.end(fails('no-space'));
  };
  const content = new PassThrough();
  content.write('first');
  await expect(guest.files.write('/f', content)).rejects.toMatchObject({ code: 'guest-disk-full' });
  expect(content.destroyed).toBe(false);
  expect(content.listenerCount('data')).toBe(0);
  content.end('second');
  expect((await buffer(content)).toString()).toBe('second');
});

test("an upload is pulled at the guest's pace", async () => {
  let pulled = 0;
  const content = new Readable({
    highWaterMark: 65536,
    read() {
      pulled += 65536;
      this.push(pulled > 8 * 1024 * 1024 ? null : Buffer.alloc(65536));
    },
  });
  let release: () => void = () => undefined;
  agent.holdsInput = true;
  agent.onOpen = (stream) => {
    release = () => {
      agent.holdsInput = false;
      stream.onInputEnd = () =>
        stream.end([
          ['ok', 1],
          ['size', stream.received],
        ]);
      agent.consume(stream);
    };
  };
  const writing = guest.files.write('/f', content);
  await sleep(50);
  expect(pulled).toBeLessThan(1024 * 1024);
  release();
  expect(await writing).toEqual({ sizeBytes: 8 * 1024 * 1024 });
});

const entry = (name: string): Buffer => {
  const fields = encodeFields(
    Object.entries({ name, type: 'f', size: 1, mode: '644', uid: 0, gid: 0, 'mtime-ns': '1000000' }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(fields.length);
  return Buffer.concat([length, fields]);
};

test('a list comes whole whatever the frames; a malformed or endless one is refused', async () => {
  agent.frameBytes = 7;
  agent.onOpen = (stream) => {
    stream.write(Buffer.concat(['a', 'b', 'c'].map(entry)));
    stream.end([
      ['ok', 1],
      ['count', 3],
    ]);
  };
  expect((await guest.files.list('/d')).map(({ name, mtimeMs }) => [name, mtimeMs])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ]);

  agent.frameBytes = 65536;
  for (const bad of [
    entry('a').subarray(0, 9),
    Buffer.from([1, 0, 0]),
    Buffer.concat([entry('a'), Buffer.alloc(8, 0xff)]),
  ]) {
    agent.onOpen = (stream) => {
      stream.write(bad);
      stream.end([['ok', 1]]);
    };
    await expect(guest.files.list('/d')).rejects.toMatchObject({ code: 'guest-protocol' });
  }

  const many = Buffer.concat(Array.from({ length: 5000 }, (_value, index) => entry(String(index))));
  agent.onOpen = (stream) => {
    let sent = 0;
    const more = setInterval(() => {
      while (sent < 21 && stream.write(many)) sent += 1;
      if (sent < 21) return;
      clearInterval(more);
      stream.end([['ok', 1]]);
    }, 1);
  };
  await expect(guest.files.list('/d')).rejects.toMatchObject({
    code: 'guest-file-error',
    details: { reason: 'too-many-entries' },
  });
}, 40_000);

test('kinds the agent does not list are never opened', async () => {
  agent.capabilities = ['exec'];
  server.drop();
  await guest.ping(5000);
  await expect(guest.files.read('/f')).rejects.toMatchObject({
    code: 'guest-file-error',
    details: { reason: 'unknown-kind' },
  });
  await expect(guest.files.write('/f', new PassThrough())).rejects.toMatchObject({
    details: { reason: 'unknown-kind' },
  });
  expect(agent.opened).toBe(0);
});
