import { z } from 'zod';
import { runChecked, type Runner } from '../../../platform/run.ts';
import { auditedOtherSet, auditedSet, deniedOtherSet, deniedSet, openedSet, passedSet } from './slot-sets.ts';

/** One destination of a sandbox's traffic, since it was first seen or for as long as it was seen within 10 minutes each. */
export interface CountedTraffic {
  /**
   * `denied`: refused. `audited`: passed from the guest, though the list does not allow it, and `audited-received` to it; without ports both are
   * in the first. `opened`: connections that a rule by address or a pin opened, one packet each. `sent`, `received`: what passed on them.
   */
  outcome: 'denied' | 'audited' | 'audited-received' | 'opened' | 'sent' | 'received';
  address: string;
  /** For TCP and UDP. */
  port?: number;
  /** As nft names it: `tcp`, `udp`, `icmp`, `gre`, or a number. */
  protocol: string;
  packets: number;
  /** Of whole packets, their IP headers included. */
  bytes: number;
}

const elementSchema = z.object({
  elem: z.object({
    val: z.object({ concat: z.array(z.union([z.string(), z.number()])).min(2) }),
    counter: z.object({ packets: z.number(), bytes: z.number() }),
  }),
});
type CountedElement = z.output<typeof elementSchema>['elem'];

const listingSchema = z.object({
  nftables: z.array(
    z.object({ set: z.object({ name: z.string(), elem: z.array(elementSchema).default([]) }).optional() }),
  ),
});

/** nft 1.0.6 lists one set a run. */
const listScript = 'set -e; for name in "$@"; do nft -j list set inet offshoot "$name"; echo; done';

/** By set: from the guest, or of both directions, and to the guest where these are told apart. */
const outcomesOfSet: Readonly<Record<string, readonly [CountedTraffic['outcome'], CountedTraffic['outcome']?]>> = {
  [deniedSet]: ['denied'],
  [auditedSet]: ['audited', 'audited-received'],
  [passedSet]: ['sent', 'received'],
  [openedSet]: ['opened'],
  [deniedOtherSet]: ['denied'],
  [auditedOtherSet]: ['audited'],
};

/** For a host without /etc/protocols, where nft knows numbers alone. */
const transportOfNumber = new Map([
  ['6', 'tcp'],
  ['17', 'udp'],
]);

/** What a sandbox's packet filter refused or passed under `slotPolicyRules`, but for what it led to resolver and proxy. Counts only grow until a destination is forgotten. Throws CommandError, ZodError. */
export async function countedTraffic(runner: Runner, netnsPath: string): Promise<CountedTraffic[]> {
  const sets = Object.keys(outcomesOfSet);
  const args = [`--net=${netnsPath}`, '--', 'sh', '-c', listScript, 'sh', ...sets];
  const { stdout } = await runChecked(runner, 'nsenter', args);
  return parseCountedTraffic(stdout);
}

/** Reads what `nft -j` prints for several sets: one JSON document a line. Throws ZodError, SyntaxError. */
export function parseCountedTraffic(text: string): CountedTraffic[] {
  const documents = text.split('\n').filter((line) => line.trim() !== '');
  return documents.flatMap((line) =>
    listingSchema.parse(JSON.parse(line)).nftables.flatMap(({ set }) => (set === undefined ? [] : rowsOf(set))),
  );
}

function rowsOf({ name, elem }: { name: string; elem: readonly { elem: CountedElement }[] }): CountedTraffic[] {
  const outcomes = outcomesOfSet[name];
  if (outcomes === undefined) return [];
  const [outgoing, incoming = outgoing] = outcomes;
  return elem.map(({ elem: { val, counter } }) => {
    const parts = val.concat.map(String);
    if (name === deniedOtherSet || name === auditedOtherSet) {
      const [address = '', protocol = ''] = parts;
      return { outcome: outgoing, address, protocol, ...counter };
    }
    const [given = '', address = '', port, direction] = parts;
    const protocol = transportOfNumber.get(given) ?? given;
    return { outcome: direction === 'reply' ? incoming : outgoing, address, port: Number(port), protocol, ...counter };
  });
}
