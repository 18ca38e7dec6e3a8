import { runChecked, type Runner } from '../../../platform/run.ts';

/** A connection as the guest asked for it, before any address translation. */
export interface TrackedFlow {
  transport: 'tcp' | 'udp';
  address: string;
  port: number;
  /** The port of this side as the other side sees it, after translation. */
  seenPort: number;
  /** The port of the other side that answers, after translation. */
  answeringPort: number;
}

/** Nothing travels on these any more, or nothing ever did. From net/netfilter/nf_conntrack_proto_tcp.c. */
const lifelessStates = new Set(['TIME_WAIT', 'CLOSE', 'SYN_SENT', 'SYN_SENT2', 'LAST_ACK']);

/** The open TCP and UDP flows of a network namespace. The file needs CONFIG_NF_CONNTRACK_PROCFS, which Debian's and Ubuntu's kernels have. Throws CommandError. */
export async function trackedFlows(runner: Runner, netnsPath: string): Promise<TrackedFlow[]> {
  const args = [`--net=${netnsPath}`, '--', 'cat', '/proc/net/nf_conntrack'];
  const { stdout } = await runChecked(runner, 'nsenter', args);
  return stdout.split('\n').flatMap((line) => parseTrackedFlow(line) ?? []);
}

/** Reads a line such as `ipv4 2 tcp 6 431999 ESTABLISHED src=… dst=… sport=… dport=… src=… dst=… sport=… dport=… …`: first what the guest used, then the answers. */
export function parseTrackedFlow(line: string): TrackedFlow | undefined {
  const [family, , transport, , , state] = line.split(/\s+/);
  if (family !== 'ipv4' || (transport !== 'tcp' && transport !== 'udp')) return undefined;
  if (transport === 'tcp' && (state === undefined || lifelessStates.has(state))) return undefined;
  const [address] = valuesOf(line, 'dst');
  const [port, seenPort] = valuesOf(line, 'dport').map(Number);
  const answeringPort = Number(valuesOf(line, 'sport')[1]);
  if (address === undefined || port === undefined || seenPort === undefined || Number.isNaN(answeringPort))
    return undefined;
  return { transport, address, port, seenPort, answeringPort };
}

/** Of the connection's own direction first, then of its answers'. */
function valuesOf(line: string, key: 'dst' | 'sport' | 'dport'): string[] {
  return [...line.matchAll(new RegExp(` ${key}=([\\d.]+)(?= )`, 'g'))].flatMap(([, value]) => value ?? []);
}
