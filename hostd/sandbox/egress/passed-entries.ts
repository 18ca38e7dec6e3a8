import type { EgressEntry } from '../../contract/egress.ts';
import type { PolicyView } from '../../net/egress/policy/policy.ts';
import type { EgressCountRow } from '../../store/rows.ts';
import { passedPlaces } from './passed-places.ts';

/** Addresses of a network that a rule names, which a report lists one by one on a port; more are one entry for the network. */
export const maxAddressesOfNetwork = 10;

/**
 * Entries of what was let through, for all rows of a sandbox. What the packet filter counted goes under the name that a rule opened it for,
 * else under its address, or under the rule's network where there are many of them.
 */
export function passedEntries(view: PolicyView, rows: readonly EgressCountRow[]): (row: EgressCountRow) => EgressEntry {
  const { nameOf, networkOf } = passedPlaces(view, rows);
  const named = (row: EgressCountRow): EgressEntry => {
    const entry = plainEntry(row);
    return row.countedBy === 'filter' && row.name === null ? { ...entry, name: nameOf(row) ?? null } : entry;
  };
  const networkKey = ({ name, port, transport }: EgressEntry, row: EgressCountRow): [string, string] | undefined => {
    const network = row.countedBy === 'filter' && name === null ? networkOf(row)?.network : undefined;
    return network === undefined ? undefined : [network, JSON.stringify([network, port, transport])];
  };
  const addresses = new Map<string, Set<string | null>>();
  for (const row of rows) {
    if (row.outcome !== 'allowed' && row.outcome !== 'usage') continue;
    const [, key] = networkKey(named(row), row) ?? [];
    if (key !== undefined) addresses.set(key, (addresses.get(key) ?? new Set()).add(row.address));
  }
  return (row) => {
    const entry = named(row);
    const [network, key = ''] = networkKey(entry, row) ?? [];
    const isOneOfMany = network !== undefined && (addresses.get(key)?.size ?? 0) > maxAddressesOfNetwork;
    return isOneOfMany ? { ...entry, address: network } : entry;
  };
}

/** As the row has it. */
export function plainEntry(row: EgressCountRow): EgressEntry {
  const { name, address, port, transport, count, bytesIn, bytesOut, firstMs, lastMs } = row;
  const [firstAt = '', lastAt = ''] = [firstMs, lastMs].map((ms) => new Date(ms).toISOString());
  return { name, address, port, transport, count, bytesIn, bytesOut, firstAt, lastAt };
}
