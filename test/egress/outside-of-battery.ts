import { makeCertificate, type Certificate } from '../../hostd/net/egress/proxy/testing/certificate.ts';
import type { DnsZone } from '../doubles/outside-dns.ts';
import type { Arrival, ServerSpec } from '../doubles/outside-servers.ts';
import { outside } from '../doubles/outside-world.ts';

/** Addresses of the pretended internet: of documentation blocks (RFC 5737), so that none is anyone's, or closed ones. */
export const at = {
  web: '203.0.113.10',
  turns: ['203.0.113.31', '203.0.113.32', '203.0.113.33'],
  ssh: '203.0.113.22',
  udp: '203.0.113.7',
  network: '192.0.2.70',
  /** Answers on every port that a case tries to reach without leave. */
  evil: '203.0.113.66',
  intern: '10.0.0.1',
  metadata: outside.metadataAddress,
  resolver: outside.resolverAddress,
  host: outside.hostAddress,
} as const;

/** What the battery's sandbox may reach. */
export const batteryRules: readonly string[] = [
  'allowed.example',
  'plain.example:80',
  '*.wild.example',
  'alias.example',
  'turning.example',
  'ssh.example:22,9100',
  '192.0.2.64/28:5000',
  `udp:${at.udp}:7`,
  'udp:echo.example:7',
  'tls:prefixed.example:8443',
  'spoofed.example:443,22',
  'rebind.example',
  'rebind-tls.example',
  'half.example',
  'to-metadata.example',
  'intern.example private',
];

export const batteryZone: DnsZone = {
  'allowed.example': { a: [at.web] },
  'plain.example': { a: [at.web] },
  'prefixed.example': { a: [at.web] },
  'spoofed.example': { a: [at.web] },
  'alias.example': { cname: 'hop.alias-net.example' },
  'hop.alias-net.example': { cname: 'end.alias-net.example' },
  'end.alias-net.example': { a: [at.web] },
  'turning.example': { turns: [...at.turns], ttlSeconds: 1 },
  'ssh.example': { a: [at.ssh] },
  'echo.example': { a: [at.udp] },
  'rebind.example': { a: [at.intern] },
  'rebind-tls.example': { a: [at.intern] },
  'half.example': { a: [at.intern, at.web] },
  'to-metadata.example': { a: [at.metadata] },
  'intern.example': { a: [at.intern] },
  'race-a.example': { a: [at.web] },
  'race-both.example': { a: [at.web] },
  'race-b.example': { a: [at.web] },
  'on-host.example': { a: ['10.86.0.1'] },
  '*.wild.example': { a: [at.web] },
  // Whatever else is asked for would be answered: that it does not resolve is the resolver's doing.
  '*.example': { a: [at.evil], txtBytes: 100 },
};

const webNames = ['allowed.example', 'plain.example', 'prefixed.example', 'spoofed.example', 'alias.example'];
const turning = at.turns.map((address) => `${address}:443`);

/** Whether `batteryRules` explain that this came out. */
export function mayArrive({ protocol, to, port, name = '' }: Arrival): boolean {
  const where = `${to}:${String(port)}`;
  const lower = name.toLowerCase();
  const isWild = /^([a-z0-9-]+\.)+wild\.example$/.test(lower) && lower.length < 120;
  if (protocol === 'dns-udp' || protocol === 'dns-tcp') {
    return to === at.resolver && (isWild || (lower in batteryZone && !lower.startsWith('*')));
  }
  if (protocol === 'udp') return where === `${at.udp}:7`;
  if (protocol === 'tcp') {
    const open = [
      `${at.web}:443`,
      `${at.web}:80`,
      `${at.web}:8443`,
      `${at.ssh}:22`,
      `${at.ssh}:9100`,
      `${at.network}:5000`,
    ];
    return [...open, ...turning, `${at.intern}:443`].includes(where);
  }
  if (turning.includes(where)) return lower === 'turning.example';
  if (where === `${at.intern}:443`) return lower === 'intern.example';
  return to === at.web && (isWild || webNames.includes(lower));
}

const sshBanner = 'SSH-2.0-double';

export interface BatteryOutside {
  certificate: Certificate;
  internetAddresses: readonly string[];
  internetServers: readonly ServerSpec[];
  /** On the host itself: stands for its services and the daemon's port. */
  hostServers: readonly ServerSpec[];
}

/** Every server has a certificate for every name, so that one that should not have been reached would be believed. */
export function makeOutside(): BatteryOutside {
  // curl takes no wildcard right below the root: so names that it asks for stand there too.
  const certificate = makeCertificate([
    'allowed.example',
    'spoofed.example',
    '*.example',
    '*.wild.example',
    '*.b.wild.example',
  ]);
  const tls = { key: certificate.key, cert: certificate.cert };
  const web = (address: string, httpsPorts: number[] = [443]): ServerSpec => ({ address, web: { tls, httpsPorts } });
  return {
    certificate,
    internetAddresses: [
      ...[at.web, ...at.turns, at.ssh, at.udp, at.network, at.evil],
      ...[at.intern, at.metadata, at.resolver],
    ],
    internetServers: [
      web(at.web, [443, 8443]),
      ...at.turns.map((address) => web(address)),
      web(at.evil),
      web(at.intern),
      web(at.metadata),
      { address: at.web, udpPorts: [443] },
      { address: at.ssh, banner: { port: 22, text: sshBanner }, tcpPorts: [2222] },
      { address: at.ssh, drip: { port: 9100, bytes: 1_000_000, everyMs: 15 } },
      { address: at.udp, udpPorts: [7, 9] },
      { address: at.network, tcpPorts: [5000, 5001], udpPorts: [5000] },
      { address: at.evil, tcpPorts: [22, 853, 5000, 8443, 9000], udpPorts: [7, 443], dns: { zone: batteryZone } },
      { address: at.resolver, tcpPorts: [853], dns: { zone: batteryZone } },
    ],
    hostServers: [
      { tcpPorts: [22, 443, 7443], udpPorts: [7] },
      { address: at.host, drip: { port: 9100, bytes: 1_000_000, everyMs: 15 } },
    ],
  };
}
