import { expect, test } from 'vitest';
import { parseCountedTraffic } from './counted-traffic.ts';

/** Elements as the parts of their key, and their packets. */
function listing(name: string, elements: readonly (readonly [key: (string | number)[], packets: number])[]): string {
  const elem = elements.map(([key, packets]) => ({
    elem: { val: { concat: key }, timeout: 600, expires: 599, counter: { packets, bytes: packets * 60 } },
  }));
  const set = { family: 'inet', name, table: 'offshoot', ...(elem.length === 0 ? {} : { elem }) };
  return JSON.stringify({ nftables: [{ metainfo: { version: '1.0.6' } }, { set }] });
}

test('rows say what was refused or passed unlisted, by transport and port or by protocol', () => {
  const text = [
    listing('denied', [[['tcp', '203.0.113.7', 22], 3]]),
    '',
    listing('denied_other', [
      [['203.0.113.7', 'icmp'], 1],
      [['203.0.113.7', 99], 2],
    ]),
    listing('audited', [
      [['udp', '192.0.2.1', 443, 'original'], 5],
      [['udp', '192.0.2.1', 443, 'reply'], 4],
    ]),
    listing('audited_other', [[['192.0.2.1', 'icmp'], 2]]),
    listing('cut_tcp', [[['203.0.113.7', 40_000, 22], 1]]),
    listing('opened', []),
  ].join('\n');
  expect(parseCountedTraffic(text)).toEqual([
    { outcome: 'denied', address: '203.0.113.7', port: 22, protocol: 'tcp', packets: 3, bytes: 180 },
    { outcome: 'denied', address: '203.0.113.7', protocol: 'icmp', packets: 1, bytes: 60 },
    { outcome: 'denied', address: '203.0.113.7', protocol: '99', packets: 2, bytes: 120 },
    { outcome: 'audited', address: '192.0.2.1', port: 443, protocol: 'udp', packets: 5, bytes: 300 },
    { outcome: 'audited-received', address: '192.0.2.1', port: 443, protocol: 'udp', packets: 4, bytes: 240 },
    { outcome: 'audited', address: '192.0.2.1', protocol: 'icmp', packets: 2, bytes: 120 },
  ]);
});

test('rows say what rules opened, by direction, also where nft knows protocols by number alone', () => {
  const text = [
    listing('opened', [
      [['tcp', '203.0.113.7', 22], 2],
      [[17, '192.0.2.1', 123], 1],
    ]),
    listing('passed', [
      [['tcp', '203.0.113.7', 22, 'original'], 9],
      [[6, '203.0.113.7', 23, 'reply'], 8],
    ]),
  ].join('\n');
  expect(parseCountedTraffic(text)).toEqual([
    { outcome: 'opened', address: '203.0.113.7', port: 22, protocol: 'tcp', packets: 2, bytes: 120 },
    { outcome: 'opened', address: '192.0.2.1', port: 123, protocol: 'udp', packets: 1, bytes: 60 },
    { outcome: 'sent', address: '203.0.113.7', port: 22, protocol: 'tcp', packets: 9, bytes: 540 },
    { outcome: 'received', address: '203.0.113.7', port: 23, protocol: 'tcp', packets: 8, bytes: 480 },
  ]);
});

test('what is no listing is an error', () => {
  expect(() => parseCountedTraffic('{"nftables":[{"set":{"name":"denied","elem":[1]}}]}')).toThrow();
  expect(() => parseCountedTraffic('no json')).toThrow();
});
