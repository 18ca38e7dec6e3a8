import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { Sandbox } from '../hostd/client/index.ts';
import { useHostd } from './support/suite.ts';

const suite = useHostd();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await suite.create({ memoryMiB: 768 });
}, 120_000);

interface Seen {
  bytes: number;
  hash: string;
}

async function digest(
  chunks: AsyncGenerator<{ stream: string; bytes: Buffer }, unknown>,
  only?: string,
): Promise<Seen> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of chunks) {
    if (only !== undefined && chunk.stream !== only) continue;
    hash.update(chunk.bytes);
    bytes += chunk.bytes.length;
  }
  return { bytes, hash: hash.digest('hex') };
}

/** Deterministic bytes that the guest can make fast: the same file over and over. */
const makePattern = 'head -c 1048576 /dev/urandom > /tmp/pattern';

async function patternTimes(times: number): Promise<Seen> {
  const pattern = await sandbox.files.read('/tmp/pattern');
  const hash = createHash('sha256');
  for (let i = 0; i < times; i += 1) hash.update(pattern);
  return { bytes: pattern.length * times, hash: hash.digest('hex') };
}

describe('no byte is lost or doubled', () => {
  test('binary output of 1 GiB', { timeout: 300_000 }, async () => {
    await sandbox.exec(makePattern, { check: true });
    const handle = await sandbox.spawn('i=0; while [ $i -lt 1024 ]; do cat /tmp/pattern; i=$((i+1)); done');
    expect(await digest(handle.output())).toEqual(await patternTimes(1024));
    expect(await handle.info()).toMatchObject({ exitCode: 0, outputBytes: 1024 ** 3, truncated: false });
  });

  test('a line of 1 MiB', async () => {
    const result = await sandbox.exec("head -c 1048576 /dev/zero | tr '\\0' x; echo");
    expect(result.stdout).toBe(`${'x'.repeat(1_048_576)}\n`);
  });

  test('a million short lines on both streams, each in order', { timeout: 300_000 }, async () => {
    const script = 'import os\nfor i in range(500000):\n os.write(1, b"%d\\n" % i)\n os.write(2, b"%d\\n" % -i)\n';
    const handle = await sandbox.spawn(['python3', '-c', script]);
    let out = '';
    let err = '';
    for await (const { stream, bytes } of handle.output()) {
      if (stream === 'stdout') out += bytes.toString('latin1');
      else err += bytes.toString('latin1');
    }
    const numbers = Array.from({ length: 500_000 }, (_, i) => i);
    expect(out === `${numbers.join('\n')}\n`).toBe(true);
    expect(err === `${numbers.map((i) => (i === 0 ? '0' : `-${String(i)}`)).join('\n')}\n`).toBe(true);
  });

  test('output is interleaved as it was written', async () => {
    const handle = await sandbox.spawn([
      'sh',
      '-c',
      'for i in 1 2 3 4 5; do echo out$i; sleep 0.05; echo err$i >&2; sleep 0.05; done',
    ]);
    let text = '';
    for await (const { bytes } of handle.output()) text += bytes.toString();
    expect(text).toBe('out1\nerr1\nout2\nerr2\nout3\nerr3\nout4\nerr4\nout5\nerr5\n');
  });
});

describe('following', () => {
  test('a client can come at any offset, leave, and come back after the end', async () => {
    const handle = await sandbox.spawn('for i in $(seq 1 40); do printf "%05d\\n" $i; sleep 0.02; done');
    const early = handle.output();
    await early.next();
    await early.return(undefined);
    const whole = (await digest(handle.output())).bytes;
    expect(whole).toBe(240);
    let rest = '';
    for await (const { bytes } of handle.output({ from: 235 })) rest += bytes.toString();
    expect(rest).toBe('0040\n');
    expect((await digest(handle.output({ from: 240 }))).bytes).toBe(0);
  });

  test('without follow it returns what is there', async () => {
    const handle = await sandbox.spawn('echo now; sleep 60; echo later');
    await expect.poll(async () => (await handle.info()).outputBytes, { timeout: 10_000 }).toBe(4);
    let text = '';
    for await (const { bytes } of handle.output({ follow: false })) text += bytes.toString();
    expect(text).toBe('now\n');
    await handle.kill('SIGKILL');
  });

  test('a slow client neither holds the guest back nor grows the daemon', { timeout: 120_000 }, async () => {
    const handle = await sandbox.spawn('i=0; while [ $i -lt 200 ]; do cat /tmp/pattern; i=$((i+1)); done');
    const slow = handle.output();
    await slow.next();
    expect(await handle.wait()).toMatchObject({ exitCode: 0 });
    let bytes = 0;
    for await (const chunk of handle.output()) bytes += chunk.bytes.length;
    expect(bytes).toBe(200 * 1_048_576);
    await slow.return(undefined);
  });
});

describe('restarts of hostd', () => {
  test(
    'killed with -9 in a chatty exec: sandbox adopted, exec goes on, the whole output is there',
    { timeout: 180_000 },
    async () => {
      await sandbox.exec(makePattern, { check: true });
      const handle = await sandbox.spawn(
        'i=0; while [ $i -lt 60 ]; do cat /tmp/pattern; sleep 0.05; i=$((i+1)); done; exit 9',
      );
      const followed = digest(handle.output());
      for (let kill = 0; kill < 3; kill += 1) {
        await sleep(700);
        await suite.hostd.kill();
        await sleep(300);
        await suite.hostd.start();
      }
      const whole = await patternTimes(60);
      expect(await followed).toEqual(whole);
      expect(await digest(handle.output())).toEqual(whole);
      expect(await handle.info()).toMatchObject({ exitCode: 9, truncated: false, outputBytes: whole.bytes });
      expect((await sandbox.exec('echo still here')).stdout).toBe('still here\n');
    },
  );

  test('input goes on too', { timeout: 120_000 }, async () => {
    const handle = await sandbox.spawn('sha256sum', { stdin: true });
    const piece = Buffer.alloc(200_000, 'input ');
    const hash = createHash('sha256');
    for (let i = 0; i < 20; i += 1) {
      hash.update(piece);
      const written = handle.write(piece);
      if (i === 7) {
        await suite.hostd.kill();
        await suite.hostd.start();
      }
      await written;
    }
    await handle.endInput();
    let text = '';
    for await (const { bytes } of handle.output()) text += bytes.toString();
    expect(text.split(' ')[0]).toBe(hash.digest('hex'));
  });

  test('what ended while hostd was away is known afterwards', async () => {
    const handle = await sandbox.spawn('sleep 1; echo over; exit 6');
    await suite.hostd.kill();
    await sleep(2500);
    await suite.hostd.start();
    expect(await handle.wait()).toMatchObject({ exitCode: 6, outputBytes: 5 });
  });

  test('a graceful stop leaves sandboxes running', async () => {
    const handle = await sandbox.spawn('sleep 2; echo survived');
    expect(await suite.hostd.stop()).toBe(0);
    await suite.hostd.start();
    let text = '';
    for await (const { bytes } of handle.output()) text += bytes.toString();
    expect(text).toBe('survived\n');
    expect((await Sandbox.connect(sandbox.id, { host: suite.host })).info.state).toBe('running');
  });
});
