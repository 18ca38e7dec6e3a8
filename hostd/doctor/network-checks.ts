import type { DoctorCheck } from '../contract/doctor.ts';
import type { NetworkConfig } from '../net/config.ts';
import { formatIpv4Network, networksOverlap, parseIpv4 } from '../net/ipv4.ts';
import { listChains } from '../net/nft-json.ts';
import { planNetwork } from '../net/plan.ts';
import { trialRules } from '../net/trial-rules.ts';
import type { DoctorHost } from './doctor-host.ts';

interface Trial {
  name: string;
  command: readonly string[];
  input?: string;
  mend: string;
}

const trackingRules = `table inet trial {
  chain forward { type filter hook forward priority filter; ct state established accept; }
}
`;

/** Each tried in a network namespace that ends with the trial, so that nothing of the host changes. */
function trials(config: NetworkConfig): Trial[] {
  return [
    { name: 'network namespaces', command: ['true'], mend: 'Use a kernel with CONFIG_NET_NS.' },
    { name: 'tun device', command: ['ip', 'tuntap', 'add', 'dev', 'trial0', 'mode', 'tap'], mend: 'sudo modprobe tun' },
    { name: 'bridges', command: ['ip', 'link', 'add', 'trial0', 'type', 'bridge'], mend: 'sudo modprobe bridge' },
    { name: 'veth pairs', command: ['ip', 'link', 'add', 'trial0', 'type', 'veth'], mend: 'sudo modprobe veth' },
    {
      name: 'nftables',
      command: ['nft', '-f', '-'],
      input: trialRules(config).join(''),
      mend: 'sudo modprobe nf_tables nft_chain_nat nft_masq nft_ct nft_limit nft_connlimit nft_fib_inet nft_reject_inet',
    },
    {
      // By it pins stay while a connection uses them, and audit finds where a connection without a name was to go.
      name: 'connection tracking',
      command: ['sh', '-c', 'nft -f - && head -c 1 /proc/net/nf_conntrack'],
      input: trackingRules,
      mend: 'sudo modprobe nf_conntrack; if that is not it, use a kernel with CONFIG_NF_CONNTRACK_PROCFS.',
    },
  ];
}

export async function checkKernelNetworking(host: DoctorHost, config: NetworkConfig): Promise<DoctorCheck[]> {
  const all = trials(config);
  if (host.uid !== 0) {
    const found = `not checked without root: ${all.map(({ name }) => name).join(', ')}`;
    return [{ name: 'kernel networking', result: 'warn', found, mend: 'sudo offshoot doctor' }];
  }
  return Promise.all(
    all.map(async ({ name, command, mend, input }): Promise<DoctorCheck> => {
      const failure = await tryIn(host, command, input);
      if (failure === undefined) return { name, result: 'ok', found: 'work' };
      return { name, result: 'fail', found: failure, mend };
    }),
  );
}

/** What went wrong, or undefined. */
async function tryIn(host: DoctorHost, command: readonly string[], input?: string): Promise<string | undefined> {
  try {
    const options = { timeoutMs: 10_000, ...(input === undefined ? {} : { input }) };
    const { code, stderr } = await host.runner.run('unshare', ['--net', '--', ...command], options);
    return code === 0 ? undefined : stderr.trim().slice(0, 200) || `${command.join(' ')} ended with ${String(code)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export async function checkForwarding(host: DoctorHost): Promise<DoctorCheck> {
  const name = 'IPv4 forwarding';
  const value = (await host.readText('/proc/sys/net/ipv4/ip_forward'))?.trim();
  if (value === '1') return { name, result: 'ok', found: 'on' };
  return { name, result: 'ok', found: 'off; hostd turns it on when it starts' };
}

/** Other firewalls whose FORWARD chain drops, as Docker leaves it: hostd lets its own bridge pass there. */
export async function checkFirewalls(host: DoctorHost, config: NetworkConfig): Promise<DoctorCheck> {
  const name = 'other firewalls';
  if (host.uid !== 0) return { name, result: 'warn', found: 'not checked without root', mend: 'sudo offshoot doctor' };
  try {
    const ours = planNetwork(config, 1500).tableName;
    const dropping = (await listChains(host.runner)).filter(
      (chain) => chain.hook === 'forward' && chain.policy === 'drop' && chain.table !== ours,
    );
    if (dropping.length === 0) return { name, result: 'ok', found: 'none that drops forwarded traffic' };
    const names = dropping.map(({ family, table, name: chain }) => `${family} ${table} ${chain}`);
    return { name, result: 'ok', found: `${names.join(', ')} drops by default; hostd adds a passage for its bridge` };
  } catch (error) {
    const found = `the rules can not be listed: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`;
    return { name, result: 'fail', found, mend: 'sudo nft list ruleset' };
  }
}

/** Whether the sandboxes' subnet is free: an interface of the host in it would be cut off. */
export function checkSubnet(host: DoctorHost, config: NetworkConfig): DoctorCheck {
  const name = 'subnet';
  const { subnet } = config;
  const { bridgeName } = planNetwork(config, 1500);
  const clash = host.addresses().find(({ name: link, cidr }) => link !== bridgeName && overlaps(cidr, subnet));
  const text = formatIpv4Network(subnet);
  if (clash === undefined) return { name, result: 'ok', found: `${text} is free` };
  return {
    name,
    result: 'fail',
    found: `${text} overlaps ${clash.cidr} of ${clash.name}`,
    mend: 'Set network.subnet in the configuration file to a range that this host does not use.',
  };
}

function overlaps(cidr: string, subnet: NetworkConfig['subnet']): boolean {
  const [address = '', prefix = ''] = cidr.split('/');
  const base = parseIpv4(address);
  return base !== undefined && networksOverlap(subnet, networkAround(base, Number(prefix)));
}

function networkAround(address: number, prefixLength: number): NetworkConfig['subnet'] {
  const size = 2 ** (32 - prefixLength);
  return { base: Math.floor(address / size) * size, prefixLength };
}

export async function checkResolvers(host: DoctorHost, config: NetworkConfig): Promise<DoctorCheck> {
  const name = 'DNS';
  if (config.dnsUpstreams !== undefined)
    return { name, result: 'ok', found: config.dnsUpstreams.map(({ address }) => address).join(', ') };
  const text = (await host.readText(config.resolvConf)) ?? '';
  const servers = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map((match) => match[1] ?? '');
  if (servers.length > 0)
    return { name, result: 'ok', found: `sandboxes are answered by way of ${servers.join(', ')}` };
  return {
    name,
    result: 'warn',
    found: `${config.resolvConf} names no server, so sandboxes can look nothing up`,
    mend: 'Set network.dnsUpstreams in the configuration file.',
  };
}
