import { createHash, randomBytes } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Guest, GuestExecSpec } from '../guest.ts';
import { ChannelConnector } from './connector.ts';
import { type CarrierServer, cuttingProxy, socketFolder } from './testing/carriers.ts';
import { buildAgent, RealAgent } from './testing/real-agent.ts';
import { DigestSink, sha256 } from './testing/sinks.ts';

let folder: ReturnType<typeof socketFolder>;
let agent: RealAgent;
let proxy: CarrierServer | undefined;
let guest: Guest;

beforeAll(() => buildAgent(), 120_000);

beforeEach(async () => {
  folder = socketFolder();
  agent = await new RealAgent(folder.path).ready();
});

afterEach(async () => {
  guest.disconnect();
  await proxy?.close();
  proxy = undefined;
  await agent.kill();
  folder[Symbol.dispose]();
});

async function connect(socketPath: string): Promise<void> {
  guest = await new ChannelConnector().connect({ socketPath, midStream: false, helloTimeoutMs: 10_000 });
}

const shell = (script: string): GuestExecSpec => ({ shell: script, env: {}, cwd: '/', user: 'root', stdin: true });

test('4 GiB on two channels at once arrive whole', async () => {
  await connect(agent.socketPath);
  const sink = new DigestSink();
  const half = "head -c 2147483648 /dev/zero | tr '\\0' ";
  const exec = guest.exec(shell(`(${half} a) & (${half} b) >&2; wait`), sink);
  exec.endInput();
  expect(await exec.result).toMatchObject({ exitCode: 0 });
  for (const [channel, byte] of [
    ['stdout', 'a'],
    ['stderr', 'b'],
  ] as const) {
    const expected = createHash('sha256');
    const block = Buffer.alloc(1024 * 1024, byte);
    for (let index = 0; index < 2048; index += 1) expected.update(block);
    expect(sink.digest(channel)).toBe(expected.digest('hex'));
  }
});

test('twenty execs at once, each echoing 4 MiB, over hundreds of cuts', async () => {
  const random = (): number => 100 + Math.floor(Math.random() ** 3 * 1_000_000);
  const cuts = Array.from({ length: 400 }, () => ({ toGuestBytes: random(), toHostBytes: random() }));
  proxy = await cuttingProxy(folder.socketPath, agent.socketPath, cuts);
  await connect(folder.socketPath);
  for (let round = 0; round < 4; round += 1) {
    const echoes = Array.from({ length: 20 }, async () => {
      const input = randomBytes(4 * 1024 * 1024);
      const sink = new DigestSink();
      const exec = guest.exec(shell('exec cat'), sink);
      const written = exec.write(input);
      exec.endInput();
      expect(await exec.result).toMatchObject({ exitCode: 0 });
      await written;
      expect(sink.digest()).toBe(sha256(input));
      exec.close();
    });
    await Promise.all(echoes);
  }
  expect(proxy.connections).toBeGreaterThan(100);
});
