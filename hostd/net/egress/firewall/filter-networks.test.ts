import { expect, test } from 'vitest';
import { parsePolicy } from '../policy/parse-rules.ts';
import { openedNetworks, shutToNames, withoutOverlaps } from './filter-networks.ts';

const host = { own: ['198.51.100.2', '10.83.0.0/16'] };

test('networks of one port and transport never overlap, whatever order they come in', () => {
  expect(withoutOverlaps(['10.1.0.0/16', '10.0.0.0/8', '10.0.0.0/8', '11.0.0.0/9', '9.9.9.9/32'])).toEqual([
    '9.9.9.9/32',
    '10.0.0.0/8',
    '11.0.0.0/9',
  ]);
  expect(() => withoutOverlaps(['nothing'])).toThrow('no network: nothing');
});

test('rules open networks by transport and port, without what is closed, and no IPv6', () => {
  const rules = ['203.0.113.0/24:22', '203.0.113.7:22', '203.0.113.9:*', 'udp:192.0.2.1:123', '[2001:db8::1]:22'];
  const policy = parsePolicy('enforce', [...rules, 'name.example:22']);
  expect(openedNetworks(policy, host, 'tcp')).toEqual({
    anyPort: ['203.0.113.9/32'],
    ofPort: [{ port: 22, network: '203.0.113.0/24' }],
  });
  expect(openedNetworks(policy, host, 'udp')).toEqual({
    anyPort: [],
    ofPort: [{ port: 123, network: '192.0.2.1/32' }],
  });
  const { ofPort } = openedNetworks(parsePolicy('enforce', ['198.51.100.0/24:22']), host, 'tcp');
  expect(ofPort.length).toBeGreaterThan(1);
  expect(ofPort.map(({ network }) => network)).not.toContain('198.51.100.2/32');
});

test('private networks are shut to names unless one may be private; the rest always', () => {
  const shut = shutToNames(parsePolicy('enforce', ['name.example']), host);
  expect(shut).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '198.51.100.2/32', '127.0.0.0/8']));
  const mayBePrivate = shutToNames(parsePolicy('enforce', ['name.example private']), host);
  expect(mayBePrivate).not.toContain('10.0.0.0/8');
  expect(mayBePrivate).toEqual(expect.arrayContaining(['10.83.0.0/16', '169.254.0.0/16', '198.51.100.2/32']));
});
