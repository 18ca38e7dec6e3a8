import { planProxy, slotToProxyBatch } from './egress/firewall/proxy-plan.ts';
import { gatewayMac, tapName, uplinkName, type NetworkPlan, type SlotPlan } from './plan.ts';

/** For `ip -batch` on the host: the netns, and a veth from it to a port of the bridge that can't talk to other ports. */
export function outsideBatch(plan: NetworkPlan, slot: SlotPlan): string {
  const mtu = String(plan.link.mtu);
  return lines([
    `netns add ${slot.netnsName}`,
    `link add name ${slot.vethName} mtu ${mtu} type veth peer name ${uplinkName} address ${slot.uplinkMac} mtu ${mtu} netns ${slot.netnsName}`,
    ...attachCommands(plan, slot.vethName),
  ]);
}

/** Makes a veth an isolated port of the bridge; also for one that lost its bridge. */
export function attachCommands(plan: NetworkPlan, vethName: string): string[] {
  return [
    `link set dev ${vethName} addrgenmode none`,
    `link set dev ${vethName} master ${plan.bridgeName}`,
    `link set dev ${vethName} type bridge_slave isolated on`,
    `link set dev ${vethName} up`,
  ];
}

/** For `ip -batch` inside the netns: the tap for the VMM's user and the two links' addresses. Neighbours are pinned: no one can claim to be another. */
export function insideBatch(plan: NetworkPlan, slot: SlotPlan, uid: number): string {
  const { link } = plan;
  return lines([
    `tuntap add dev ${tapName} mode tap user ${String(uid)}`,
    `link set dev ${tapName} address ${gatewayMac} mtu ${String(link.mtu)}`,
    `addr add ${link.gateway}/${String(link.prefixLength)} dev ${tapName}`,
    `addr add ${slot.hostSideAddress} peer ${plan.bridgeAddress}/32 dev ${uplinkName}`,
    `link set dev ${tapName} up`,
    `link set dev ${uplinkName} up`,
    `neigh replace ${link.address} lladdr ${link.guestMac} dev ${tapName} nud permanent`,
    `neigh replace ${plan.bridgeAddress} lladdr ${plan.bridgeMac} dev ${uplinkName} nud permanent`,
    `route add default via ${plan.bridgeAddress} dev ${uplinkName}`,
    ...slotToProxyBatch(slot, planProxy(plan), uplinkName),
  ]);
}

/**
 * Run by `sh -c` inside the netns with the batch as its argument and the rules, which may be long, as its input, so that one process start
 * on hostd's side does it all. The rules come first: nothing is up before they hold. The kernel's brakes on ICMP errors, for each receiver and
 * for all together, would leave the later ones of many refusals unsaid: the mask lifts both. The tap is made with a check of sources, so that ARP names no address but the link's: the kernel has one table
 * of neighbours for all network namespaces, and a guest could fill it.
 */
export const insideScript = `set -e
echo 1 > /proc/sys/net/ipv4/ip_forward
if [ -e /proc/sys/net/ipv6/conf/all/disable_ipv6 ]; then
  echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6
  echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6
fi
echo 0 > /proc/sys/net/ipv4/icmp_ratemask
echo 1 > /proc/sys/net/ipv4/conf/default/rp_filter
nft -f -
printf %s "$1" | ip -batch -`;

/** For `ip -force -batch`: deleting the veth's host side is what takes its other end away at once; the kernel clears a netns later. */
export function removeBatch(slot: Pick<SlotPlan, 'netnsName' | 'vethName'>): string {
  return lines([`link del dev ${slot.vethName}`, `netns del ${slot.netnsName}`]);
}

export function lines(commands: readonly string[]): string {
  return `${commands.join('\n')}\n`;
}
