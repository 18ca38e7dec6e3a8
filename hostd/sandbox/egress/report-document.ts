import type { DenialReason, EgressDenial, EgressEntry, EgressPolicyInfo, EgressReport } from '../../contract/egress.ts';
import { heldMode } from '../../net/egress/policy/held-mode.ts';
import { parsePolicy } from '../../net/egress/policy/parse-rules.ts';
import { compilePolicy } from '../../net/egress/policy/policy.ts';
import { suggestRules } from '../../net/egress/policy/suggest-rules.ts';
import type { EgressCountRow } from '../../store/rows.ts';
import { answeredNames } from './answered-names.ts';
import { isBlocked, isDenial } from './count-keeper.ts';
import { passedEntries, plainEntry } from './passed-entries.ts';
import { unruledPlaces } from './passed-places.ts';
import { Places } from './places.ts';

/** The most entries of each list. */
export const maxListed = 500;

/**
 * What was counted for one sandbox as its report. An allowed name is one entry for each port, with the bytes that the proxy or the packet
 * filter counted; one that was only asked of DNS has none. What failed though it was allowed is in neither list. Lists begin with what
 * there is most of.
 */
export function egressReport(policy: EgressPolicyInfo, rows: readonly EgressCountRow[]): EgressReport {
  // The host's own addresses play no part in what is told of those that did pass.
  const view = compilePolicy(parsePolicy(heldMode(policy.mode, policy.allow.length > 0), policy.allow), { own: [] });
  const nameOf = answeredNames(rows);
  const entryOf = passedEntries(view, rows);
  const denied = new Places<EgressDenial>();
  const allowed = new Places<EgressEntry>();
  for (const row of rows) {
    if (isDenial(row)) {
      const name = row.name ?? (row.countedBy === 'filter' && row.address !== null ? nameOf(row.address) : undefined);
      const entry = { ...plainEntry(row), name: name ?? null, reason: row.reason, blocked: isBlocked(row) };
      denied.add([entry.reason, entry.blocked, ...placeOf(entry)], entry);
    } else if (row.outcome === 'allowed') {
      allowed.add(placeOf(entryOf(row)), entryOf(row));
    }
  }
  for (const row of rows) {
    if (row.outcome !== 'usage') continue;
    if (row.countedBy === 'filter') allowed.addPassed(placeOf(entryOf(row)), entryOf(row));
    else addBytes(allowed, denied, entryOf(row), row.reason);
  }
  const connected = new Set(allowed.entries.flatMap(({ name, port }) => (port === null ? [] : [name])));
  const passed = allowed.entries.filter(({ name, port }) => port !== null || !connected.has(name)).toSorted(byAmount);
  // Of what audit let through the answers alone are no denial.
  const refused = denied.entries.filter(({ count }) => count > 0).toSorted(byAmount);
  const listed = { allowed: passed.slice(0, maxListed), denied: refused.slice(0, maxListed) };
  // A list that follows on an audit keeps what passed by rules that are no longer in force.
  const unruled = policy.mode === 'audit' ? unruledPlaces(view, listed.allowed) : [];
  return {
    policy,
    ...listed,
    deniedCount: refused.reduce((sum, { count }) => sum + count, 0),
    omitted: passed.length + refused.length - listed.allowed.length - listed.denied.length,
    suggestedAllow: suggestRules(view.policy.rules, [...listed.denied, ...unruled]),
  };
}

/** The proxy counts bytes by name and port; with a reason those of what audit let through, which a rule of later may allow. */
function addBytes(
  allowed: Places<EgressEntry>,
  denied: Places<EgressDenial>,
  usage: EgressEntry,
  reason: DenialReason | null,
): void {
  const { name, address, port, bytesIn, bytesOut } = usage;
  const bytes = { bytesIn, bytesOut };
  const isOfMany = name === null && address === null;
  const isUsed = (entry: EgressDenial) =>
    !entry.blocked &&
    entry.port === port &&
    (isOfMany || (entry.name === name && (name !== null || entry.address === address)));
  if (reason !== null && denied.addBytesWhere((entry) => entry.reason === reason && isUsed(entry), bytes)) return;
  if (allowed.addBytes(placeOf(usage), bytes)) return;
  if (!denied.addBytesWhere(isUsed, bytes)) allowed.add(placeOf(usage), usage);
}

/** A name's addresses change; without one the address is the place. */
function placeOf({ name, address, port, transport }: EgressEntry): unknown[] {
  return [name ?? { address }, port, transport];
}

function byAmount(one: EgressEntry, other: EgressEntry): number {
  const bytes = other.bytesIn + other.bytesOut - one.bytesIn - one.bytesOut;
  return other.count - one.count || bytes || other.lastAt.localeCompare(one.lastAt);
}
