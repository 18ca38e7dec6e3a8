import { readdir } from 'node:fs/promises';
import { isOffshootError } from '../../../errors/offshoot-error.ts';
import { runChecked, type Runner } from '../../../platform/run.ts';
import { listLinks } from '../../ip-json.ts';
import { listChains, listRules } from '../../nft-json.ts';
import { netnsDirectory, type NetworkPlan } from '../../plan.ts';
import { step } from '../../setup-error.ts';
import { lines } from '../../slot-commands.ts';
import { planProxy, proxyLinkName, type ProxyPlan } from './proxy-plan.ts';
import { passageComment, proxyPassage, proxyRules } from './proxy-rules.ts';

/**
 * Run inside the netns with the rules as its argument, `keep` or not, the link's MAC, and `ip` commands as its input: nothing is up before
 * rules hold. All sandboxes' connections to a server share the ports of one address: more of these, and those of connections that have ended
 * are used again. The MAC is not set again: the kernel takes the same for a change, and forgets all neighbours and what waits for them.
 */
const insideScript = `set -e
echo 0 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/ipv4/tcp_tw_reuse
echo 10240 65535 > /proc/sys/net/ipv4/ip_local_port_range
if [ -e /proc/sys/net/ipv6/conf/all/disable_ipv6 ]; then
  echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
  echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6
fi
[ "$2" = keep ] && nft list chain inet offshoot output > /dev/null 2>&1 || nft "$1"
ip -o link show dev ${proxyLinkName} | grep -qF " $3 " || ip link set dev ${proxyLinkName} address "$3"
exec ip -batch -`;

/** The network namespace in which the proxy of an instance runs, its port on the bridge, and its passage through the host's rules. */
export class ProxyNamespace {
  readonly proxy: ProxyPlan;
  readonly #runner: Runner;
  readonly #plan: NetworkPlan;

  /** Throws TypeError where the plan leaves the proxy no address. */
  constructor(runner: Runner, plan: NetworkPlan) {
    this.#runner = runner;
    this.#plan = plan;
    this.proxy = planProxy(plan);
  }

  /**
   * Makes what is missing and mends what is not as it should be; programs in the namespace stay in it. Lets sandboxes in on these TCP
   * ports of the proxy and no others; with `keep` on those that they are let in on now, if any. To be called when bridge and host rules
   * stand, and after each time they were mended. Throws `network-setup-failed`, `tool-missing`.
   */
  async ensure(listenerPorts: readonly number[] | 'keep'): Promise<void> {
    await step('Making the network of the proxy', async () => {
      try {
        await this.#make(listenerPorts);
      } catch (firstError) {
        // A name without a namespace behind it, as a killed `ip` leaves: once more from a clean slate.
        if (isOffshootError(firstError)) throw firstError;
        await this.#remove();
        await this.#make(listenerPorts);
      }
    });
    await step('Letting the proxy through the rules of the host', () => this.#ensurePassage());
  }

  /** Resolves when namespace and link are gone; the passage goes with the host's table. Tolerates absence. Throws `network-setup-failed`, `tool-missing`. */
  async remove(): Promise<void> {
    await step('Removing the network of the proxy', () => this.#remove());
  }

  async #make(listenerPorts: readonly number[] | 'keep'): Promise<void> {
    const { netnsName, netnsPath, vethName, address, mac } = this.proxy;
    const { bridgeName, bridgeAddress, bridgeMac, subnet, link } = this.#plan;
    const mtu = String(link.mtu);
    const names = await readdir(netnsDirectory).catch((): string[] => []);
    const links = await listLinks(this.#runner);
    const outside = [
      ...(names.includes(netnsName) ? [] : [`netns add ${netnsName}`]),
      ...(links.some((one) => one.ifname === vethName)
        ? []
        : [
            `link add name ${vethName} mtu ${mtu} type veth peer name ${proxyLinkName} address ${mac} mtu ${mtu} netns ${netnsName}`,
          ]),
      `link set dev ${vethName} addrgenmode none`,
      `link set dev ${vethName} master ${bridgeName}`,
      // Sandboxes' ports are isolated: they may talk to this one, not to each other.
      `link set dev ${vethName} type bridge_slave isolated off`,
      `link set dev ${vethName} up`,
    ];
    await runChecked(this.#runner, 'ip', ['-batch', '-'], { input: lines(outside) });
    const inside = [
      // The rules' refusals of what programs here dial come back by it; nothing else passes on it.
      'link set dev lo up',
      `link set dev ${proxyLinkName} mtu ${mtu}`,
      `addr replace ${address}/32 dev ${proxyLinkName}`,
      `link set dev ${proxyLinkName} up`,
      `neigh replace ${bridgeAddress} lladdr ${bridgeMac} dev ${proxyLinkName} nud permanent`,
      `route replace ${subnet} dev ${proxyLinkName} src ${address}`,
      `route replace default via ${bridgeAddress} dev ${proxyLinkName} src ${address}`,
    ];
    const isKept = listenerPorts === 'keep';
    const rules = proxyRules(this.#plan, this.proxy, isKept ? [] : listenerPorts);
    const args = [`--net=${netnsPath}`, '--', 'sh', '-c', insideScript, 'sh', rules, isKept ? 'keep' : 'anew', mac];
    await runChecked(this.#runner, 'nsenter', args, { input: lines(inside) });
  }

  async #ensurePassage(): Promise<void> {
    const { tableName } = this.#plan;
    const passage = proxyPassage(this.#plan, this.proxy);
    const chains = (await listChains(this.#runner)).filter(({ table }) => table === tableName);
    const present = (
      await Promise.all(
        chains
          .filter(({ name }) => passage.some(({ chain }) => chain === name))
          .map((chain) => listRules(this.#runner, chain)),
      )
    ).flatMap((rules) => rules.filter(({ comment }) => comment === passageComment));
    if (present.length === passage.length) return;
    const document = [
      ...present.map(({ chain, handle }) => `delete rule inet ${tableName} ${chain} handle ${String(handle)}`),
      ...passage.map(({ chain, rule }) => `insert rule inet ${tableName} ${chain} ${rule} comment "${passageComment}"`),
    ];
    await runChecked(this.#runner, 'nft', ['-f', '-'], { input: lines(document) });
  }

  async #remove(): Promise<void> {
    const { netnsName, vethName } = this.proxy;
    const input = lines([`link del dev ${vethName}`, `netns del ${netnsName}`]);
    const { stderr } = await this.#runner.run('ip', ['-force', '-batch', '-'], { input });
    const problems = stderr.split('\n').filter((line) => line !== '' && !isAbsence(line));
    if (problems.length > 0) throw new Error(problems.join('; '));
  }
}

/** What `ip` says of things that are not there; `-batch` adds a line of its own for each failure. */
function isAbsence(line: string): boolean {
  return /Cannot find device|No such file or directory|^Command failed -:\d+$/.test(line);
}
