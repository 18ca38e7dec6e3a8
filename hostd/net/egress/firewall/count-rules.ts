import {
  auditedOtherSet,
  auditedSet,
  deniedOtherSet,
  deniedSet,
  openedSet,
  passedSet,
  transports,
} from './slot-sets.ts';

const place = 'meta l4proto . ct original ip daddr . ct original proto-dst';

/** Rules that count each refused destination once, with packets and bytes. A full set is no obstacle, as the next rule follows. */
export const countDenied = rules(...byPlace(deniedSet, place), portless(deniedOtherSet));

/** The same for what audit lets through, by direction. */
export const countAudited = rules(...byPlace(auditedSet, `${place} . ct direction`), portless(auditedOtherSet));

/** The same for what a rule by address or a pin opens, and its connections. One is not confirmed before its first packet has passed. */
export const countPassed = rules(
  ...byPlace(openedSet, place).map((rule) => `ct status and confirmed == 0 ${rule}`),
  ...byPlace(passedSet, `${place} . ct direction`),
);

/** One for each transport: nft has a type for a connection's original port only where it knows that. */
function byPlace(set: string, key: string): string[] {
  return transports.map((transport) => `meta l4proto ${transport} update @${set} { ${key} }`);
}

function portless(set: string): string {
  return `meta l4proto != { tcp, udp } update @${set} { ct original ip daddr . meta l4proto }`;
}

function rules(...lines: string[]): string {
  return lines.map((line) => `    ${line}\n`).join('');
}
