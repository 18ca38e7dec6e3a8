import { expect, test } from 'vitest';
import { GuestLog, type LogSink } from './guest-log.ts';
import { maxLineUnits } from './line-cut.ts';
import { MemorySink } from './testing/memory-sink.ts';
import { readLikeTheRunner } from './testing/runner-model.ts';

async function logged(...writes: ['stdout' | 'stderr', string | Buffer][]): Promise<string[]> {
  const sink = new MemorySink();
  const log = await GuestLog.open(sink);
  for (const [stream, text] of writes) await log.write(stream, Buffer.from(text));
  await log.close();
  return sink.guestLines;
}

test('commands are stopped by a token of its own before the first line and taken again after the last', async () => {
  const tokens = new Set<string>();
  for (let round = 0; round < 3; round++) {
    const sink = new MemorySink();
    const log = await GuestLog.open(sink);
    await log.write('stdout', Buffer.from('no end of line'));
    await log.close();
    const [first, guest, last, ...more] = sink.bytes.toString().split('\n');
    expect(first).toMatch(/^::stop-commands::[0-9a-f]{40}$/);
    const token = first?.slice('::stop-commands::'.length) ?? '';
    expect([guest, last, more]).toEqual(['no end of line', `::${token}::`, ['']]);
    tokens.add(token);
  }
  expect(tokens.size).toBe(3);
});

test('lines of the two streams never mix, however their bytes come', async () => {
  expect(
    await logged(
      ['stdout', 'one '],
      ['stderr', 'two '],
      ['stdout', 'line\nand '],
      ['stderr', 'lines\n'],
      ['stdout', 'a half'],
    ),
  ).toEqual(['one line', 'two lines', 'and a half']);
});

test('\\n, \\r\\n and a lone \\r end a line, also at the border of two chunks', async () => {
  expect(await logged(['stdout', 'a\r\nb\rc\nd\r'], ['stdout', '\ne\r'], ['stderr', '\nf\r'], ['stdout', 'g'])).toEqual(
    [...['a', 'b', 'c', 'd', 'e', '', 'f', 'g']],
  );
});

test('a line that ended with \\r is shown at once', async () => {
  const sink = new MemorySink();
  const log = await GuestLog.open(sink);
  await log.write('stdout', Buffer.from(' 50%\r'));
  expect(sink.bytes.toString()).toMatch(/\n 50%\n$/);
  await log.close();
});

test('characters split over chunks are joined; broken UTF-8 becomes U+FFFD', async () => {
  const bytes = Buffer.from('ä€😀');
  for (let at = 0; at <= bytes.length; at++) {
    expect(await logged(['stdout', bytes.subarray(0, at)], ['stderr', 'x\n'], ['stdout', bytes.subarray(at)])).toEqual([
      ...['x', 'ä€😀'],
    ]);
  }
  expect(await logged(['stdout', Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe2, 0x82])])).toEqual(['a\ufffdb', '\ufffd']);
});

test('control characters are shown as pictures; tabs, colours and links stay', async () => {
  expect(await logged(['stdout', 'a\0b\bc\x7fd\x9be\x07']), 'pictures').toEqual([
    'a\u2400b\u2408c\u2421d\ufffde\u2407',
  ]);
  const kept = '\ufeff\t\x1b[1;31mred\x1b[0m \x1b]8;;https://example.com\x07link\x1b]8;;\x1b\\';
  expect(await logged(['stdout', kept])).toEqual([kept]);
});

test('##[ is neutralised anywhere, also when its characters come apart', async () => {
  expect(
    await logged(['stdout', 'x ##[error]a ##[group]b ###[c'], ['stderr', '#'], ['stderr', '#'], ['stderr', '[debug]']),
  ).toEqual([...['x ##\\[error]a ##\\[group]b ###\\[c', '##\\[debug]']]);
});

test('nothing a guest prints is a command, be it in lower or upper case, after spaces or a \\r', async () => {
  const sink = new MemorySink();
  const log = await GuestLog.open(sink);
  const tries =
    '::error::x\n  ::SET-OUTPUT name=a::b\n\u00a0::add-mask::a\na\r::stop-commands::x\r\n::x::\nz##[set-env name=A]b\n::::\n';
  await log.write('stdout', Buffer.from(tries));
  await log.write('stderr', Buffer.from(tries));
  await log.close();
  const read = readLikeTheRunner(sink.bytes);
  expect(read.commands).toEqual(['stop-commands', 'resume']);
  expect(read.stopped).toBe(false);
  expect(read.lines).toHaveLength(16);
});

test('a line that never ends is held up to a bound only', async () => {
  const sink = new MemorySink();
  const log = await GuestLog.open(sink);
  const chunk = Buffer.alloc(100_000, 'x');
  for (let round = 1; round <= 20; round++) {
    await log.write('stdout', chunk);
    const shown = sink.bytes.toString().replaceAll('\n', '').length;
    expect(round * chunk.length - shown).toBeLessThan(2 * maxLineUnits);
  }
  await log.close();
  expect(new Set(sink.guestLines.slice(0, -1).map((line) => line.length))).toEqual(new Set([maxLineUnits]));
  expect(sink.guestLines.join('')).toBe('x'.repeat(2_000_000));
});

test('what follows a line end is bounded too', async () => {
  const sink = new MemorySink();
  const log = await GuestLog.open(sink);
  await log.write('stdout', Buffer.from(`a\n${'x'.repeat(200_000)}`));
  expect(sink.bytes.length).toBeGreaterThan(200_000 - 2 * maxLineUnits);
  await log.close();
});

test('many short lines go to the sink together', async () => {
  const sink = new MemorySink();
  const log = await GuestLog.open(sink);
  const lines = Buffer.from('short\n'.repeat(10_000));
  for (let round = 0; round < 10; round++) await log.write('stdout', lines);
  await log.close();
  expect(sink.writes.length).toBe(12);
  expect(sink.guestLines.length).toBe(100_000);
});

test('writes wait for the sink, and keep their order when nobody waits for them', async () => {
  const taken: string[] = [];
  const waiting: (() => void)[] = [];
  const slow: LogSink = {
    write: (text) =>
      new Promise((resolve) => {
        taken.push(text.toString());
        waiting.push(resolve);
      }),
  };
  const opening = GuestLog.open(slow);
  waiting.shift()?.();
  const log = await opening;
  let done = 0;
  const writes = ['a\n', 'b\n', 'c\n'].map((text) => log.write('stdout', Buffer.from(text)).then(() => done++));
  const closing = log.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([taken.slice(1), done]).toEqual([['a\n'], 0]);
  while (waiting.length > 0) {
    waiting.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all([...writes, closing]);
  expect(taken.slice(1, 4)).toEqual(['a\n', 'b\n', 'c\n']);
  expect(taken[4]).toMatch(/^::[0-9a-f]{40}::\n$/);
});

test('closing twice ends the log once; nothing is printed after', async () => {
  const sink = new MemorySink();
  const log = await GuestLog.open(sink);
  await Promise.all([log.close(), log.close()]);
  await log.close();
  await expect(log.write('stdout', Buffer.from('::error::late\n'))).rejects.toThrow('closed');
  expect(readLikeTheRunner(sink.bytes)).toEqual({ commands: ['stop-commands', 'resume'], lines: [], stopped: false });
});

test('a sink that fails tells the writer, and close still lets commands through again', async () => {
  const sink = new MemorySink();
  let broken = false;
  const log = await GuestLog.open({
    write: (text) => (broken ? Promise.reject(new Error('no room')) : sink.write(text)),
  });
  broken = true;
  await expect(log.write('stdout', Buffer.from('a\n'))).rejects.toThrow('no room');
  broken = false;
  await log.write('stderr', Buffer.from('b\n'));
  await log.close();
  expect(sink.guestLines).toEqual(['b']);
});
