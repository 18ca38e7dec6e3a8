import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChannelConnector } from './connector.ts';
import { type Cut, cuttingProxy, serveModel, socketFolder } from './testing/carriers.ts';
import { ModelAgent, type ModelStream } from './testing/model-agent.ts';
import { catSpec, CollectingSink } from './testing/sinks.ts';
import { join } from 'node:path';

interface Scenario {
  cuts: Cut[];
  inputPieces: number[];
  outputPieces: { bytes: number; channel: number }[];
  frameBytes: number;
  slowSink: boolean;
}

/** Half of the cuts fall into the first frames of a session: RESYNC, OPEN, EOF, RESYNC_ACK, END. */
function cutBytes(max: number): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max }));
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  cuts: fc.array(fc.record({ toGuestBytes: cutBytes(60_000), toHostBytes: cutBytes(120_000) }), {
    minLength: 1,
    maxLength: 6,
  }),
  inputPieces: fc.array(fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 70_000 })), {
    maxLength: 8,
  }),
  outputPieces: fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 20_000 }), channel: fc.constantFrom(1, 2) }), {
    maxLength: 20,
  }),
  frameBytes: fc.constantFrom(7, 1000, 65536),
  slowSink: fc.boolean(),
});

test('whatever is cut, wherever: input and output arrive once, whole and in order', async () => {
  await fc.assert(fc.asyncProperty(scenarios, runScenario), { numRuns: 50, timeout: 15_000, endOnFailure: true });
}, 120_000);

async function runScenario(scenario: Scenario): Promise<void> {
  using folder = socketFolder();
  const agent = new ModelAgent();
  agent.frameBytes = scenario.frameBytes;
  const received: Buffer[] = [];
  const produced = scenario.outputPieces.map(({ bytes, channel }) => ({ channel, bytes: randomBytes(bytes) }));
  agent.onOpen = (stream) => {
    stream.onInput = (bytes) => received.push(bytes);
    let outputDone = false;
    const maybeEnd = (): void => {
      if (outputDone && stream.inputEnded)
        stream.end([
          ['ok', 1],
          ['exit-code', 0],
        ]);
    };
    stream.onInputEnd = maybeEnd;
    void produceAll(stream, produced).then(() => {
      outputDone = true;
      maybeEnd();
    });
  };
  const targetPath = join(folder.path, 'model.sock');
  const server = await serveModel(agent, targetPath);
  const proxy = await cuttingProxy(folder.socketPath, targetPath, scenario.cuts);
  const guest = await new ChannelConnector().connect({
    socketPath: folder.socketPath,
    midStream: false,
    helloTimeoutMs: 20_000,
  });
  try {
    const sink = new CollectingSink();
    if (scenario.slowSink) sink.hold = () => sleep(1);
    const exec = guest.exec(catSpec, sink);
    const inputs = scenario.inputPieces.map((bytes) => randomBytes(bytes));
    const writes = inputs.map((bytes) => exec.write(bytes));
    exec.endInput();
    expect(await exec.result).toMatchObject({ exitCode: 0 });
    await Promise.all(writes);
    expect(exec.inputConsumedBytes).toBe(scenario.inputPieces.reduce((sum, bytes) => sum + bytes, 0));
    expect(digest(received)).toBe(digest(inputs));
    expect(sink.gapBytes).toBe(0);
    expect(digest(sink.all)).toBe(digest(produced.map(({ bytes }) => bytes)));
    expect(digest(sink.stderr)).toBe(digest(produced.filter(({ channel }) => channel === 2).map(({ bytes }) => bytes)));
    expect(agent.opened).toBe(1);
    exec.close();
    await guest.ping(10_000);
    expect(agent.streams.size).toBe(0);
  } finally {
    guest.disconnect();
    await proxy.close();
    await server.close();
  }
}

async function produceAll(stream: ModelStream, pieces: { channel: number; bytes: Buffer }[]): Promise<void> {
  for (const { channel, bytes } of pieces) {
    while (!stream.write(bytes, channel)) await sleep(1);
    await sleep(0);
  }
}

function digest(parts: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
