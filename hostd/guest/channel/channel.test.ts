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
