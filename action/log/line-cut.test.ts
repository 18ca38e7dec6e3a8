import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GuestLines } from './guest-lines.ts';
import { maxLineUnits } from './line-cut.ts';
import { protectedForms } from './protected-values.ts';

function wrapped(line: string, protectedValues: readonly string[] = []): string[] {
  const lines = new GuestLines(protectedForms(protectedValues));
  return (lines.push(Buffer.from(`${line}\n`)) + lines.end()).split('\n').slice(0, -1);
}

/** What the runner does to a line: every occurrence of a value, overlapping ones included, becomes one `***`. */
function masked(line: string, values: readonly string[]): string {
  const hidden = new Uint8Array(line.length);
  for (const value of values) {
    for (let at = line.indexOf(value); at >= 0; at = line.indexOf(value, at + 1)) hidden.fill(1, at, at + value.length);
  }
  return [...line].length === 0 ? '' : line.replace(/[^]/g, (unit, at: number) => (hidden[at] === 1 ? '\u2588' : unit));
}

test('a line at the bound stays whole, one beyond is broken at the bound', () => {
  expect(wrapped('x'.repeat(maxLineUnits))).toEqual(['x'.repeat(maxLineUnits)]);
  expect(wrapped('x'.repeat(maxLineUnits + 1))).toEqual(['x'.repeat(maxLineUnits), 'x']);
});

test.each([
  ['a surrogate pair', '😀'],
  ['a colour', '\x1b[38;5;196m'],
  ['a link', '\x1b]8;;https://example.com/a/long/path\x07'],
  ['a secret', 'correct-horse-battery'],
  ['a secret as base64', Buffer.from('correct-horse-battery').toString('base64')],
  ['a secret inside other base64', Buffer.from('correct-horse-battery').subarray(1).toString('base64')],
  ['a line of a secret', 'second line'],
  ['a secret in JSON', String.raw`say \"please\"`],
  ['a secret in a URL', 'say%20%22please%22'],
  ['a secret in XML', 'say &quot;please&quot;'],
])('%s is never cut', (_, whole) => {
  const values = ['correct-horse-battery', 'first line\n  second line\r\n', 'say "please"'];
  for (let before = maxLineUnits - whole.length - 1; before <= maxLineUnits + 1; before++) {
    const lines = wrapped(`${'x'.repeat(before)}${whole}yy`, values);
    expect(lines.join('')).toBe(`${'x'.repeat(before)}${whole}yy`);
    expect(lines.filter((line) => line.includes(whole))).toHaveLength(1);
  }
});

test('a secret longer than a line is one longer line', () => {
  const secret = 'k'.repeat(20_000) + 'l'.repeat(30_000);
  expect(wrapped(`${secret}tail`, [secret])).toEqual([secret, 'tail']);
  expect(wrapped(`head${secret}tail`, [secret])).toEqual(['head', secret, 'tail']);
});

test('secrets that overlap each other without end are masked here, and memory stays bounded', () => {
  const lines = new GuestLines(protectedForms(['abab']));
  const printed = lines.push(Buffer.from('ab'.repeat(100_000)));
  expect(printed.replaceAll('***\n', '')).toBe('');
  expect(printed.length).toBeGreaterThan(8);
  const rest = lines.end();
  expect(rest).toMatch(/^(\*\*\*\n)*(ab){2,}\n$/);
});

test('no part of a value is shown unmasked because of a cut', () => {
  const values = ['abab', 'ababcab', 'bcabab', 'xyzxyz', 'aaaa'];
  const line = fc
    .array(fc.constantFrom('ab', 'c', 'a', 'xyz', 'ababcab', 'aaaa', '-'), { minLength: 1, maxLength: 40 })
    .chain((unit) =>
      fc.tuple(fc.constant(unit.join('')), fc.integer({ min: 0, max: 20 }), fc.string({ maxLength: 30 })),
    );
  fc.assert(
    fc.property(line, ([unit, shift, end]) => {
      const text = '='.repeat(shift) + unit.repeat(Math.ceil((maxLineUnits * 2.5) / unit.length)) + end;
      const seen = wrapped(text, values)
        .map((piece) => masked(piece, values))
        .join('');
      const inOneLine = masked(text, values);
      // what a run too long to keep was replaced by hides at least what the runner would have hidden
      if (!seen.includes('***')) expect(seen === inOneLine).toBe(true);
      else expect(inOneLine.replace(/\u2588+/g, '\u2588')).toBe(seen.replace(/(\*\*\*|\u2588)+/g, '\u2588'));
    }),
    { numRuns: 100 },
  );
});

test('a secret that neutralising would change is masked here', () => {
  expect(wrapped('a ##[my-key] b', ['#[my-key]'])).toEqual(['a #*** b']);
  expect(wrapped('a key\x08board b', ['key\x08board'])).toEqual(['a *** b']);
  expect(wrapped('a ##[my-key] b', ['my-key'])).toEqual(['a ##\\[my-key] b']);
});
