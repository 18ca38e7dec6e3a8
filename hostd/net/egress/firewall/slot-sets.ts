/** Transports whose ports a policy speaks of; each has sets of its own, as nft types a connection's original port only where it knows the transport. */
export const transports = ['tcp', 'udp'] as const;
export type Transport = (typeof transports)[number];

/** More than the pins a resolver keeps for one sandbox (4096), and room for some that are being replaced. */
const pinsPerSet = 8192;
/** Destinations counted for reports; a guest that tries more of them within the time is refused all the same. */
export const countedDestinations = 4096;
export const countedMinutes = 10;

export const pinnedSet = (transport: Transport): string => `pinned_${transport}`;
/** Addresses pinned on every port. */
export const pinnedHostsSet = (transport: Transport): string => `pinned_hosts_${transport}`;
export const pinSets: readonly string[] = transports.flatMap((transport) => [
  pinnedSet(transport),
  pinnedHostsSet(transport),
]);

/** Packets of TCP and UDP that were refused. */
export const deniedSet = 'denied';
/** The same by direction: that audit alone let through, and that a rule by address or a pin did. What is led to a helper is in neither. */
export const auditedSet = 'audited';
export const passedSet = 'passed';
/** Connections of the latter, each by its first packet. */
export const openedSet = 'opened';
/** What has no ports, refused and let through by audit. */
export const deniedOtherSet = 'denied_other';
export const auditedOtherSet = 'audited_other';

/**
 * Connections that lost their rule while the other side was sending. A few more packets reach the guest, because it is its answers to them
 * that are refused with a reset: a guest that only reads would else wait for ever. Some are held back for those that come when a reset or
 * an answer was lost.
 */
export const cutSet = 'cut_tcp';
export const cutPaceSet = 'cut_pace_tcp';

/** Sets that live as long as the namespace: a change of policy leaves what is pinned and counted. Name and definition, for `add set`. */
export const lastingSets: readonly { name: string; definition: string }[] = [
  ...transports.flatMap((transport) => [
    lasting(pinnedSet(transport), `type ipv4_addr . inet_service; size ${String(pinsPerSet)}; flags timeout;`),
    lasting(pinnedHostsSet(transport), `type ipv4_addr; size ${String(pinsPerSet)}; flags timeout;`),
  ]),
  lasting(deniedSet, counted('inet_proto . ipv4_addr . inet_service', 2 * countedDestinations)),
  ...[auditedSet, passedSet].map((name) =>
    lasting(name, counted('inet_proto . ipv4_addr . inet_service . ct_dir', 2 * countedDestinations)),
  ),
  lasting(openedSet, counted('inet_proto . ipv4_addr . inet_service')),
  ...[deniedOtherSet, auditedOtherSet].map((name) => lasting(name, counted('ipv4_addr . inet_proto'))),
  ...[cutSet, cutPaceSet].map((name) => ({
    name,
    definition: '{ type ipv4_addr . inet_service . inet_service; size 8192; flags dynamic, timeout; timeout 1m; }',
  })),
];

function lasting(name: string, definition: string): { name: string; definition: string } {
  return { name, definition: `{ ${definition} counter; }` };
}

function counted(type: string, size = countedDestinations): string {
  return `type ${type}; size ${String(size)}; flags dynamic, timeout; timeout ${String(countedMinutes)}m;`;
}
