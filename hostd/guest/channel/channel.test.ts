import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Guest } from '../guest.ts';
import { channels } from '../protocol/frame.ts';
import { ChannelConnector } from './connector.ts';
import { type CarrierServer, serveModel, socketFolder } from './testing/carriers.ts';
import { ModelAgent, type ModelStream } from './testing/model-agent.ts';
import { catSpec, CollectingSink } from './testing/sinks.ts';

let folder: ReturnType<typeof socketFolder>;
let agent: ModelAgent;
let server: CarrierServer;
const guests: Guest[] = [];

async function connect(midStream = false): Promise<Guest> {
  const guest = await new ChannelConnector().connect({
    socketPath: folder.socketPath,
    midStream,
    helloTimeoutMs: 5000,
  });
  guests.push(guest);
  return guest;
}

beforeEach(async () => {
  folder = socketFolder();
  agent = new ModelAgent();
  server = await serveModel(agent, folder.socketPath);
});

afterEach(async () => {
  for (const guest of guests.splice(0)) guest.disconnect();
  await server.close();
  folder[Symbol.dispose]();
});

function echo(stream: ModelStream): void {
  stream.onInput = (bytes) => stream.write(bytes);
  stream.onInputEnd = () =>
    stream.end([
      ['ok', 1],
      ['exit-code', 3],
      ['user-us', 2500],
      ['max-rss-kib', 900],
    ]);
}

test('an exec: parameters, input, both output channels, the result', async () => {
  agent.onOpen = (stream) => {
    echo(stream);
    stream.write(Buffer.from('warning\n'), channels.stderr);
  };
  const guest = await connect();
  const sink = new CollectingSink();
  const exec = guest.exec(
    { ...catSpec, argv: ['cat', '-'], env: { A: '1=2', B: '' }, timeoutMs: 9000, pty: { rows: 3, cols: 4 } },
    sink,
  );
  await exec.write(Buffer.from('hello\n'));
  expect(exec.inputConsumedBytes).toBe(6);
  exec.endInput();
  expect(await exec.result).toEqual({
    exitCode: 3,
    signalNumber: null,
    timedOut: false,
    oomKilled: false,
    userCpuMs: 2.5,
    systemCpuMs: 0,
    maxRssKiB: 900,
  });
  expect(Buffer.concat(sink.stdout).toString()).toBe('hello\n');
  expect(Buffer.concat(sink.stderr).toString()).toBe('warning\n');
  const stream = agent.streams.get(exec.streamId);
  expect(stream?.fields.map(({ key, value }) => `${key}=${value.toString()}`)).toEqual([
    'kind=exec',
    'arg=cat',
    'arg=-',
    'env=A=1=2',
    'env=B=',
    'cwd=/workspace',
    'user=root',
    'pty=1',
    'rows=3',
    'cols=4',
    'stdin=1',
    'timeout-ms=9000',
  ]);
  exec.close();
  await guest.ping(1000);
  expect(agent.streams.size).toBe(0);
});

test('input: nothing after the end, nothing without stdin, nothing after the exec', async () => {
  agent.onOpen = echo;
  const guest = await connect();
  const exec = guest.exec(catSpec, new CollectingSink());
  exec.endInput();
  await expect(exec.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'exec-input-closed' });
  await exec.result;
  await expect(exec.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'exec-ended' });
  agent.onOpen = () => undefined;
  const mute = guest.exec({ ...catSpec, stdin: false }, new CollectingSink());
  await expect(mute.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'exec-input-closed' });
  mute.endInput();
  await guest.ping(1000);
  expect(agent.streams.get(mute.streamId)?.inputEnded).toBe(false);
});

test('signals and sizes arrive, each once without a cut', async () => {
  agent.onOpen = () => undefined;
  const guest = await connect();
  const exec = guest.exec(catSpec, new CollectingSink());
  exec.signal(2);
  exec.resize(5, 6);
  exec.signal(2);
  await guest.ping(1000);
  server.drop();
  await guest.ping(5000);
  expect(agent.streams.get(exec.streamId)?.controls).toEqual([
    { signal: '2' },
    { rows: '5', cols: '6' },
    { signal: '2' },
  ]);
});

test('a signal sent while the carrier is away arrives when it is back', async () => {
  agent.onOpen = (stream) => {
    stream.onControl = ({ signal }) =>
      stream.end([
        ['ok', 1],
        ['signal', signal ?? ''],
      ]);
  };
  const guest = await connect();
  const exec = guest.exec(catSpec, new CollectingSink());
  await guest.ping(1000);
  server.drop();
  await new Promise((resolve) => setTimeout(resolve, 2));
  exec.signal(15);
  expect(await exec.result).toMatchObject({ signalNumber: 15 });
});

test('a carrier that ends without taking what was sent is left for a new one', async () => {
  agent.onOpen = echo;
  const guest = await connect();
  for (const socket of server.sockets) socket.pause();
  const exec = guest.exec(catSpec, new CollectingSink());
  const script = guest.exec({ ...catSpec, env: { A: 'x'.repeat(2_000_000) } }, new CollectingSink());
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (const socket of server.sockets) socket.end();
  for (const each of [exec, script]) {
    each.endInput();
    expect(await each.result).toMatchObject({ exitCode: 3 });
  }
});

test('an agent that lost the exec, and one that has no room', async () => {
  agent.onOpen = (stream) => stream.write(Buffer.from('begun'));
  const guest = await connect();
  const sink = new CollectingSink();
  const exec = guest.exec(catSpec, sink);
  while (sink.nextOffset === 0) await new Promise(setImmediate);
  agent.streams.clear();
  server.drop();
  expect(await exec.result).toMatchObject({ exitCode: null, failure: { code: 'stream-lost' } });
  agent.onOpen = (stream) => stream.end([['error', 'too-many-streams']]);
  await expect(guest.exec(catSpec, sink).result).rejects.toMatchObject({ code: 'too-many-streams' });
});

test('at most 256 streams; a closed one makes room', async () => {
  agent.onOpen = () => undefined;
  const guest = await connect();
  const execs = Array.from({ length: 256 }, () => guest.exec(catSpec, new CollectingSink()));
  expect(() => guest.exec(catSpec, new CollectingSink())).toThrow(
    expect.objectContaining({ code: 'too-many-streams' }),
  );
  await expect(guest.sync(1000)).rejects.toMatchObject({ code: 'too-many-streams' });
  execs[7]?.close();
  await expect(execs[7]?.result).rejects.toMatchObject({ code: 'aborted' });
  guest.exec(catSpec, new CollectingSink());
  await guest.ping(1000);
  expect(agent.streams.size).toBe(256);
  expect(agent.streams.has(execs[7]?.streamId ?? 0)).toBe(false);
});

test('fields beyond the bounds are refused before anything is sent', async () => {
  const guest = await connect();
  const wrong = [
    { ...catSpec, argv: Array.from({ length: 4100 }, () => 'x') },
    { ...catSpec, env: { A: 'x'.repeat(2 * 1024 * 1024) } },
    { ...catSpec, argv: ['a\0b'] },
    { ...catSpec, env: { A: 'a\0b' } },
    { ...catSpec, cwd: '/a\0' },
  ];
  for (const spec of wrong)
    expect(() => guest.exec(spec, new CollectingSink())).toThrow(expect.objectContaining({ code: 'invalid-request' }));
  await guest.ping(1000);
  expect(agent.opened).toBe(0);
  agent.onOpen = (stream) =>
    stream.end([
      ['ok', 1],
      ['exit-code', 0],
    ]);
  const large = guest.exec({ ...catSpec, env: { A: 'x'.repeat(2_000_000) } }, new CollectingSink());
  expect(await large.result).toMatchObject({ exitCode: 0 });
  expect(agent.streams.get(large.streamId)?.texts['env']).toHaveLength(2_000_002);
});

test('requests have deadlines, and are forgotten by the guest when one passes', async () => {
  agent.onOpen = () => undefined;
  const guest = await connect();
  const details = { operation: 'metrics', timeoutMs: 30 };
  await expect(guest.metrics(30)).rejects.toMatchObject({ code: 'guest-unresponsive', details });
  await expect(guest.sync(30)).rejects.toMatchObject({ code: 'guest-unresponsive' });
  await guest.ping(1000);
  expect(agent.streams.size).toBe(0);
  for (const socket of server.sockets) socket.removeAllListeners('data');
  await expect(guest.ping(30)).rejects.toMatchObject({ code: 'guest-unresponsive', details: { operation: 'ping' } });
});

test('an agent that has gone deaf to the session is reached by a new one once a deadline passes, and no exec is lost', async () => {
  agent.onOpen = echo;
  const guest = await connect();
  const sink = new CollectingSink();
  const exec = guest.exec(catSpec, sink);
  await guest.ping(1000);
  agent.receive(Buffer.from('rubbish that leaves it hunting for RESYNC'));
  const written = exec.write(Buffer.from('through'));
  exec.endInput();
  await expect(guest.ping(50)).rejects.toMatchObject({ code: 'guest-unresponsive' });
  await written;
  expect(await exec.result).toMatchObject({ exitCode: 3 });
  expect(sink.text).toBe('through');
  expect(agent.resyncs).toBe(2);
  agent.receive(Buffer.from('rubbish'));
  await expect(guest.ping(50)).rejects.toMatchObject({ code: 'guest-unresponsive' });
  await expect(guest.ping(50)).rejects.toMatchObject({ code: 'guest-unresponsive' });
  expect(agent.resyncs).toBe(2);
});

const identity = {
  entropy: Buffer.alloc(32, 1),
  hostname: 'box',
  machineId: 'a'.repeat(32),
  bootId: 'b',
  generation: 3,
  dropStreams: true,
};

test('prepareResume takes the clock at the moment of sending, again when it is sent again', async () => {
  agent.capabilities.push('prepare-resume');
  const guest = await connect();
  const clocks: bigint[] = [];
  agent.onOpen = (stream) => {
    clocks.push(BigInt(stream.texts['clock-ns'] ?? 0) / 1_000_000n);
    stream.end([['ok', 1]]);
  };
  const receive = agent.receive.bind(agent);
  agent.receive = () => undefined;
  const done = guest.prepareResume(identity, 5000);
  await new Promise((resolve) => setTimeout(resolve, 120));
  agent.receive = receive;
  const resentMs = BigInt(Date.now());
  server.drop();
  await done;
  expect(clocks).toHaveLength(1);
  expect(clocks[0]).toBeGreaterThanOrEqual(resentMs);
});

test('prepareResume fails as boot-failed, also where the agent does not know it', async () => {
  agent.onOpen = (stream) =>
    stream.end([
      ['error', 'io'],
      ['message', 'entropy refused'],
    ]);
  const guest = await connect();
  await expect(guest.prepareResume(identity, 1000)).rejects.toMatchObject({
    code: 'boot-failed',
    details: { reason: 'unknown-kind' },
  });
  agent.capabilities.push('prepare-resume');
  server.drop();
  await guest.ping(5000);
  await expect(guest.prepareResume(identity, 1000)).rejects.toMatchObject({
    code: 'boot-failed',
    details: { reason: 'io' },
  });
});

test('a resumed machine keeps its identity, a copy gets time for its hooks, and a failing hook is named', async () => {
  agent.capabilities.push('prepare-resume');
  const guest = await connect();
  const asked: Record<string, string>[] = [];
  agent.onOpen = (stream) => {
    const { entropy: _entropy, 'clock-ns': _clock, ...texts } = stream.texts;
    asked.push(texts);
    stream.end([['ok', 1]]);
  };
  const { entropy } = identity;
  await guest.prepareResume({ entropy, dropStreams: false }, 5000);
  await guest.prepareResume({ entropy, dropStreams: true, copied: true, generation: 2 }, 5000);
  await guest.prepareResume({ entropy, dropStreams: true, copied: true }, 60_000);
  expect(asked).toEqual([
    { kind: 'prepare-resume' },
    { kind: 'prepare-resume', 'drop-streams': '1', generation: '2', copied: '1', 'hooks-timeout-ms': '4000' },
    { kind: 'prepare-resume', 'drop-streams': '1', copied: '1', 'hooks-timeout-ms': '8000' },
  ]);
  agent.onOpen = (stream) =>
    stream.end([
      ['error', 'io'],
      ['step', 'hook'],
      ['message', 'hook: 10-keys: exit code 3: no such key'],
    ]);
  await expect(guest.prepareResume({ ...identity, copied: true }, 5000)).rejects.toMatchObject({
    code: 'boot-failed',
    message: expect.stringContaining('10-keys: exit code 3: no such key'),
    details: { reason: 'io', step: 'hook' },
  });
});

test('a workload that can not be frozen in time is unresponsive; an agent without a freezer is told apart', async () => {
  agent.capabilities.push('freeze-workload', 'thaw-workload');
  const guest = await connect();
  const asked: Record<string, string>[] = [];
  agent.onOpen = (stream) => {
    asked.push(stream.texts);
    stream.end([['ok', 1]]);
  };
  await guest.freezeWorkload(1000);
  await guest.thawWorkload(1000);
  expect(asked).toEqual([{ kind: 'freeze-workload', 'timeout-ms': '800' }, { kind: 'thaw-workload' }]);
  agent.onOpen = (stream) =>
    stream.end([
      ['error', 'timeout'],
      ['message', 'a process did not stop'],
    ]);
  await expect(guest.freezeWorkload(1000)).rejects.toMatchObject({
    code: 'guest-unresponsive',
    details: { reason: 'not-frozen' },
  });
  agent.onOpen = () => undefined;
  await expect(guest.thawWorkload(50)).rejects.toMatchObject({
    code: 'guest-unresponsive',
    details: { reason: 'timeout', operation: 'thaw-workload' },
  });
  await guest.ping(1000);
  expect([...agent.streams.keys()]).toEqual([]);
  agent.capabilities.splice(-2);
  server.drop();
  await guest.ping(5000);
  await expect(guest.freezeWorkload(1000)).rejects.toMatchObject({
    code: 'guest-protocol',
    details: { reason: 'unknown-kind' },
  });
});

test('strays: kept over reconnects until dropped, adopted once, never mistaken for another kind', async () => {
  agent.onOpen = (stream) => stream.write(Buffer.from('0123456789'));
  const first = await connect();
  const ids = [1, 2, 3].map(() => first.exec(catSpec, new CollectingSink()).streamId);
  const [taken = 0, kept = 0, transfer = 0] = ids;
  await first.ping(1000);
  first.disconnect();
  const stream = agent.streams.get(transfer);
  if (stream !== undefined) stream.texts['kind'] = 'read-file';
  agent.streams.get(taken)?.release(4);

  const guest = await connect(true);
  expect(guest.hello.streams.map(({ id, baseOffset, lengthBytes }) => [id, baseOffset, lengthBytes])).toContainEqual([
    taken,
    4,
    10,
  ]);
  expect(guest.reserveStreamId()).toBeGreaterThan(Math.max(...ids));
  expect(guest.reserveStreamId(1000)).toBe(1001);
  const sink = new CollectingSink(2);
  const exec = guest.adoptExec(taken, 2, sink);
  expect(guest.adoptExec(taken, 2, sink)).toBeUndefined();
  expect(guest.adoptExec(transfer, 0, sink)).toBeUndefined();
  expect(guest.adoptExec(999, 0, sink)).toBeUndefined();
  while (sink.nextOffset < 10) await new Promise(setImmediate);
  expect([sink.gapBytes, sink.text]).toEqual([2, '456789']);
  server.drop();
  await guest.ping(5000);
  expect([...agent.streams.keys()]).toEqual(ids);
  guest.closeStrays();
  await guest.ping(1000);
  expect([...agent.streams.keys()]).toEqual([taken]);
  expect(agent.streams.get(kept)).toBeUndefined();
  agent.streams.get(taken)?.end([
    ['ok', 1],
    ['exit-code', 0],
  ]);
  expect(await exec?.result).toMatchObject({ exitCode: 0 });
});
