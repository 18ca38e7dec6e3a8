import { expect, test } from 'vitest';
import { encodeFields, type Field } from './fields.ts';
import { ProtocolViolation } from './frame.ts';
import { parseHello } from './hello.ts';
import { cleanText, parseEnd, parseExecResult, parseFileEntry, parseListBlock, parseMetrics } from './results.ts';

const end = (...fields: Field[]) => parseEnd(encodeFields(fields));
const stream = (overrides: Record<string, string | number> = {}): Field => [
  'stream',
  encodeFields(
    Object.entries({ id: 5, kind: 'exec', received: 10, limit: 70, base: 3, length: 8, ended: 0, ...overrides }),
  ),
];
const hello = (...fields: Field[]) => parseHello(encodeFields([['version', 1], ['agent', 'a1'], ...fields]));

test('an exec that ended, was killed, or failed to start', () => {
  expect(
    parseExecResult(end(['ok', 1], ['exit-code', 7], ['user-us', 1500], ['system-us', 20], ['max-rss-kib', 4])),
  ).toEqual({
    exitCode: 7,
    signalNumber: null,
    timedOut: false,
    oomKilled: false,
    userCpuMs: 1.5,
    systemCpuMs: 0.02,
    maxRssKiB: 4,
  });
  expect(parseExecResult(end(['ok', 1], ['signal', 9], ['timed-out', 1], ['oom-killed', 1]))).toMatchObject({
    exitCode: null,
    signalNumber: 9,
    timedOut: true,
    oomKilled: true,
  });
  expect(
    parseExecResult(end(['error', 'command-not-found'], ['message', 'nope: not found'], ['exit-code', 127])),
  ).toMatchObject({
    exitCode: 127,
    failure: { code: 'command-not-found', message: 'nope: not found' },
  });
  expect(parseExecResult(end(['error', 'no-space'], ['message', 'full']))).toMatchObject({
    exitCode: null,
    failure: { code: 'spawn-failed', message: 'no-space: full' },
  });
});

test.each<[string, Field[]]>([
  ['neither ok nor error', [['exit-code', 0]]],
  ['neither exit-code nor signal', [['ok', 1]]],
  [
    'both',
    [
      ['ok', 1],
      ['exit-code', 0],
      ['signal', 9],
    ],
  ],
  [
    'exit code over 255',
    [
      ['ok', 1],
      ['exit-code', 256],
    ],
  ],
  [
    'no number',
    [
      ['ok', 1],
      ['exit-code', '0x1'],
    ],
  ],
  [
    'negative',
    [
      ['ok', 1],
      ['exit-code', -1],
    ],
  ],
  ['error code with spaces', [['error', 'a b']]],
])('END of an exec with %s is a violation', (_what, fields) => {
  expect(() => parseExecResult(end(...fields))).toThrow(ProtocolViolation);
});

test('text from the guest is one clipped line without control characters', () => {
  expect(cleanText('a\u001b[31m b\r\nc\u202ed\u0000')).toBe('a [31m b c d');
  expect(cleanText('x'.repeat(5000))).toHaveLength(303);
  expect(end(['error', 'io'], ['message', 'bad\u0007']).ok).toBe(false);
  expect(end(['error', 'io'], ['message', 'bad\u0007'])).toMatchObject({ message: 'bad' });
});

test('file entries', () => {
  const texts = {
    name: 'a',
    type: 'l',
    size: '3',
    mode: '100644',
    uid: '0',
    gid: '5',
    'mtime-ns': '1700000000123456789',
    target: 'b',
  };
  expect(parseFileEntry(texts)).toEqual({
    name: 'a',
    type: 'symlink',
    sizeBytes: 3,
    mode: 0o644,
    uid: 0,
    gid: 5,
    mtimeMs: 1700000000123.456,
    target: 'b',
  });
  expect(parseFileEntry({ ...texts, 'mtime-ns': '-1000000' }).mtimeMs).toBe(-1);
  expect(parseListBlock(encodeFields(Object.entries(texts))).name).toBe('a');
  for (const wrong of [{ type: 'x' }, { size: '-1' }, { mode: '9' }, { name: 'n'.repeat(5000) }])
    expect(() => parseFileEntry({ ...texts, ...wrong })).toThrow(ProtocolViolation);
});

test('metrics', () => {
  const texts = {
    'memory-total-kib': '1',
    'memory-available-kib': '2',
    'disk-total-kib': '3',
    'disk-free-kib': '4',
    processes: '5',
    load1: '0.25',
    'uptime-ms': '6',
    'clock-ns': '1700000000123456789',
  };
  expect(parseMetrics(texts)).toEqual({
    memoryTotalKiB: 1,
    memoryAvailableKiB: 2,
    diskTotalKiB: 3,
    diskFreeKiB: 4,
    processes: 5,
    load1: 0.25,
    uptimeMs: 6,
    clockMs: 1700000000123,
  });
  expect(() => parseMetrics({ ...texts, load1: 'NaN' })).toThrow(ProtocolViolation);
});

test('the hello', () => {
  expect(
    hello(['capability', 'exec'], ['capability', 'list'], ['boot-id', 'b'], ['generation', 4], stream(), [
      'later',
      'x',
    ]),
  ).toEqual({
    protocolVersion: 1,
    agentBuild: 'a1',
    capabilities: new Set(['exec', 'list']),
    bootId: 'b',
    generation: 4,
    streams: [
      { id: 5, kind: 'exec', receivedBytes: 10, inputLimitBytes: 70, baseOffset: 3, lengthBytes: 8, ended: false },
    ],
  });
});

test.each<[string, Field[]]>([
  ['a stream twice', [stream(), stream()]],
  ['the stream 0', [stream({ id: 0 })]],
  ['a stream id over 32 bits', [stream({ id: 2 ** 32 })]],
  ['a base above its length', [stream({ base: 9 })]],
  ['a limit below what was received', [stream({ limit: 9 })]],
  ['a stream without a kind', [stream({ kind: '' })]],
  ['257 streams', Array.from({ length: 257 }, (_value, index) => stream({ id: index + 1 }))],
])('a hello with %s is a violation', (_what, fields) => {
  expect(() => hello(...fields)).toThrow(ProtocolViolation);
});

test('a hello of another version is a violation', () => {
  expect(() =>
    parseHello(
      encodeFields([
        ['version', 2],
        ['agent', 'a'],
      ]),
    ),
  ).toThrow(/version/);
});
