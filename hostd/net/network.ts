import type { PinDocument } from './egress/dns/pin-document.ts';
import type { CountedTraffic } from './egress/firewall/counted-traffic.ts';
import type { GateCursor, GateReport } from './egress/gate/gate.ts';
import type { HelperEvent } from './egress/gate/helper-keeper.ts';
import type { Policy } from './egress/policy/policy.ts';

/** What a slot may reach. */
export interface SlotEgress {
  policy: Policy;
  /** Whose it is; without one, as of a machine made ahead, nothing gets by a name. `revision` grows with each change. */
  sandbox?: { id: string; revision: number };
}

/** A slot that an earlier hostd made and a sandbox still has. */
export interface LivingSlot {
  slot: number;
  egress: SlotEgress;
}

/** What a guest is told about its network; the same in every sandbox of a host, so a restore needs no re-addressing. */
export interface GuestLink {
  address: string;
  prefixLength: number;
  /** Also the guest's DNS server. */
  gateway: string;
  guestMac: string;
  /** Bytes; fixed when the network object is made. A template is only good for the MTU it was made with. */
  mtu: number;
}

/** One sandbox's network, wholly described by its slot number and the host's configuration, so it can be removed knowing only that. */
export interface NetworkSlot {
  slot: number;
  netnsName: string;
  netnsPath: string;
  tapName: string;
  /** The sandbox's address as the host sees it. */
  hostSideAddress: string;
}

/** Networks of all sandboxes. All is idempotent: a half-made slot can be made again or removed. */
export interface Network {
  readonly link: GuestLink;
  /** Slots are numbered from 0 up to, not including, this. */
  readonly capacity: number;
  /** What start() and its later checks changed on the host or can't mend, one sentence each, for the log and for doctor. */
  readonly findings: readonly string[];
  /**
   * Bridge, host rules, forwarding, DNS, resolver and proxy, and the policies of sandboxes that live. Called before the first slot; safe to
   * repeat. From then on what others flush or remove is mended by itself every so often. Throws `network-setup-failed`.
   */
  start(options: { living: readonly LivingSlot[]; onHelperEvent: (event: HelperEvent) => void }): Promise<void>;
  /** What a slot will be, without making anything: for the journal. Throws `network-setup-failed` for a number out of range. */
  describe(slot: number): NetworkSlot;
  /** Makes netns, tap (owned by uid), veth, address translation and the policy's rules; what a slot of this number left behind is removed first. Throws `network-setup-failed`. */
  create(slot: number, uid: number, egress: SlotEgress): Promise<NetworkSlot>;
  /** In force when it resolves; connections it does not allow are cut. Throws `network-setup-failed`. */
  setEgress(slot: number, egress: SlotEgress): Promise<void>;
  /** Addresses that names were answered with, and that stay open for a while: of a sandbox, for a snapshot of it. */
  pinsOf(sandboxId: string): Promise<PinDocument>;
  /** For a sandbox that has its slot. What its policy does not support stays closed. */
  restorePins(sandboxId: string, document: PinDocument): Promise<void>;
  /** What resolver and proxy counted since the cursor; without one, everything. */
  countedByGate(since?: GateCursor): Promise<GateReport>;
  /** What the packet filter of a slot refused or let through, past resolver and proxy. */
  countedByFilter(slot: number): Promise<CountedTraffic[]>;
  /** Removes all of it and resolves when it is gone. Tolerates absence. */
  remove(slot: number): Promise<void>;
  /** Slot numbers that exist on the host now, whole or half made, by this or an earlier hostd of the same instance. */
  existing(): Promise<number[]>;
  /** hostd goes. With `keep`, sandboxes live on: leave bridge and rules. Else remove them and every slot. */
  stop(keep: boolean): Promise<void>;
}
