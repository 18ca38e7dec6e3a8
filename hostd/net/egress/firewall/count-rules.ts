import { auditedOtherSet, auditedSet, deniedSet, openedSet, passedSet, transports } from './slot-sets.ts';

const destination = 'ct original ip daddr . ct original proto-dst';
const place = `meta l4proto . ${destination}`;

/** Rules that count each refused destination once, with packets and bytes. A full set is no obstacle, as the next rule follows. */
export const countDenied = rules(
  ...transports.map((transport) => `meta l4proto ${transport} update @${deniedSet(transport)} { ${destination} }`),
  portless(deniedSet('other')),
);

/** The same for what audit lets through, by direction. */
export const countAudited = rules(...byDirection(auditedSet), portless(auditedOtherSet));

/** The same for what a rule by address or a pin opens, and its connections. One is not confirmed before its first packet has passed. */
export const countPassed = rules(
  ...transports.map(
    (transport) => `meta l4proto ${transport} ct status and confirmed == 0 update @${openedSet} { ${place} }`,
  ),
  ...byDirection(passedSet),
);

function byDirection(set: string): string[] {
  return transports.map((transport) => `meta l4proto ${transport} update @${set} { ${place} . ct direction }`);
}

function portless(set: string): string {
  return `meta l4proto != { tcp, udp } update @${set} { ct original ip daddr . meta l4proto }`;
}

function rules(...lines: string[]): string {
  return lines.map((line) => `    ${line}\n`).join('');
}
