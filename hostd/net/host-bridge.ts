import { readFile, writeFile } from 'node:fs/promises';
import { OffshootError } from '../errors/offshoot-error.ts';
import { runChecked, type Runner } from '../platform/run.ts';
import { listAddresses, listBridges, listLinks, listRoutes, type Link, type Route } from './ip-json.ts';
import { networkContains, networksOverlap, parseIpv4, parseIpv4Network, type Ipv4Network } from './ipv4.ts';
import { slotOfName, type NetworkPlan } from './plan.ts';
import { attachCommands, lines } from './slot-commands.ts';

const largestDefaultMtu = 1500;

/** The smallest MTU among the interfaces and routes that lead out, at most 1500. Throws CommandError. */
export async function uplinkMtu(runner: Runner): Promise<number> {
  const [routes, links] = await Promise.all([listRoutes(runner), listLinks(runner)]);
  const mtus = routes
    .filter((route) => route.dst === 'default')
    .flatMap((route) => {
      const devices = [route.dev, ...(route.nexthops ?? []).map((hop) => hop.dev)];
      const ofDevices = links.filter((link) => devices.includes(link.ifname)).map((link) => link.mtu);
      return [...ofDevices, ...(route.metrics ?? []).flatMap((metric) => metric.mtu ?? [])];
    });
  return Math.min(largestDefaultMtu, ...mtus);
}

/** Makes the bridge or mends it, and takes back ports of ours that lost it. Throws CommandError or `network-setup-failed`. */
export async function ensureBridge(runner: Runner, plan: NetworkPlan): Promise<void> {
  const links = await listLinks(runner);
  const present = links.find((link) => link.ifname === plan.bridgeName);
  const exists = present !== undefined;
  if (exists) await refuseForeignBridge(runner, plan, links);
  await refuseOverlap(runner, plan);
  const { bridgeName, bridgeAddress, bridgeMac, prefixLength, link } = plan;
  const batch = [
    // With its MAC from the start: udev gives a persistent one of its own to a bridge that was made without.
    ...(exists ? [] : [`link add name ${bridgeName} address ${bridgeMac} type bridge`]),
    `link set dev ${bridgeName} type bridge stp_state 0 forward_delay 0 mcast_snooping 0`,
    `link set dev ${bridgeName} addrgenmode none`,
    // Not again: the kernel takes the same MAC for a change of it, and forgets all neighbours and what waits for them.
    ...(exists && present.address !== bridgeMac ? [`link set dev ${bridgeName} address ${bridgeMac}`] : []),
    `link set dev ${bridgeName} mtu ${String(link.mtu)}`,
    `addr replace ${bridgeAddress}/${String(prefixLength)} dev ${bridgeName}`,
    `link set dev ${bridgeName} up`,
    ...links.filter((port) => lostItsBridge(plan, port)).flatMap((port) => attachCommands(plan, port.ifname)),
  ];
  await runChecked(runner, 'ip', ['-batch', '-'], { input: lines(batch) });
}

/** Turns one forwarding switch of /proc/sys on where it is off; true when it had to. Rejects where /proc/sys can't be written. */
export async function ensureForwarding(path: string): Promise<boolean> {
  if ((await readFile(path, 'utf8')).trim() !== '0') return false;
  await writeFile(path, '1\n');
  return true;
}

function lostItsBridge(plan: NetworkPlan, link: Link): boolean {
  return slotOfName(plan.vethPrefix, link.ifname) !== undefined && link.master !== plan.bridgeName;
}

async function refuseForeignBridge(runner: Runner, plan: NetworkPlan, links: readonly Link[]): Promise<void> {
  const bridges = await listBridges(runner);
  if (!bridges.some((bridge) => bridge.ifname === plan.bridgeName)) {
    throw new OffshootError('network-setup-failed', {
      message: `There is an interface ${plan.bridgeName} that is not a bridge.`,
      hint: 'Remove it, or configure another network.instance.',
    });
  }
  const expected = `${plan.bridgeAddress}/${String(plan.prefixLength)}`;
  const stale = (await listAddresses(runner, plan.bridgeName)).filter((address) => address !== expected);
  if (stale.length === 0) return;
  if (links.some((link) => slotOfName(plan.vethPrefix, link.ifname) !== undefined)) {
    throw new OffshootError('network-setup-failed', {
      message: `The bridge ${plan.bridgeName} has the address ${stale.join(', ')} and sandboxes use it, but ${expected} is configured.`,
      hint: 'Set network.subnet back until those sandboxes are stopped, or configure another network.instance.',
    });
  }
  const batch = stale.map((address) => `addr del ${address} dev ${plan.bridgeName}`);
  await runChecked(runner, 'ip', ['-batch', '-'], { input: lines(batch) });
}

/** Another route inside our subnet, or on-link across it, would lose its traffic to us or take ours. */
async function refuseOverlap(runner: Runner, plan: NetworkPlan): Promise<void> {
  const subnet = parseIpv4Network(plan.subnet);
  if (subnet === undefined) return;
  const rival = (await listRoutes(runner)).find((route) => route.dev !== plan.bridgeName && rivals(subnet, route));
  if (rival === undefined) return;
  throw new OffshootError('network-setup-failed', {
    message: `The subnet ${plan.subnet} overlaps the route ${rival.dst}${rival.dev === undefined ? '' : ` of ${rival.dev}`}.`,
    hint: 'Configure a network.subnet that this host does not use; every hostd on a host needs its own.',
    details: { subnet: plan.subnet, route: rival.dst },
  });
}

/** A wider route through a gateway is no rival: ours, being narrower, wins, as it does against the default route. */
export function rivals(subnet: Ipv4Network, route: Route): boolean {
  const destination = routeDestination(route.dst);
  if (destination === undefined || !networksOverlap(subnet, destination)) return false;
  const isWider = networkContains(destination, subnet) && destination.prefixLength < subnet.prefixLength;
  return !isWider || route.gateway === undefined;
}

function routeDestination(text: string): Ipv4Network | undefined {
  if (text === 'default') return undefined;
  const single = parseIpv4(text);
  return single === undefined ? parseIpv4Network(text) : { base: single, prefixLength: 32 };
}
