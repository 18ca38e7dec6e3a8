import { countedSet, openedSet, passedSet, transports, type CountedOutcome } from './slot-sets.ts';

/** Rules that count each destination once, with packets and bytes; a full set is no obstacle, as the next rule follows. */
export function countIn(outcome: CountedOutcome): string {
  const destination = 'ct original ip daddr . ct original proto-dst';
  const ofTransports = transports.map((transport) => {
    return `    meta l4proto ${transport} update @${countedSet(outcome, transport)} { ${destination} }\n`;
  });
  const others = `    meta l4proto != { tcp, udp } update @${countedSet(outcome, 'other')} { ct original ip daddr . meta l4proto }\n`;
  return [...ofTransports, others].join('');
}

/** The same for what is allowed, of TCP and UDP, by direction. A connection is not confirmed before its first packet has passed. */
export const countPassed = transports
  .flatMap((transport) => {
    const place = 'meta l4proto . ct original ip daddr . ct original proto-dst';
    return [
      `    meta l4proto ${transport} ct status and confirmed == 0 update @${openedSet} { ${place} }\n`,
      `    meta l4proto ${transport} update @${passedSet} { ${place} . ct direction }\n`,
    ];
  })
  .join('');
