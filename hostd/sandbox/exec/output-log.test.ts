import { appendFile, mkdtemp, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { onFaultPoint } from '../../platform/fault-points.ts';
import type { OutputChannel } from '../../guest/guest.ts';
import type { LogPaths } from './output-files.ts';
import { OutputLog, type LossReason } from './output-log.ts';
import { recordBytes } from './output-index.ts';
import { readOutput } from './output-reader.ts';

let directory: string;
let paths: LogPaths;
const never = new AbortController().signal;
const logs: OutputLog[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'offshoot-log-'));
  paths = { data: join(directory, 'execs', 'e.out'), index: join(directory, 'execs', 'e.idx') };
});
afterEach(async () => {
  for (const log of logs.splice(0)) await log.release();
  await rm(directory, { recursive: true, force: true });
});

function newLog(maxBytes = 1_000_000) {
  const losses: LossReason[] = [];
  const log = new OutputLog(paths, { maxBytes }, (reason) => losses.push(reason));
  logs.push(log);
  return { log, losses };
}

async function reopen(truncated = false) {
  const log = await OutputLog.reopen(paths, { maxBytes: 1_000_000 }, () => undefined, truncated);
  logs.push(log);
  return log;
}

interface Piece {
  channel: OutputChannel;
  text: string;
}

/** All from an offset, neighbouring chunks of one channel joined. */
async function read(log: OutputLog, from = 0, follow = false): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let next = from;
  for await (const { channel, offset, bytes } of readOutput(log, from, follow, never)) {
    expect(offset).toBe(next);
    next += bytes.length;
    const last = pieces.at(-1);
    if (last?.channel === channel) last.text += bytes.toString('latin1');
    else pieces.push({ channel, text: bytes.toString('latin1') });
  }
  return pieces;
}

describe('writing and reading', () => {
  test('both channels come back in the order they were written', async () => {
    const { log } = newLog();
    await log.write('stdout', 0, Buffer.from('one '));
    await log.write('stdout', 4, Buffer.from('two '));
    await log.write('stderr', 8, Buffer.from('bad '));
    await log.write('stdout', 12, Buffer.from('three'));
    await log.end();
    expect(log.runs).toBe(3);
    expect(await read(log)).toEqual([
      { channel: 'stdout', text: 'one two ' },
      { channel: 'stderr', text: 'bad ' },
      { channel: 'stdout', text: 'three' },
    ]);
  });

  test('an exec without output leaves no files', async () => {
    const { log } = newLog();
    await log.end();
    await expect(stat(paths.data)).rejects.toThrow();
    expect(await read(log)).toEqual([]);
  });

  test('writes that do not wait for each other keep their order', async () => {
    const { log } = newLog();
    const text = Array.from({ length: 200 }, (_, index) => `line ${String(index)}\n`);
    let offset = 0;
    const writes = text.map((line) => {
      const write = log.write('stdout', offset, Buffer.from(line));
      offset += line.length;
      return write;
    });
    await Promise.all(writes);
    expect(await read(log)).toEqual([{ channel: 'stdout', text: text.join('') }]);
  });

  test('bytes sent again are not doubled', async () => {
    const { log } = newLog();
    await log.write('stdout', 0, Buffer.from('abc'));
    await log.write('stdout', 0, Buffer.from('abc'));
    await log.write('stdout', 1, Buffer.from('bcdef'));
    expect(await read(log)).toEqual([{ channel: 'stdout', text: 'abcdef' }]);
  });

  test('channels alternating with every byte are found from any offset', async () => {
    const { log } = newLog();
    const count = 3000;
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        log.write(index % 2 === 0 ? 'stdout' : 'stderr', index, Buffer.from(String(index % 10))),
      ),
    );
    expect(log.runs).toBe(count);
    for (const from of [0, 1, 511, 512, 513, 1024, count - 1]) {
      const pieces = await read(log, from);
      expect(pieces.length).toBe(count - from);
      expect(pieces[0]).toEqual({ channel: from % 2 === 0 ? 'stdout' : 'stderr', text: String(from % 10) });
      expect(pieces.map(({ text }) => text).join('')).toBe(
        Array.from({ length: count - from }, (_, index) => String((from + index) % 10)).join(''),
      );
    }
    expect(await read(log, count)).toEqual([]);
    expect(await read(log, count + 10)).toEqual([]);
  });

  test('a follower is woken by what is appended, and ends with the log', async () => {
    const { log } = newLog();
    const following = read(log, 2, true);
    await log.write('stdout', 0, Buffer.from('ab'));
    await log.write('stdout', 2, Buffer.from('cd'));
    await log.write('stderr', 4, Buffer.from('!'));
    await log.end();
    expect(await following).toEqual([
      { channel: 'stdout', text: 'cd' },
      { channel: 'stderr', text: '!' },
    ]);
  });

  test('a follower that leaves is let go', async () => {
    const { log } = newLog();
    const leaving = new AbortController();
    const following = (async () => {
      for await (const _chunk of readOutput(log, 0, true, leaving.signal)) throw new Error('nothing was written');
    })();
    leaving.abort();
    await following;
  });

  test('a slow reader holds no more than a chunk, and sees all of a large output', async () => {
    const { log } = newLog();
    const block = Buffer.alloc(200_000, 'x');
    for (let index = 0; index < 4; index += 1) await log.write('stdout', index * block.length, block);
    let total = 0;
    for await (const { bytes } of readOutput(log, 0, false, never)) {
      expect(bytes.length).toBeLessThanOrEqual(64 * 1024);
      total += bytes.length;
    }
    expect(total).toBe(800_000);
  });
});

describe('limits', () => {
  test('beyond the cap bytes are taken and not kept', async () => {
    const { log, losses } = newLog(10);
    await log.write('stdout', 0, Buffer.from('01234567'));
    await log.write('stdout', 8, Buffer.from('89abc'));
    await log.write('stdout', 13, Buffer.from('def'));
    expect(losses).toEqual(['cap']);
    expect(await read(log)).toEqual([{ channel: 'stdout', text: '0123456789' }]);
  });

  test('the loss is told before what is lost is acknowledged', async () => {
    const order: string[] = [];
    const log = new OutputLog(paths, { maxBytes: 1 }, () => order.push('loss'));
    logs.push(log);
    await log.write('stdout', 0, Buffer.from('ab')).then(() => order.push('acknowledged'));
    expect(order).toEqual(['loss', 'acknowledged']);
  });

  test('the index can not outgrow the cap either', async () => {
    const { log, losses } = newLog(4096);
    for (let index = 0; index < 600; index += 1) {
      await log.write(index % 2 === 0 ? 'stdout' : 'stderr', index, Buffer.from('x'));
    }
    expect(losses).toEqual(['cap']);
    expect((await stat(paths.index)).size).toBeLessThanOrEqual(4096);
    expect(log.storedBytes).toBe(4096 / recordBytes);
  });

  test('a full disk keeps what was stored and is no failure', async () => {
    const { log, losses } = newLog();
    await log.write('stdout', 0, Buffer.from('kept'));
    const restore = onFaultPoint((point) =>
      point === 'exec.index-written' ? Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) : undefined,
    );
    try {
      await log.write('stderr', 4, Buffer.from('lost'));
    } finally {
      restore();
    }
    await log.write('stdout', 8, Buffer.from('lost too'));
    expect(losses).toEqual(['disk-full']);
    expect(await read(log)).toEqual([{ channel: 'stdout', text: 'kept' }]);
  });

  test('another fault of the disk is told to the guest’s channel', async () => {
    const { log } = newLog();
    const restore = onFaultPoint(() => Promise.reject(Object.assign(new Error('broken'), { code: 'EIO' })));
    try {
      await expect(log.write('stdout', 0, Buffer.from('x'))).rejects.toThrow('broken');
    } finally {
      restore();
    }
  });

  test('a gap is noticed and nothing is put in its place', async () => {
    const { log, losses } = newLog();
    await log.write('stdout', 0, Buffer.from('ab'));
    await log.write('stdout', 5, Buffer.from('late'));
    expect(losses).toEqual(['gap']);
    expect(await read(log)).toEqual([{ channel: 'stdout', text: 'ab' }]);
  });
});

describe('recovery', () => {
  test('a run that was written without its bytes is dropped', async () => {
    const { log } = newLog();
    await log.write('stdout', 0, Buffer.from('abc'));
    await log.end();
    await appendFile(paths.index, Buffer.from([7, 0, 0, 0, 0, 0, 0, 0])); // stderr from 3
    const again = await reopen();
    expect(again).toMatchObject({ storedBytes: 3, runs: 1 });
    await again.write('stdout', 3, Buffer.from('def'));
    expect(await read(again)).toEqual([{ channel: 'stdout', text: 'abcdef' }]);
  });

  test('half a record is cut off', async () => {
    const { log } = newLog();
    await log.write('stdout', 0, Buffer.from('abc'));
    await log.end();
    await appendFile(paths.index, Buffer.from([7, 0, 0]));
    const again = await reopen();
    await again.write('stderr', 3, Buffer.from('!'));
    expect((await stat(paths.index)).size).toBe(2 * recordBytes);
    expect(await read(again)).toEqual([
      { channel: 'stdout', text: 'abc' },
      { channel: 'stderr', text: '!' },
    ]);
  });

  test('an index that was lost takes the bytes nobody can read with it', async () => {
    const { log } = newLog();
    await log.write('stdout', 0, Buffer.from('abc'));
    await log.end();
    await truncate(paths.index, 0);
    expect(await reopen()).toMatchObject({ storedBytes: 0, runs: 0 });
  });

  test('what was truncated stays so', async () => {
    const { log } = newLog();
    await log.write('stdout', 0, Buffer.from('abc'));
    await log.end();
    const again = await reopen(true);
    await again.write('stdout', 100, Buffer.from('later'));
    expect(await read(again)).toEqual([{ channel: 'stdout', text: 'abc' }]);
  });

  /** What a guest sends: pieces of either channel; and what happens after each: nothing, or hostd dies at a byte of the files. */
  const scripts = fc.array(
    fc.record({
      channel: fc.constantFrom<OutputChannel>('stdout', 'stderr'),
      length: fc.integer({ min: 1, max: 40 }),
      crash: fc.option(fc.record({ lostData: fc.nat(60), lostIndex: fc.nat(30) }), { freq: 3, nil: undefined }),
      wait: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  );

  test('any interleaving of writes, crashes and resumed sending gives the exact bytes back', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        await rm(join(directory, 'execs'), { recursive: true, force: true });
        let total = 0;
        const sent = script.map(({ channel, length }) => {
          const bytes = Buffer.from(Array.from({ length }, (_, index) => (total + index) % 251));
          const piece = { channel, offset: total, bytes };
          total += length;
          return piece;
        });
        let log = newLog().log;
        let acknowledged = 0;
        for (const [index, step] of script.entries()) {
          const piece = sent[index];
          if (piece === undefined) continue;
          const write = log.write(piece.channel, piece.offset, piece.bytes);
          if (step.wait || step.crash !== undefined) {
            await write;
            acknowledged = log.storedBytes;
          }
          if (step.crash === undefined) continue;
          // The last write is cut where hostd died: some of its data, or none of it and some of its index.
          const lostData = Math.min(step.crash.lostData, piece.bytes.length);
          const newRun = index === 0 || script[index - 1]?.channel !== step.channel;
          const lostIndex = lostData === piece.bytes.length && newRun ? Math.min(step.crash.lostIndex, recordBytes) : 0;
          await log.release();
          await truncate(paths.data, log.storedBytes - lostData);
          await truncate(paths.index, log.runs * recordBytes - lostIndex);
          log = await reopen();
          // The guest sends again from what was stored.
          for (const again of sent.slice(0, index + 1)) {
            if (again.offset + again.bytes.length <= log.storedBytes) continue;
            const from = Math.max(0, log.storedBytes - again.offset);
            await log.write(again.channel, again.offset + from, again.bytes.subarray(from));
          }
        }
        await log.end();
        expect(log.storedBytes).toBe(total);
        expect(acknowledged).toBeLessThanOrEqual(total);
        const expected: { channel: OutputChannel; text: string }[] = [];
        for (const { channel, bytes } of sent) {
          const last = expected.at(-1);
          if (last?.channel === channel) last.text += bytes.toString('latin1');
          else expected.push({ channel, text: bytes.toString('latin1') });
        }
        expect(await read(log)).toEqual(expected);
        const from = Math.floor(total / 3);
        const tail = (await read(log, from)).map(({ text }) => text).join('');
        expect(tail).toBe(
          expected
            .map(({ text }) => text)
            .join('')
            .slice(from),
        );
      }),
      { numRuns: 60 },
    );
  });
});
