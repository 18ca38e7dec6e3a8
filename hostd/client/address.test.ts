import { describe, expect, test } from 'vitest';
import { parseHostAddress } from './address.ts';

describe('host addresses', () => {
  test.each([
    ['unix:/run/a.sock', { kind: 'unix', path: '/run/a.sock' }],
    ['unix:///run/a.sock', { kind: 'unix', path: '/run/a.sock' }],
    ['tcp:127.0.0.1:7070', { kind: 'tcp', origin: 'http://127.0.0.1:7070' }],
    ['http://localhost:7070', { kind: 'tcp', origin: 'http://localhost:7070' }],
    ['https://builds.example.com', { kind: 'tcp', origin: 'https://builds.example.com' }],
  ])('%s', (text, address) => {
    expect(parseHostAddress(text)).toEqual(address);
  });

  test.each(['', 'unix:', 'ftp://example.com', 'http://example.com/path', '/run/a.sock', 'tcp:'])(
    'refuses %j',
    (text) => {
      expect(() => parseHostAddress(text)).toThrow(expect.objectContaining({ code: 'usage' }));
    },
  );
});
