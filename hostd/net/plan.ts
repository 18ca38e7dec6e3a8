import { createHash } from 'node:crypto';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { NetworkConfig } from './config.ts';
import { formatIpv4, formatIpv4Network, networkSize } from './ipv4.ts';
import type { GuestLink, NetworkSlot } from './network.ts';

/** The kernel's BR_MAX_PORTS is 1024 (net/bridge/br_private.h); a few are left for the administrator. */
const maxBridgePorts = 1000;
/** Bridge address, the proxy's, the four addresses of the guest link, and the base. */
const reservedAddresses = 7;

export const netnsDirectory = '/run/netns';
export const tapName = 'tap0';
/** The name, inside a sandbox's netns, of its way out. */
export const uplinkName = 'up0';
export const gatewayMac = '02:6f:66:66:00:01';
const guestMac = '02:6f:66:66:00:02';

/** Every name and address of one hostd instance, worked out from its configuration alone. */
export interface NetworkPlan {
  instance: string;
  subnet: string;
  bridgeName: string;
  bridgeAddress: string;
  /** Pinned: a bridge without a MAC of its own changes it as ports come and go. */
  bridgeMac: string;
  prefixLength: number;
  /** nft table on the host. */
  tableName: string;
  /** Marks rules of ours in other firewalls' chains. */
  ruleComment: string;
  netnsPrefix: string;
  vethPrefix: string;
  dnsPort: number;
  policyDnsPort: number;
  maxFlowsPerSandbox: number;
  capacity: number;
  link: GuestLink;
}

/** One slot with the names that only this folder needs. */
export interface SlotPlan extends NetworkSlot {
  vethName: string;
  /** Goes with the address: the next sandbox of a slot is then where the neighbours of the one before look for it. */
  uplinkMac: string;
}

export function planNetwork(config: NetworkConfig, mtu: number): NetworkPlan {
  const { instance, subnet } = config;
  const linkBase = subnet.base + networkSize(subnet) - 4;
  return {
    instance,
    subnet: formatIpv4Network(subnet),
    bridgeName: `ob-${instance}`,
    bridgeAddress: formatIpv4(subnet.base + 1),
    bridgeMac: bridgeMacOf(instance),
    prefixLength: subnet.prefixLength,
    tableName: `offshoot_${instance}`,
    ruleComment: `offshoot:${instance}`,
    netnsPrefix: `offshoot-${instance}-`,
    vethPrefix: `ov-${instance}-`,
    dnsPort: config.dnsPort,
    policyDnsPort: config.policyDnsPort,
    maxFlowsPerSandbox: config.maxFlowsPerSandbox,
    capacity: Math.min(maxBridgePorts, networkSize(subnet) - reservedAddresses),
    link: {
      address: formatIpv4(linkBase + 2),
      prefixLength: 30,
      gateway: formatIpv4(linkBase + 1),
      guestMac,
      mtu,
    },
  };
}

function bridgeMacOf(instance: string): string {
  const digest = createHash('sha256').update(instance).digest('hex');
  return `02:6f:66:${digest.slice(0, 2)}:${digest.slice(2, 4)}:${digest.slice(4, 6)}`;
}

/** Throws `network-setup-failed` when the plan has no such slot. */
export function planSlot(plan: NetworkPlan, subnetBase: number, slot: number): SlotPlan {
  if (!Number.isInteger(slot) || slot < 0 || slot >= plan.capacity) {
    throw new OffshootError('network-setup-failed', {
      message: `The subnet ${plan.subnet} has no slot ${String(slot)}; it has ${String(plan.capacity)}.`,
      hint: 'Configure a larger network.subnet, or run fewer sandboxes.',
      details: { slot, capacity: plan.capacity },
    });
  }
  const { netnsName, vethName } = slotNames(plan, slot);
  const hostSideAddress = formatIpv4(subnetBase + 2 + slot);
  const netnsPath = `${netnsDirectory}/${netnsName}`;
  return { slot, netnsName, netnsPath, tapName, hostSideAddress, vethName, uplinkMac: uplinkMacOf(slot) };
}

function uplinkMacOf(slot: number): string {
  const hex = slot.toString(16).padStart(6, '0');
  return `02:6f:68:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`;
}

/** What a slot is known by on the host; also for one that an earlier, larger subnet had. */
export function slotNames(plan: NetworkPlan, slot: number): { netnsName: string; vethName: string } {
  return { netnsName: `${plan.netnsPrefix}${String(slot)}`, vethName: `${plan.vethPrefix}${String(slot)}` };
}

/** The slot number in a name with this prefix; undefined when it is not one of ours. */
export function slotOfName(prefix: string, name: string): number | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const digits = name.slice(prefix.length);
  return /^(0|[1-9]\d{0,4})$/.test(digits) ? Number(digits) : undefined;
}

/** A short instance name for a state directory, so that two of them never share names by accident. */
export function instanceOf(stateDirectory: string): string {
  const digest = createHash('sha256').update(stateDirectory).digest();
  return digest.readUInt32BE(0).toString(36).padStart(6, '0').slice(-6);
}
