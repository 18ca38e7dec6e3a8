import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Sandbox } from '../../hostd/client/index.ts';

interface Common {
  timeoutSeconds?: number;
}

interface Dialled extends Common {
  /** A name to look up, an address in any form that programs take, or `@gateway`. */
  to: string;
  port: number;
  /** Source address. */
  from?: string;
  /** Cuts what is sent first into pieces of this many bytes. */
  segment?: number;
}

interface Exchanged extends Dialled {
  host?: string;
  /** What is asked for by GET, over one connection; default `/who`. */
  paths?: readonly string[];
  /** Instead of paths: requests as they are. */
  requests?: readonly string[];
  /** All requests first, then the answers. */
  pipelined?: boolean;
  /** Instead of requests: a POST of this many bytes. */
  uploadBytes?: number;
  /** Does not begin before this long after the program did. */
  startSeconds?: number;
  /** Connects and is silent until this long after the program began. */
  holdUntilSeconds?: number;
  /** Reads a little at a time, with rests. */
  slow?: boolean;
  websocket?: boolean;
}

export type DnsType = 'A' | 'AAAA' | 'TXT' | 'NULL' | 'ANY' | 'AXFR' | 'HTTPS' | 'SRV';

/** What guest-probe.py can try. */
export type GuestProbe =
  | ({ kind: 'tls'; sni?: string } & Exchanged)
  | ({ kind: 'http' } & Exchanged)
  | ({ kind: 'tcp'; send?: string } & Dialled)
  | ({ kind: 'udp'; bytes?: number } & Dialled)
  | ({ kind: 'dns'; name: string; type?: DnsType; to?: string; over?: 'udp' | 'tcp' } & Common)
  | { kind: 'lookup'; name: string }
  | { kind: 'run'; argv: readonly string[] }
  | ({ kind: 'ping'; to: string } & Common)
  | { kind: 'raw'; to: string; protocol: number }
  | { kind: 'fragment'; to: string; port: number }
  | ({ kind: 'bytes'; to: string; port: number; base64: string; over?: 'udp' | 'tcp' } & Common);

const resultsSchema = z.array(z.object({ seen: z.string(), tookMs: z.number() }));

export type ProbeResult = z.output<typeof resultsSchema>[number];

const folder = '/opt/egress';

export interface GuestSetup {
  /** PEM of the certificate that servers outside have. */
  certificate: string;
  /** Lines for /etc/hosts. */
  hosts?: readonly string[];
  /** Addresses that the guest takes for its own, besides the one it has. */
  addresses?: readonly string[];
}

/** Gives a guest the program, the certificate and what it pretends. */
export async function furnishGuest(sandbox: Sandbox, setup: GuestSetup): Promise<void> {
  const program = await readFile(path.join(import.meta.dirname, 'guest-probe.py'));
  await sandbox.exec(['mkdir', '-p', folder], { check: true });
  await sandbox.files.write(`${folder}/guest-probe.py`, program);
  await sandbox.files.write(`${folder}/ca.pem`, setup.certificate);
  const { hosts = [], addresses = [] } = setup;
  const script = [
    `chmod -R a+rX ${folder}`,
    ...hosts.map((line) => `echo '${line}' >> /etc/hosts`),
    ...addresses.map((address) => `ip addr add ${address}/32 dev lo`),
  ];
  await sandbox.exec(script.join(' && '), { check: true });
}

export interface ProbeOptions {
  user?: string;
  /** How many at a time; default 8. */
  atOnce?: number;
  /** Before the first. */
  afterSeconds?: number;
  /** Tried when the program has begun, before `afterSeconds`, and when it is done with all: so that outside it can be seen how far it is. */
  around?: GuestProbe;
}

/** Tries all of them in the guest, some at a time. */
export async function probe(
  sandbox: Sandbox,
  probes: readonly GuestProbe[],
  { user, ...options }: ProbeOptions = {},
): Promise<ProbeResult[]> {
  const { stdout } = await sandbox.exec(['python3', `${folder}/guest-probe.py`], {
    input: JSON.stringify({ probes, ...options }),
    check: true,
    timeoutMs: 180_000,
    ...(user === undefined ? {} : { user }),
  });
  return resultsSchema.parse(JSON.parse(stdout));
}

/** What each of them saw, in order. */
export async function sees(
  sandbox: Sandbox,
  probes: readonly GuestProbe[],
  options: ProbeOptions = {},
): Promise<string[]> {
  return (await probe(sandbox, probes, options)).map(({ seen }) => seen);
}
