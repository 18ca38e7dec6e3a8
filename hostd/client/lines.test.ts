import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readLines } from './lines.ts';

async function collect(chunks: Iterable<string | Buffer>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(Readable.from([...chunks].map((chunk) => Buffer.from(chunk))))) lines.push(line);
  return lines;
}

test('lines and characters that are cut anywhere come whole', async () => {
  const bytes = Buffer.from('äöü\r\n\nlast');
  expect(await collect([...bytes].map((byte) => Buffer.from([byte])))).toEqual(['äöü', '', 'last']);
  expect(await collect([])).toEqual([]);
});

test('a reader slower than the lines loses none', async () => {
  const text = Array.from({ length: 20_000 }, (_, i) => `line ${String(i)}\n`).join('');
  let count = 0;
  for await (const line of readLines(Readable.from([Buffer.from(text)]))) {
    if (count % 1000 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(line).toBe(`line ${String(count)}`);
    count += 1;
  }
  expect(count).toBe(20_000);
});

test('a body that breaks off is no end', async () => {
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('one\ntwo\nthr');
      await Promise.resolve();
      throw new Error('lost');
    })(),
  );
  const lines: string[] = [];
  await expect(
    (async () => {
      for await (const line of readLines(broken)) lines.push(line);
    })(),
  ).rejects.toThrow('lost');
  expect(lines).toEqual(['one', 'two']);
});
