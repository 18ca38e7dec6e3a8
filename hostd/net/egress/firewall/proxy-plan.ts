import { formatIpv4, parseIpv4 } from '../../ipv4.ts';
import { netnsDirectory, type NetworkPlan, type SlotPlan } from '../../plan.ts';

/** The name, inside the proxy's netns, of its link to the bridge. */
export const proxyLinkName = 'up0';

/** Names and addresses of the namespace that proxies for all sandboxes of an instance. */
export interface ProxyPlan {
  netnsName: string;
  netnsPath: string;
  vethName: string;
  address: string;
  mac: string;
}

/**
 * The proxy takes the address right before the link inside sandboxes. In subnets of /23 and smaller that is the last slot's: such a plan
 * has to hold one slot less. Throws TypeError for a plan in which a slot has it.
 */
export function planProxy(plan: NetworkPlan): ProxyPlan {
  const gateway = parseIpv4(plan.link.gateway);
  const bridge = parseIpv4(plan.bridgeAddress);
  if (gateway === undefined || bridge === undefined) throw new TypeError('the plan has no addresses');
  const address = gateway - 2;
  const lastSlotAddress = bridge + plan.capacity;
  if (address <= lastSlotAddress) throw new TypeError(`the subnet ${plan.subnet} has no address left for the proxy`);
  const netnsName = `${plan.netnsPrefix}proxy`;
  return {
    netnsName,
    netnsPath: `${netnsDirectory}/${netnsName}`,
    vethName: `${plan.vethPrefix}proxy`,
    address: formatIpv4(address),
    mac: plan.bridgeMac.replace(/^02:6f:66/, '02:6f:67'),
  };
}

/** For `ip -batch` inside a slot's netns, besides `insideBatch`: the proxy is reached on the bridge, by a pinned neighbour, not by way of the host. */
export function slotToProxyBatch(slot: Pick<SlotPlan, 'hostSideAddress'>, proxy: ProxyPlan, uplink: string): string[] {
  return [
    `route replace ${proxy.address}/32 dev ${uplink} src ${slot.hostSideAddress}`,
    `neigh replace ${proxy.address} lladdr ${proxy.mac} dev ${uplink} nud permanent`,
  ];
}
