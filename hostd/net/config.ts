import { isIP } from 'node:net';
import { z } from 'zod';
import { networkContains, parseIpv4Network, type Ipv4Network } from './ipv4.ts';

/** Sandboxes may only take addresses that are no one's on the internet: RFC 1918, RFC 6598 (CGNAT) and RFC 2544 (benchmarks). */
const usableForSandboxes = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '198.18.0.0/15'];

const subnetSchema = z.string().transform((text, context): Ipv4Network => {
  const network = parseIpv4Network(text);
  const problem = subnetProblem(network);
  if (network !== undefined && problem === undefined) return network;
  context.addIssue({ code: 'custom', message: problem ?? 'not a subnet', input: text });
  return z.NEVER;
});

function subnetProblem(network: Ipv4Network | undefined): string | undefined {
  if (network === undefined) return 'must be an IPv4 subnet such as 10.83.0.0/16, with no bits set behind its prefix';
  if (network.prefixLength < 8 || network.prefixLength > 28) return 'its prefix must be between /8 and /28';
  const usable = usableForSandboxes.flatMap((text) => parseIpv4Network(text) ?? []);
  if (usable.some((range) => networkContains(range, network))) return undefined;
  return `must lie in one of ${usableForSandboxes.join(', ')}`;
}

/** A DNS server: address and port. */
export interface Upstream {
  address: string;
  port: number;
}

/** Reads `1.2.3.4`, `1.2.3.4:53`, `fe80::1%eth0` or `[::1]:53`. */
export function parseUpstream(text: string): Upstream | undefined {
  if (isIP(text) !== 0) return { address: text, port: 53 };
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const address = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (address === undefined || isIP(address) === 0 || !(port >= 1 && port <= 65_535)) return undefined;
  if (match?.[1] !== undefined && isIP(address) !== 6) return undefined;
  return { address, port };
}

const upstreamSchema = z.string().transform((text, context): Upstream => {
  const upstream = parseUpstream(text);
  if (upstream !== undefined) return upstream;
  context.addIssue({ code: 'custom', message: 'must be an address, or an address and port', input: text });
  return z.NEVER;
});

const fieldsSchema = z.strictObject({
  /** Carried by every name on the host, so that several hostds can share it: each needs its own instance and its own subnet. */
  instance: z
    .string()
    .regex(/^[a-z0-9]{1,6}$/, 'must be 1 to 6 lower-case letters and digits')
    .default('main'),
  /** Addresses of the bridge, the sandboxes as the host sees them, and the link inside each of them. */
  subnet: subnetSchema.prefault('10.83.0.0/16'),
  /** Bytes; by default that of the host's uplink, at most 1500. */
  mtu: z.int().min(576).max(9000).optional(),
  /** DNS servers asked for the sandboxes instead of those in resolv.conf. */
  dnsUpstreams: z.array(upstreamSchema).min(1).max(8).optional(),
  /** Port on the bridge where hostd answers DNS; sandboxes always ask port 53 of their gateway. */
  dnsPort: z.int().min(1).max(65_535).default(53),
  /** Port on the bridge where names are answered by policy; it must not be `dnsPort`. */
  policyDnsPort: z.int().min(1).max(65_535).default(1053),
  resolvConf: z.string().startsWith('/').default('/etc/resolv.conf'),
  /** How often hostd looks whether its bridge and rules still stand, and mends them: other programs reload firewalls. */
  checkSeconds: z.number().min(0.1).max(3600).default(30),
  /** Connections and UDP flows one sandbox may have open at once. */
  maxFlowsPerSandbox: z.int().min(16).max(1_000_000).default(8192),
});

/** The `network` part of hostd's configuration. */
export const networkConfigSchema = fieldsSchema.superRefine(({ dnsPort, policyDnsPort }, context) => {
  if (dnsPort !== policyDnsPort) return;
  context.addIssue({ code: 'custom', path: ['policyDnsPort'], message: 'must be another port than dnsPort' });
});

export type NetworkConfig = z.output<typeof networkConfigSchema>;
