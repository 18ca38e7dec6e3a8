import { describe, expect, it } from 'vitest';
import { parsePolicy } from './parse-rules.ts';
import { compilePolicy, type PolicyMode, type PolicyView, type Verdict } from './policy.ts';

const own = ['10.83.0.0/16', '10.83.0.1', '198.51.100.7', '2001:db8:5::7'];
const view = (allow: string, mode: PolicyMode = 'enforce'): PolicyView =>
  compilePolicy(parsePolicy(mode, allow), { own });
const word = (verdict: Verdict) => (verdict.allowed ? 'allowed' : verdict.reason);

describe('names', () => {
  const policy = view('example.org *.wild.example a.example:22 udp:ntp.example:123');

  it.each([
    ['example.org', 'allowed'],
    ['EXAMPLE.org.', 'allowed'],
    ['a.example', 'allowed'],
    ['ntp.example', 'allowed'],
    ['x.wild.example', 'allowed'],
    ['A.B.c.WILD.example.', 'allowed'],
    ['_acme.x.wild.example', 'allowed'],
    ['wild.example', 'dns-name'],
    ['wild.example.', 'dns-name'],
    ['.wild.example', 'dns-name'],
    ['sub.example.org', 'dns-name'],
    ['evilexample.org', 'dns-name'],
    ['example.org.evil.test', 'dns-name'],
    ['x.evilwild.example', 'dns-name'],
    ['x.wild.example.evil.test', 'dns-name'],
    ['xwild.example', 'dns-name'],
    ['example.org..', 'dns-name'],
    ['org', 'dns-name'],
    ['', 'dns-name'],
    ['.', 'dns-name'],
    ['*.wild.example', 'dns-name'],
    ['a b.wild.example', 'dns-name'],
    ['a\0.wild.example', 'dns-name'],
    ['\u212Aelvin.wild.example', 'dns-name'],
    [`${'a'.repeat(64)}.wild.example`, 'dns-name'],
    [`${'a.'.repeat(125)}wild.example`, 'dns-name'],
  ])('%j: %s', (name, expected) => {
    expect(word(policy.mayResolve(name))).toBe(expected);
  });

  it('tell the rule that allows them', () => {
    expect(policy.mayResolve('X.wild.example')).toMatchObject({ allowed: true, rule: { text: '*.wild.example:443' } });
  });
});

describe('connections by name', () => {
  const policy = view(
    'a.example a.example:80 b.example:8443 tls:c.example:8443 http:d.example:8080 *.e.example:* udp:f.example:443 192.0.2.1:80,443',
  );

  it.each([
    ['a.example', 443, 'tls', 'allowed'],
    ['A.example.', 443, 'tls', 'allowed'],
    ['a.example', 80, 'http', 'allowed'],
    ['a.example', 443, 'http', 'protocol'],
    ['a.example', 8443, 'tls', 'port'],
    ['b.example', 443, 'tls', 'port'],
    ['c.example', 8443, 'tls', 'allowed'],
    ['c.example', 8443, 'http', 'protocol'],
    ['b.example', 8443, 'tls', 'allowed'],
    ['d.example', 8080, 'http', 'allowed'],
    ['x.e.example', 443, 'tls', 'allowed'],
    ['x.e.example', 80, 'http', 'allowed'],
    ['e.example', 443, 'tls', 'sni'],
    ['f.example', 443, 'tls', 'port'],
    ['other.example', 443, 'tls', 'sni'],
    ['other.example', 80, 'http', 'host-header'],
    ['a.example.evil.test', 443, 'tls', 'sni'],
    ['xa.example', 80, 'http', 'host-header'],
    ['', 443, 'tls', 'sni'],
    ['192.0.2.1', 80, 'http', 'allowed'],
    ['192.0.2.1', 8080, 'http', 'port'],
    ['192.0.2.2', 80, 'http', 'host-header'],
    ['10.0.0.1', 80, 'http', 'private-range'],
    ['[2001:db8::1]', 80, 'http', 'host-header'],
    ['0x7f.1', 80, 'http', 'host-header'],
  ] as const)('%s:%i as %s: %s', (name, port, layer, expected) => {
    expect(word(policy.mayConnect({ name, port, layer }))).toBe(expected);
  });

  it('go by the closest name that has the port', () => {
    const nested = view('*.example.org:443 *.a.example.org:80');
    expect(nested.mayConnect({ name: 'x.a.example.org', port: 443, layer: 'tls' })).toMatchObject({
      rule: { text: '*.example.org:443' },
    });
  });
});

describe('what a name resolves to', () => {
  const policy = view(
    'pub.example corp.example private mixed.example:443 private mixed.example:22 10.9.0.0/16:5432 169.254.169.254/32:80',
  );

  it.each([
    ['pub.example', '192.0.2.1', 'allowed'],
    ['pub.example', '2606:4700::1', 'allowed'],
    ['pub.example', '::ffff:192.0.2.1', 'allowed'],
    ['pub.example', '64:ff9b::192.0.2.1', 'allowed'],
    ['pub.example', '10.0.0.1', 'rebind'],
    ['pub.example', '10.9.1.1', 'allowed'],
    ['pub.example', '127.0.0.1', 'rebind'],
    ['pub.example', '169.254.1.1', 'rebind'],
    ['pub.example', '169.254.169.254', 'allowed'],
    ['pub.example', '198.51.100.7', 'rebind'],
    ['pub.example', '2001:db8:5::7', 'rebind'],
    ['pub.example', 'fd00::1', 'rebind'],
    ['pub.example', '::ffff:10.0.0.1', 'rebind'],
    ['pub.example', '64:ff9b::a00:1', 'rebind'],
    ['pub.example', '2002:a00:1::1', 'rebind'],
    ['pub.example', '2001:0:1:2:3:4:f5ff:fffe', 'rebind'],
    ['pub.example', 'not an address', 'rebind'],
    ['pub.example', '010.0.0.1', 'rebind'],
    ['corp.example', '10.0.0.1', 'allowed'],
    ['CORP.example.', '192.168.1.1', 'allowed'],
    ['corp.example', '100.64.0.1', 'allowed'],
    ['corp.example', 'fd00::1', 'allowed'],
    ['corp.example', '10.83.0.5', 'rebind'],
    ['corp.example', '127.0.0.1', 'rebind'],
    ['corp.example', '0.0.0.0', 'rebind'],
    ['corp.example', '169.254.170.2', 'rebind'],
    ['corp.example', '100.100.100.200', 'rebind'],
    ['corp.example', 'fd00:ec2::254', 'rebind'],
    ['corp.example', 'fe80::1', 'rebind'],
    ['corp.example', '198.51.100.7', 'rebind'],
    ['corp.example', '::ffff:10.83.0.5', 'rebind'],
    ['x.corp.example', '10.0.0.1', 'rebind'],
    [undefined, '192.0.2.1', 'allowed'],
    [undefined, '10.0.0.1', 'rebind'],
    [undefined, '10.9.0.1', 'allowed'],
  ])('%s at %s: %s', (name, address, expected) => {
    expect(word(policy.mayUseAddress(name, address))).toBe(expected);
  });

  it('for one port, goes by the rules of that port', () => {
    expect(word(policy.mayUseAddress('mixed.example', '10.0.0.1', 443))).toBe('allowed');
    expect(word(policy.mayUseAddress('mixed.example', '10.0.0.1', 22))).toBe('rebind');
    expect(word(policy.mayUseAddress('pub.example', '10.9.0.1', 5432))).toBe('allowed');
    expect(word(policy.mayUseAddress('pub.example', '10.9.0.1', 443))).toBe('rebind');
  });
});

describe('traffic without a name', () => {
  const policy = view(
    '192.0.2.0/24:22 udp:192.0.2.0/24:123 192.0.2.5:* 0.0.0.0/0:8080 10.0.0.0/8:5432 10.83.1.0/24:22 10.83.0.1:5432 198.51.100.7:443 169.254.0.0/16:80 [2606:4700::]/32:22 a.example',
  );

  it.each([
    ['192.0.2.9', 22, 'tcp', 'allowed'],
    ['192.0.2.9', 23, 'tcp', 'port'],
    ['192.0.2.9', 22, 'udp', 'protocol'],
    ['192.0.2.9', 123, 'udp', 'allowed'],
    ['192.0.2.9', 123, 'tcp', 'protocol'],
    ['192.0.2.5', 6000, 'tcp', 'allowed'],
    ['192.0.3.1', 22, 'tcp', 'port'],
    ['8.8.8.8', 8080, 'tcp', 'allowed'],
    ['10.1.1.1', 5432, 'tcp', 'allowed'],
    ['10.1.1.1', 22, 'tcp', 'port'],
    ['10.83.1.1', 22, 'tcp', 'private-range'],
    ['10.83.0.1', 5432, 'tcp', 'allowed'],
    ['10.83.0.1', 22, 'tcp', 'port'],
    ['10.83.0.1', 5432, 'udp', 'protocol'],
    ['10.83.2.1', 5432, 'tcp', 'private-range'],
    ['192.168.1.1', 8080, 'tcp', 'private-range'],
    ['127.0.0.1', 8080, 'tcp', 'private-range'],
    ['198.51.100.7', 443, 'tcp', 'allowed'],
    ['198.51.100.7', 8080, 'tcp', 'port'],
    ['169.254.1.1', 80, 'tcp', 'allowed'],
    ['169.254.169.254', 80, 'tcp', 'private-range'],
    ['168.63.129.16', 8080, 'tcp', 'private-range'],
    ['255.255.255.255', 8080, 'tcp', 'private-range'],
    ['2606:4700::9', 22, 'tcp', 'allowed'],
    ['2606:4701::9', 22, 'tcp', 'address'],
    ['fd00::1', 22, 'tcp', 'private-range'],
    ['::ffff:192.0.2.9', 22, 'tcp', 'allowed'],
    ['::ffff:169.254.169.254', 80, 'tcp', 'private-range'],
    ['nonsense', 22, 'tcp', 'address'],
    ['2606:4700::9%eth0', 22, 'tcp', 'address'],
    ['0x08080808', 8080, 'tcp', 'address'],
  ] as const)('%s %i/%s: %s', (address, port, transport, expected) => {
    expect(word(policy.mayReach({ address, port, transport }))).toBe(expected);
  });

  it('reaches a metadata service that a rule spells out, and only that', () => {
    const spelled = view('169.254.169.254/32:80');
    expect(word(spelled.mayReach({ address: '169.254.169.254', port: 80, transport: 'tcp' }))).toBe('allowed');
    expect(word(spelled.mayReach({ address: '169.254.170.2', port: 80, transport: 'tcp' }))).toBe('private-range');
  });

  it('of a host without address rules reaches nothing', () => {
    expect(word(view('a.example').mayReach({ address: '192.0.2.1', port: 443, transport: 'tcp' }))).toBe('address');
  });
});

describe('pins', () => {
  it('are for ports that no listener of the proxy takes', () => {
    const policy = view(
      'a.ex.example:443,80,22,8443 udp:a.ex.example:443 tls:b.ex.example:8443 *.ex.example:22 udp:*.ex.example:* a.ex.example:5000',
      'enforce',
    );
    expect(policy.rawPorts('A.ex.example.')).toEqual([
      { port: 22, transport: 'tcp' },
      { port: 443, transport: 'udp' },
      { port: 5000, transport: 'tcp' },
      { port: 'any', transport: 'udp' },
    ]);
    expect(policy.rawPorts('b.ex.example')).toEqual([
      { port: 22, transport: 'tcp' },
      { port: 'any', transport: 'udp' },
    ]);
    expect(policy.rawPorts('other.test')).toEqual([]);
  });
});

describe('modes', () => {
  const all = (policy: PolicyView) => [
    word(policy.mayResolve('other.test')),
    word(policy.mayConnect({ name: 'other.test', port: 443, layer: 'tls' })),
    word(policy.mayReach({ address: '192.0.2.1', port: 22, transport: 'tcp' })),
    word(policy.mayReach({ address: '10.0.0.1', port: 22, transport: 'tcp' })),
    word(policy.mayUseAddress('other.test', '10.0.0.1')),
    word(policy.mayReach({ address: '192.0.2.1', port: 5000, transport: 'tcp' })),
  ];

  it('enforce denies everything with an empty list', () => {
    expect(all(view(''))).toEqual(['dns-name', 'sni', 'address', 'private-range', 'rebind', 'address']);
  });

  it('audit says what enforce would do', () => {
    expect(all(view('x.example', 'audit'))).toEqual(all(view('x.example')));
  });

  it('open takes what is public; rules open the rest', () => {
    expect(all(view('', 'open'))).toEqual(['allowed', 'allowed', 'allowed', 'private-range', 'rebind', 'allowed']);
    expect(all(view('10.0.0.0/8:22 other.test private', 'open'))[3]).toBe('allowed');
    expect(all(view('10.0.0.0/8:22 other.test private', 'open'))[4]).toBe('allowed');
    expect(word(view('', 'open').mayResolve('a b'))).toBe('dns-name');
    expect(word(view('', 'open').mayConnect({ name: '10.0.0.1', port: 80, layer: 'http' }))).toBe('private-range');
  });

  it('none takes nothing, whatever rules there are', () => {
    const policy = view('other.test 192.0.2.1:22 10.0.0.0/8:22', 'none');
    expect(all(policy)).toEqual(['dns-name', 'sni', 'address', 'address', 'address', 'address']);
    expect(policy.rawPorts('other.test')).toEqual([]);
  });
});

it('refuses host addresses that are none: nothing may stay open by a typing mistake', () => {
  expect(() => compilePolicy(parsePolicy('enforce', ''), { own: ['10.0.0.0/8', 'eth0'] })).toThrow(/eth0/);
});
