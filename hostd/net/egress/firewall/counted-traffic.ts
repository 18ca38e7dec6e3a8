import { z } from 'zod';
import { runChecked, type Runner } from '../../../platform/run.ts';
import { countedSet, openedSet, outcomes, passedSet, transports, type CountedOutcome } from './slot-sets.ts';

/** One destination of a sandbox's traffic, since it was first seen or for as long as it was seen within 10 minutes each. */
export interface CountedTraffic {
  /**
   * `denied`: refused. `audited`: passed, though the list does not allow it. `opened`: connections that a rule by address or a pin opened, one
   * packet each. `sent`, `received`: what passed on them, from the guest and to it.
   */
  outcome: CountedOutcome | 'opened' | 'sent' | 'received';
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

const protocols = [...transports, 'other'] as const;

/** For a host without /etc/protocols, where nft knows numbers alone. */
const transportOfNumber = new Map([
  ['6', 'tcp'],
  ['17', 'udp'],
]);

/** What a sandbox's packet filter refused or passed under `slotPolicyRules`, but for what it led to resolver and proxy. Counts only grow until a destination is forgotten. Throws CommandError, ZodError. */
export async function countedTraffic(runner: Runner, netnsPath: string): Promise<CountedTraffic[]> {
  const sets = [
    ...outcomes.flatMap((outcome) => protocols.map((protocol) => countedSet(outcome, protocol))),
    openedSet,
    passedSet,
  ];
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
  const elements = elem.map((one) => one.elem);
  if (name === openedSet || name === passedSet) return elements.map(passedRow);
  const outcome = outcomes.find((one) => name.startsWith(`${one}_`));
  const transport = transports.find((one) => name.endsWith(`_${one}`));
  if (outcome === undefined) return [];
  return elements.map(({ val, counter }) => {
    const [address, second] = val.concat;
    const where =
      transport === undefined ? { protocol: String(second) } : { port: Number(second), protocol: transport };
    return { outcome, address: String(address), ...where, ...counter };
  });
}

function passedRow({ val, counter }: CountedElement): CountedTraffic {
  const [given, address, port, direction] = val.concat.map(String);
  const protocol = transportOfNumber.get(String(given)) ?? String(given);
  return { outcome: outcomeOf(direction), address: String(address), port: Number(port), protocol, ...counter };
}

function outcomeOf(direction: string | undefined): CountedTraffic['outcome'] {
  if (direction === undefined) return 'opened';
  return direction === 'reply' ? 'received' : 'sent';
}
