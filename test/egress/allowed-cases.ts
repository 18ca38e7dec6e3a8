import type { EgressCase } from './egress-case.ts';
import { at } from './outside-of-battery.ts';

const answer = (address: string, port: number, name: string) => `200 ${address}:${String(port)} ${name} 1.1`;
const tls = (name: string) => ({ kind: 'tls', to: name, port: 443, sni: name }) as const;
const fromWeb = (name: string) => answer(at.web, 443, name);
const largeBytes = 6 * 1024 * 1024;

/** What `batteryRules` let through, and who has to answer. */
export const allowedCases: readonly EgressCase[] = [
  { name: 'https', probe: tls('allowed.example'), sees: fromWeb('allowed.example'), smoke: true },
  {
    name: 'http',
    probe: { kind: 'http', to: 'plain.example', port: 80 },
    sees: answer(at.web, 80, 'plain.example'),
    smoke: true,
  },
  {
    name: 'ssh by name',
    probe: { kind: 'tcp', to: 'ssh.example', port: 22 },
    sees: 'ok SSH-2.0-double',
    passed: { name: 'ssh.example', address: at.ssh, port: 22, transport: 'tcp' },
    smoke: true,
  },
  { name: 'a wildcard, one label deep', probe: tls('www.wild.example'), sees: fromWeb('www.wild.example') },
  { name: 'a wildcard, two labels deep', probe: tls('a.b.wild.example'), sees: fromWeb('a.b.wild.example') },
  {
    name: 'a network by rule',
    probe: { kind: 'tcp', to: at.network, port: 5000 },
    sees: new RegExp(`^ok hello from ${at.network} to `),
    passed: { name: null, address: at.network, port: 5000, transport: 'tcp' },
    smoke: true,
  },
  { name: 'udp by an address rule', probe: { kind: 'udp', to: at.udp, port: 7 }, sees: `ok ${at.udp} 4` },
  {
    name: 'udp by name',
    probe: { kind: 'udp', to: 'echo.example', port: 7 },
    sees: `ok ${at.udp} 4`,
    passed: { name: 'echo.example', address: at.udp, port: 7, transport: 'udp' },
    smoke: true,
  },
  {
    name: 'udp in fragments',
    probe: { kind: 'udp', to: at.udp, port: 7, bytes: 3000 },
    sees: `ok ${at.udp} 3000`,
  },
  { name: 'a name behind two aliases', probe: tls('alias.example'), sees: fromWeb('alias.example') },
  ...[1, 2, 3, 4].map((time): EgressCase => ({
    name: `a name whose address changes, time ${String(time)}`,
    probe: tls('turning.example'),
    sees: /^200 203\.0\.113\.3[123]:443 turning\.example 1\.1$/,
  })),
  {
    name: 'a large download by https',
    probe: { ...tls('allowed.example'), paths: [`/bytes/${String(largeBytes)}`] },
    sees: `200 ${String(largeBytes)} bytes`,
  },
  {
    name: 'a large upload by https',
    probe: { ...tls('allowed.example'), uploadBytes: largeBytes },
    sees: `200 received ${String(largeBytes)}`,
  },
  {
    name: 'a large download by http',
    probe: { kind: 'http', to: 'plain.example', port: 80, paths: [`/bytes/${String(largeBytes)}`] },
    sees: `200 ${String(largeBytes)} bytes`,
  },
  {
    name: 'a large upload by http',
    probe: { kind: 'http', to: 'plain.example', port: 80, host: 'plain.example', uploadBytes: largeBytes },
    sees: `200 received ${String(largeBytes)}`,
  },
  {
    name: 'a WebSocket over https',
    probe: { ...tls('allowed.example'), websocket: true },
    sees: '101 first second',
  },
  {
    name: 'a WebSocket over http',
    probe: { kind: 'http', to: 'plain.example', port: 80, host: 'plain.example', websocket: true },
    sees: '101 first second',
  },
  {
    name: 'several requests over one https connection',
    probe: { ...tls('allowed.example'), paths: ['/who', '/bytes/9', '/who'] },
    sees: [fromWeb('allowed.example'), '200 xxxxxxxxx', fromWeb('allowed.example')].join(' | '),
  },
  {
    name: 'several requests over one http connection',
    probe: { kind: 'http', to: 'plain.example', port: 80, paths: ['/who', '/bytes/9', '/who'] },
    sees: [answer(at.web, 80, 'plain.example'), '200 xxxxxxxxx', answer(at.web, 80, 'plain.example')].join(' | '),
  },
  {
    name: 'HTTP/2',
    probe: {
      kind: 'run',
      argv: ['curl', '-sS', '--max-time', '30', '--http2', '--cacert', 'ca.pem', 'https://allowed.example/who'],
    },
    sees: `exit 0 ${at.web}:443 allowed.example 2.0`,
  },
  {
    name: 'a client that reads slowly',
    probe: { ...tls('allowed.example'), paths: ['/bytes/200000'], slow: true },
    sees: '200 200000 bytes',
  },
  {
    name: 'a server that sends slowly',
    probe: { ...tls('allowed.example'), paths: ['/drip/60'] },
    sees: '200 3840 bytes',
  },
  {
    name: 'a request head that comes byte by byte',
    probe: { kind: 'http', to: 'plain.example', port: 80, segment: 1 },
    sees: answer(at.web, 80, 'plain.example'),
  },
  {
    name: 'a port with the prefix tls:',
    probe: { kind: 'tls', to: 'prefixed.example', port: 8443, sni: 'prefixed.example' },
    sees: answer(at.web, 8443, 'prefixed.example'),
  },
  {
    name: 'a name that may be private',
    probe: tls('intern.example'),
    sees: answer(at.intern, 443, 'intern.example'),
  },
  {
    name: 'an allowed SNI sent to another server’s address goes to the allowed one',
    probe: { ...tls('allowed.example'), to: at.evil },
    sees: fromWeb('allowed.example'),
  },
  {
    name: 'a ClientHello in segments of one byte, of an allowed name',
    probe: { ...tls('allowed.example'), segment: 1 },
    sees: fromWeb('allowed.example'),
  },
  {
    name: 'mixed case and a trailing dot, of an allowed name',
    probe: { ...tls('allowed.example'), to: 'ALLOWED.Example.', sni: 'Allowed.EXAMPLE' },
    sees: /^200 203\.0\.113\.10:443 allowed\.example 1\.1$/i,
  },
  {
    name: 'an absolute URI that names the same host',
    probe: {
      kind: 'http',
      to: 'plain.example',
      port: 80,
      requests: ['GET http://plain.example/who HTTP/1.1\r\nHost: plain.example\r\n\r\n'],
    },
    sees: answer(at.web, 80, 'plain.example'),
  },
  {
    name: '/etc/hosts leads an allowed name to another server: it goes to the allowed one',
    probe: tls('spoofed.example'),
    sees: fromWeb('spoofed.example'),
  },
  {
    name: 'closed addresses among those of an allowed name are left out',
    probe: { kind: 'dns', name: 'half.example' },
    sees: `NOERROR ${at.web}`,
    denied: { reason: 'rebind', name: 'half.example', address: at.intern },
  },
  { name: 'no IPv6: AAAA', probe: { kind: 'dns', name: 'allowed.example', type: 'AAAA' }, sees: 'NOERROR' },
  { name: 'no HTTPS records', probe: { kind: 'dns', name: 'allowed.example', type: 'HTTPS' }, sees: 'NOERROR' },
  {
    name: 'DNS over TCP to the gateway',
    probe: { kind: 'dns', name: 'allowed.example', over: 'tcp' },
    sees: `NOERROR ${at.web}`,
  },
];
