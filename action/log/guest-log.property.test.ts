/* eslint-disable no-control-regex -- control characters are what this is about */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GuestLog } from './guest-log.ts';
import { maxLineUnits } from './line-cut.ts';
import { MemorySink } from './testing/memory-sink.ts';
import { bracketCommandsIn, readLikeTheRunner } from './testing/runner-model.ts';

const secrets = ['hunter2-secret', 'abab', '[group]', '#[x', 'line one\nline two', 'a\tb', '😀😀'];

const pieces = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map((text) => Buffer.from(text)) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(
        ...[
          '::',
          '#',
          '##',
          '##[',
          '[',
          ']',
          '\n',
          '\r',
          '\r\n',
          ' ',
          '\t',
          '\u00a0',
          '\x1b[31m',
          '\x1b[',
          '\x1b]8;;',
          '\x07',
          '\0',
          '***',
          ',',
          '=',
        ],
        ...[
          'error',
          'set-output name=a',
          'add-mask',
          'STOP-commands',
          'group',
          'x',
          '::error::',
          '##[debug]',
          '::stop-commands::x',
          '\ufeff',
        ],
        ...secrets,
      )
      .map((text) => Buffer.from(text)),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('x', 'ab', '😀', '\x1b[0m', '#')
      .map((text) => Buffer.from(text.repeat(maxLineUnits / text.length - 1))),
  },
);

const output = fc.array(fc.tuple(fc.constantFrom('stdout' as const, 'stderr' as const), pieces), { maxLength: 40 });

async function print(
  chunks: [stream: 'stdout' | 'stderr', bytes: Buffer][],
  protectedValues: readonly string[],
): Promise<MemorySink> {
  const sink = new MemorySink();
  const log = await GuestLog.open(sink, { protectedValues });
  for (const [stream, bytes] of chunks) await log.write(stream, bytes);
  await log.close();
  return sink;
}

function rechunked(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** The documented changes, the wrapping of long lines apart, made the slow way. */
function expectedText(bytes: Buffer): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(bytes)
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n');
  const links: string[] = [];
  const kept = text.replace(
    /\x1b\][^\0-\x1f\x7f]{0,2040}(?:\x07|\x1b\\)/g,
    (link) => `\u{f0000}${String(links.push(link) - 1)}\u{f0001}`,
  );
  const shown = [...kept].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === '\n' || character === '\t' || character === '\x1b') return character;
    if (code === 0x7f) return '\u2421';
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code >= 0x80 && code < 0xa0 ? '\ufffd' : character;
  });
  return shown
    .join('')
    .replace(/\u{f0000}(\d+)\u{f0001}/gu, (_, index: string) => links[Number(index)] ?? '')
    .replaceAll('##[', '##\\[');
}

test('whatever the guest prints, in whatever chunks, the runner sees our two commands only', async () => {
  await fc.assert(
    fc.asyncProperty(output, async (chunks) => {
      const sink = await print(chunks, secrets);
      const read = readLikeTheRunner(sink.bytes);
      expect(read.commands).toEqual(['stop-commands', 'resume']);
      expect(read.stopped).toBe(false);
      expect(bracketCommandsIn(sink.guestLines)).toEqual([]);
      expect(sink.bytes.toString().endsWith('::\n')).toBe(true);
    }),
    { numRuns: 300 },
  );
});

/** As before `##[` was made harmless: a cut inside of it leaves nothing to be made so. */
const written = (shown: string): string => shown.replaceAll('##\\[', '##[');

test('the text of one stream arrives whole and in order, with the documented changes and no others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 30 }), async (chunks) => {
      const bytes = Buffer.concat(chunks);
      const sink = await print([['stdout', bytes]], []);
      const expected = expectedText(bytes);
      // wrapping only adds line ends: between the pieces of a long line
      const lines =
        expected.endsWith('\n') || expected === '' ? expected.split('\n').slice(0, -1) : expected.split('\n');
      const shown = [...sink.guestLines];
      for (const line of lines) {
        let joined = shown.shift() ?? 'nothing';
        while (written(joined).length < written(line).length && shown.length > 0) joined += shown.shift() ?? '';
        if (joined !== line) expect(written(joined)).toBe(written(line));
      }
      expect(shown).toEqual([]);
    }),
    { numRuns: 300, examples: [[[Buffer.from(`::${'#'.repeat(maxLineUnits - 2)}[group]\r\0`)]]] },
  );
});

test('how the bytes were cut into chunks does not show', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(pieces, { maxLength: 30 }),
      fc.array(fc.oneof(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1000, max: 50_000 })), {
        minLength: 1,
        maxLength: 5,
      }),
      async (written, sizes) => {
        const bytes = Buffer.concat(written);
        const coarse = bytes.length > 20_000 ? sizes.map((size) => size + 999) : sizes;
        const whole = await print([['stdout', bytes]], secrets);
        const parts = await print(
          rechunked(bytes, coarse).map((chunk) => ['stdout', chunk]),
          secrets,
        );
        expect(parts.guestLines.join('\n') === whole.guestLines.join('\n')).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});
