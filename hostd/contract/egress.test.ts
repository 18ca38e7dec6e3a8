import { describe, expect, it } from 'vitest';
import { egressDenialSchema, egressPolicySchema, egressReportSchema } from './egress.ts';
import { egressWords } from './egress-words.ts';

describe('an egress policy', () => {
  it.each([
    [['a.example'], { mode: 'enforce', allow: ['a.example'] }],
    [[], { mode: 'enforce', allow: [] }],
    [{ allow: ['a.example'] }, { mode: 'enforce', allow: ['a.example'] }],
    [{ mode: 'enforce' }, { mode: 'enforce', allow: [] }],
    [{ mode: 'audit' }, { mode: 'audit', allow: [] }],
    [
      { mode: 'audit', allow: ['a.example'] },
      { mode: 'audit', allow: ['a.example'] },
    ],
    [
      { mode: 'open', allow: ['10.0.0.0/8:22'] },
      { mode: 'open', allow: ['10.0.0.0/8:22'] },
    ],
    [{ mode: 'none' }, { mode: 'none', allow: [] }],
    [
      { mode: 'none', allow: [] },
      { mode: 'none', allow: [] },
    ],
    [
      { mode: 'none', allow: ['# nothing yet', ''] },
      { mode: 'none', allow: ['# nothing yet', ''] },
    ],
  ])('%j', (given, expected) => {
    expect(egressPolicySchema.parse(given)).toEqual(expected);
  });

  it.each([
    ['a.example', /must be a list of rules, or an object/],
    [null, /must be a list of rules, or an object/],
    [{}, /needs mode \(enforce, audit, open or none\), allow, or both/],
    [{ mode: 'block' }, /^mode: .*"enforce"/],
    [{ mode: 'none', allow: ['# why\na.example'] }, /must be empty with mode none/],
    [{ mode: 'enforce', deny: ['a.example'] }, /"deny"/],
    [{ allow: 'a.example' }, /^allow: .*array/],
    [{ allow: ['a.example', 1] }, /^allow\.1: /],
    [[1], /^0: /],
    [Array.from({ length: 2001 }, () => 'a.example'), /at most 2000 rules/],
    [['x'.repeat(200_001)], /at most 200000 characters/],
  ])('is not %j', (given, why) => {
    const result = egressPolicySchema.safeParse(given);
    expect(result.error?.issues.map(({ message }) => message)).toEqual([expect.stringMatching(why)]);
  });
});

describe('a report', () => {
  const entry = {
    name: 'a.example',
    address: null,
    port: 443,
    transport: 'tcp',
    count: 2,
    bytesIn: 10,
    bytesOut: 20,
    firstAt: '2026-01-01T00:00:00.000Z',
    lastAt: '2026-01-01T00:00:01.000Z',
  };
  const denial = { ...entry, reason: 'sni', blocked: true };

  it('has the policy, what passed and what did not', () => {
    const report = {
      policy: { mode: 'enforce', allow: ['a.example:443'], revision: 1 },
      allowed: [entry],
      denied: [denial],
      deniedCount: 2,
      omitted: 0,
      suggestedAllow: ['a.example:443'],
    };
    expect(egressReportSchema.parse(report)).toEqual(report);
  });

  it.each([
    { reason: 'blocked' },
    { port: 65_536 },
    { count: 0 },
    { bytesIn: -1 },
    { transport: 'sctp' },
    { firstAt: 'now' },
  ])('has no denial with %j', (wrong) => {
    expect(egressDenialSchema.safeParse({ ...denial, ...wrong }).success).toBe(false);
  });
});

describe('words of a list', () => {
  it.each([
    ['a b\tc\r\nd', ['a', 'b', 'c', 'd']],
    ['a # b\nc', ['a', 'c']],
    ['#a\n #b\n', []],
    ['a#b', ['a#b']],
    ['a\u2028#b\u2028c', ['a', 'c']],
    ['\ufeffa\u00a0b', ['a', 'b']],
    ['', []],
  ])('of %j', (text, words) => {
    expect(egressWords(text)).toEqual(words);
  });

  it('of several texts, a comment ending with its text', () => {
    expect(egressWords(['a # x', 'b c'])).toEqual(['a', 'b', 'c']);
  });
});
