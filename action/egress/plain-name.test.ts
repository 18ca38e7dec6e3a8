import { expect, test } from 'vitest';
import { placeOf, plainName } from './plain-name.ts';
import { entry } from './testing/reports.ts';

test('a guest’s name is one word, whatever is in it', () => {
  expect(plainName('*.a_b-c.Example.com')).toBe('*.a_b-c.Example.com');
  expect(plainName('`|<b>\n::error::x @me ## \u202e')).toBe('???b??::error::x??me?????');
  expect(plainName('')).toBe('?');
  expect(plainName('x'.repeat(300))).toBe(`${'x'.repeat(100)}...`);
});

test.each([
  [{}, 'ok.example.com:443'],
  [{ name: null }, '192.0.2.1:443'],
  [{ name: null, address: '2001:db8::1', port: 53, transport: 'udp' as const }, 'udp:[2001:db8::1]:53'],
  [{ name: null, port: null, transport: 'icmp' as const }, 'icmp:192.0.2.1'],
  [{ port: null }, 'ok.example.com'],
  [{ port: null, transport: 'udp' as const }, 'ok.example.com'],
  [{ name: null, address: null }, 'unknown:443'],
])('%j is shown as %s', (changes, shown) => {
  expect(placeOf(entry(changes))).toBe(shown);
});
