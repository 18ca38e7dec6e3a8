import { runChecked, type Runner } from '../../../platform/run.ts';

/** A connection as the guest asked for it, before any address translation. */
export interface TrackedFlow {
  transport: 'tcp' | 'udp';
  address: string;
  port: number;
}

/** Nothing travels on these any more, or nothing ever did. From net/netfilter/nf_conntrack_proto_tcp.c. */
const lifelessStates = new Set(['TIME_WAIT', 'CLOSE', 'SYN_SENT', 'SYN_SENT2', 'LAST_ACK']);

/** The open TCP and UDP flows of a network namespace. The file needs CONFIG_NF_CONNTRACK_PROCFS, which Debian's and Ubuntu's kernels have. Throws CommandError. */
export async function trackedFlows(runner: Runner, netnsPath: string): Promise<TrackedFlow[]> {
  const args = [`--net=${netnsPath}`, '--', 'cat', '/proc/net/nf_conntrack'];
  const { stdout } = await runChecked(runner, 'nsenter', args);
  return stdout.split('\n').flatMap((line) => parseTrackedFlow(line) ?? []);
}

/** Reads a line such as `ipv4 2 tcp 6 431999 ESTABLISHED src=… dst=… sport=… dport=… src=… …`: the first addresses are those the guest used. */
export function parseTrackedFlow(line: string): TrackedFlow | undefined {
  const [family, , transport, , , state] = line.split(/\s+/);
  if (family !== 'ipv4' || (transport !== 'tcp' && transport !== 'udp')) return undefined;
  if (transport === 'tcp' && (state === undefined || lifelessStates.has(state))) return undefined;
  const address = / dst=([\d.]+) /.exec(line)?.[1];
  const port = Number(/ dport=(\d+) /.exec(line)?.[1]);
  return address === undefined || !Number.isInteger(port) ? undefined : { transport, address, port };
}
