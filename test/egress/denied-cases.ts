import type { DenialReason } from '../../hostd/contract/index.ts';
import type { EgressCase } from './egress-case.ts';
import { at } from './outside-of-battery.ts';

const tls = (name: string) => ({ kind: 'tls', to: at.web, port: 443, sni: name }) as const;
/** Alerts are read before the reset that follows, mostly. */
const tlsDenied = /^(alert access_denied|reset)$/;
const noName = /^(alert unrecognized_name|reset)$/;

const connection = (name: string, to: string, port: number, reason: DenialReason, address = to): EgressCase => ({
  name,
  probe: { kind: 'tcp', to, port },
  sees: 'refused',
  denied: { reason, address, port, transport: 'tcp' },
});

const datagram = (name: string, to: string, port: number, reason: DenialReason): EgressCase => ({
  name,
  probe: { kind: 'udp', to, port },
  sees: 'unreachable',
  denied: { reason, address: to, port, transport: 'udp' },
});

const unknownName = (name: string, asked: string): EgressCase => ({
  name,
  probe: { kind: 'dns', name: asked },
  sees: 'NXDOMAIN',
  denied: { reason: 'dns-name', name: asked.toLowerCase().replace(/\.$/, ''), port: null },
});

const serverName = (name: string, sni: string): EgressCase => ({
  name,
  probe: tls(sni),
  sees: tlsDenied,
  denied: { reason: 'sni', name: sni.toLowerCase().replace(/\.$/, ''), port: 443 },
});

/** A request on a connection to an allowed server. */
const request = (name: string, lines: string, denied: EgressCase['denied']): EgressCase => ({
  name,
  probe: { kind: 'http', to: at.web, port: 80, requests: [`${lines}\r\n\r\n`] },
  sees: new RegExp(`^403 Offshoot denied .*: ${String(denied?.reason)}$`),
  ...(denied === undefined ? {} : { denied }),
});

export const deniedCases: readonly EgressCase[] = [
  { ...connection('a direct address', at.evil, 9000, 'address'), smoke: true },
  connection('another port of a network by rule', at.network, 5001, 'port'),
  datagram('another transport of a network by rule', at.network, 5000, 'protocol'),
  datagram('another port of an address by rule', at.udp, 9, 'port'),
  {
    name: 'another port of a named host',
    probe: { kind: 'tcp', to: 'ssh.example', port: 2222 },
    sees: 'refused',
    denied: { reason: 'port', name: 'ssh.example', port: 2222 },
  },
  {
    name: 'https to a direct address, without SNI',
    probe: { kind: 'tls', to: at.evil, port: 443 },
    sees: noName,
    denied: { reason: 'no-name', port: 443 },
  },
  {
    name: 'http to a direct address',
    probe: { kind: 'http', to: at.evil, port: 80 },
    sees: /^403 Offshoot denied .*: host-header$/,
    denied: { reason: 'host-header', address: at.evil, port: 80 },
  },
  { ...serverName('another name on the same address', 'other.example'), smoke: true },
  { ...unknownName('another name, asked of DNS', 'asked.example'), smoke: true },
  {
    name: 'another name, looked up by the C library',
    probe: { kind: 'lookup', name: 'libc.example' },
    sees: 'no-name',
  },
  {
    ...serverName('a ClientHello in segments of one byte, of another name', 'segments.example'),
    probe: { ...tls('segments.example'), segment: 1 },
  },
  serverName('mixed case and a trailing dot, of another name', 'MiXed.Example'),
  unknownName('mixed case and a trailing dot, asked of DNS', 'Mixed-DNS.Example.'),
  serverName('the apex of a wildcard', 'wild.example'),
  unknownName('the apex of a wildcard, asked of DNS', 'wild.example'),
  serverName('a look-alike of a wildcard', 'notwild.example'),
  unknownName('a look-alike of a wildcard, asked of DNS', 'evilwild.example'),
  serverName('an allowed name in front of another domain', 'allowed.example.evil.example'),
  unknownName('an allowed name in front of another domain, asked of DNS', 'allowed.example.dns.example'),
  unknownName('a name below an exact rule', 'below.allowed.example'),
  request('a Host unlike the connection’s', 'GET /who HTTP/1.1\r\nHost: host.example', {
    reason: 'host-header',
    name: 'host.example',
    port: 80,
  }),
  request('an absolute URI', 'GET http://absolute.example/who HTTP/1.1\r\nHost: plain.example', {
    reason: 'host-header',
    name: 'absolute.example',
    port: 80,
  }),
  request('two Host headers', 'GET /who HTTP/1.1\r\nHost: plain.example\r\nHost: second.example', {
    reason: 'host-header',
    port: 80,
  }),
  request('CONNECT', 'CONNECT connect.example:443 HTTP/1.1\r\nHost: connect.example:443', {
    reason: 'protocol',
    port: 80,
  }),
  request('no Host', 'GET /who HTTP/1.0', { reason: 'no-name', port: 80 }),
  {
    name: 'a pipelined second request with another Host',
    probe: {
      kind: 'http',
      to: 'plain.example',
      port: 80,
      pipelined: true,
      requests: ['plain.example', 'pipelined.example'].map((host) => `GET /who HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
    },
    sees: /^200 203\.0\.113\.10:80 plain\.example 1\.1 \| 403 Offshoot denied pipelined\.example: host-header$/,
    denied: { reason: 'host-header', name: 'pipelined.example', port: 80 },
  },
  {
    name: 'TLS on port 80',
    probe: { kind: 'tls', to: at.web, port: 80, sni: 'allowed.example' },
    sees: /./,
    denied: { reason: 'protocol', port: 80 },
  },
  {
    name: 'no TLS on port 443',
    probe: { kind: 'http', to: at.web, port: 443, host: 'allowed.example' },
    sees: 'reset',
    denied: { reason: 'protocol', port: 443 },
  },
  {
    name: '/etc/hosts leads another name to an allowed server',
    probe: { ...tls('spoofer.example'), to: 'spoofer.example' },
    sees: tlsDenied,
    denied: { reason: 'sni', name: 'spoofer.example', port: 443 },
  },
  {
    name: '/etc/hosts leads an allowed name to another server, on a port without a proxy',
    probe: { kind: 'tcp', to: 'spoofed.example', port: 22 },
    sees: 'refused',
    denied: { reason: 'address', address: at.evil, port: 22 },
  },
  {
    name: 'another resolver, by UDP',
    probe: { kind: 'dns', name: 'allowed.example', to: at.evil },
    sees: 'unreachable',
    denied: { reason: 'address', address: at.evil, port: 53, transport: 'udp' },
  },
  {
    name: 'another resolver, by TCP',
    probe: { kind: 'dns', name: 'allowed.example', to: at.evil, over: 'tcp' },
    sees: 'refused',
    denied: { reason: 'address', address: at.evil, port: 53, transport: 'tcp' },
  },
  {
    name: 'the host’s own resolver, past the gateway',
    probe: { kind: 'dns', name: 'allowed.example', to: at.resolver, over: 'tcp' },
    sees: 'refused',
    denied: { reason: 'address', address: at.resolver, port: 53, transport: 'tcp' },
  },
  connection('DoT', at.evil, 853, 'address'),
  serverName('DoH', 'doh.example'),
  unknownName('a tunnel of labels', `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.tunnel.example`),
  {
    name: 'a tunnel of labels under a wildcard, too long',
    probe: { kind: 'dns', name: `${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(60)}.wild.example` },
    sees: 'NXDOMAIN',
    denied: { reason: 'dns-name', name: `${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(60)}.wild.example` },
  },
  {
    name: 'https to a name under a wildcard that is too long',
    probe: tls(`${'g'.repeat(60)}.${'h'.repeat(60)}.${'i'.repeat(60)}.wild.example`),
    sees: /^(alert \w+|reset)$/,
    denied: { reason: 'dns-name', name: `${'g'.repeat(60)}.${'h'.repeat(60)}.${'i'.repeat(60)}.wild.example` },
  },
  ...(['TXT', 'NULL'] as const).map((type): EgressCase => ({
    name: `${type} of an allowed name`,
    probe: { kind: 'dns', name: 'allowed.example', type },
    sees: 'NOERROR',
    denied: { reason: 'protocol', name: 'allowed.example', port: null },
  })),
  { ...unknownName('TXT of another name', 'txt.example'), probe: { kind: 'dns', name: 'txt.example', type: 'TXT' } },
  {
    name: 'ANY',
    probe: { kind: 'dns', name: 'ssh.example', type: 'ANY' },
    sees: 'NOTIMP',
    denied: { reason: 'protocol', name: 'ssh.example', port: null },
  },
  {
    name: 'a transfer',
    probe: { kind: 'dns', name: 'alias.example', type: 'AXFR', over: 'tcp' },
    sees: 'REFUSED',
    denied: { reason: 'protocol', name: 'alias.example', port: null },
  },
  { ...datagram('QUIC', at.evil, 443, 'address'), smoke: true },
  datagram('QUIC to an allowed server', at.web, 443, 'address'),
  datagram('UDP to a direct address', at.evil, 7, 'address'),
  {
    name: 'ICMP',
    probe: { kind: 'ping', to: at.evil },
    sees: 'unreachable',
    userSees: 'not-permitted',
    denied: { reason: 'protocol', address: at.evil, transport: 'icmp' },
  },
  {
    name: 'a raw protocol',
    probe: { kind: 'raw', to: at.evil, protocol: 99 },
    sees: 'sent',
    userSees: 'not-permitted',
    denied: { reason: 'protocol', address: at.evil, transport: 'other' },
  },
  {
    name: 'GRE to an allowed network',
    probe: { kind: 'raw', to: at.network, protocol: 47 },
    sees: 'sent',
    userSees: 'not-permitted',
    denied: { reason: 'protocol', address: at.network, transport: 'other' },
  },
  {
    name: 'a fragment that is not the first, to an allowed port as far as its bytes can tell',
    probe: { kind: 'fragment', to: at.udp, port: 7 },
    sees: 'sent',
    userSees: 'not-permitted',
  },
  {
    name: 'datagrams in fragments to a denied port',
    probe: { kind: 'udp', to: at.evil, port: 7, bytes: 3000 },
    sees: 'unreachable',
    denied: { reason: 'address', address: at.evil, port: 7, transport: 'udp' },
  },
  ...['203.0.113.200', '10.86.0.9'].map((from): EgressCase => ({
    name: `a source address that is not its own, ${from}`,
    probe: { kind: 'tcp', to: at.network, port: 5000, from, timeoutSeconds: 2 },
    sees: 'timeout',
  })),
  { name: 'an IPv6 address', probe: { kind: 'tcp', to: '2001:db8::66', port: 443 }, sees: 'unreachable' },
  { name: 'a link-local IPv6 address', probe: { kind: 'tcp', to: 'fe80::1%eth0', port: 22 }, sees: 'unreachable' },
  { name: 'UDP to an IPv6 address', probe: { kind: 'udp', to: '2001:db8::66', port: 443 }, sees: 'unreachable' },
  {
    ...unknownName('a name that leads to a private address', 'rebind.example'),
    denied: { reason: 'rebind', name: 'rebind.example', address: at.intern },
  },
  {
    name: 'https to a name that leads to a private address',
    probe: tls('rebind-tls.example'),
    sees: /^(alert \w+|reset)$/,
    denied: { reason: 'rebind', name: 'rebind-tls.example', address: at.intern },
  },
  {
    ...unknownName('a name that leads to a metadata service', 'to-metadata.example'),
    denied: { reason: 'rebind', name: 'to-metadata.example', address: at.metadata },
  },
  connection('a private address', at.intern, 9000, 'private-range'),
  {
    name: 'a private address on a port with a proxy, where one name may be private',
    probe: { ...tls('private.example'), to: at.intern },
    sees: tlsDenied,
    denied: { reason: 'sni', name: 'private.example', port: 443 },
  },
  { ...connection('metadata', at.metadata, 80, 'private-range'), smoke: true },
  connection('metadata, in decimal', '2852039166', 80, 'private-range', at.metadata),
  connection('metadata, in hexadecimal', '0xa9fea9fe', 80, 'private-range', at.metadata),
  {
    name: 'metadata, mapped to IPv6',
    probe: { kind: 'tcp', to: `::ffff:${at.metadata}`, port: 80 },
    sees: /^(refused|unreachable)$/,
  },
  request('metadata, as a Host', `GET /who HTTP/1.1\r\nHost: ${at.metadata}`, { reason: 'private-range', port: 80 }),
  request('metadata, as a Host in decimal', 'GET /who HTTP/1.1\r\nHost: 2852039166', {
    reason: 'host-header',
    name: '2852039166',
    port: 80,
  }),
  request('metadata, as a Host mapped to IPv6', `GET /who HTTP/1.1\r\nHost: [::ffff:${at.metadata}]`, {
    reason: 'private-range',
    port: 80,
  }),
  ...[2, 3, 4, 5].map((last) =>
    connection(`sandboxes: slot ${String(last - 2)}`, `10.86.0.${String(last)}`, 8000, 'private-range'),
  ),
  connection('a service of the host', at.host, 22, 'private-range'),
  connection('the daemon’s port', at.host, 7443, 'private-range'),
  connection('the daemon’s port, on the bridge', '10.86.0.1', 7443, 'private-range'),
  connection('DNS on the bridge, past the gateway', '10.86.0.1', 53, 'private-range'),
  connection('the proxy itself', '10.86.255.251', 9, 'private-range'),
  {
    name: 'the gateway',
    probe: { kind: 'tcp', to: '@gateway', port: 7443 },
    sees: 'refused',
    denied: { reason: 'private-range', port: 7443 },
  },
  datagram('the host, by UDP', at.host, 7, 'private-range'),
];
