import { z } from 'zod';
import { runChecked, type Runner } from '../../../platform/run.ts';
import { countedSet, outcomes, transports, type CountedOutcome } from './slot-sets.ts';

/** One destination of a sandbox's traffic, since it was first seen or for as long as it was seen within 10 minutes each. */
export interface CountedTraffic {
  /** `denied`: refused. `audited`: passed, though the list does not allow it. */
  outcome: CountedOutcome;
  address: string;
  /** For TCP and UDP. */
  port?: number;
  /** As nft names it: `tcp`, `udp`, `icmp`, `gre`, or a number. */
  protocol: string;
  packets: number;
  bytes: number;
}

const elementSchema = z.object({
  elem: z.object({
    val: z.object({ concat: z.tuple([z.string(), z.union([z.string(), z.number()])]) }),
    counter: z.object({ packets: z.number(), bytes: z.number() }),
  }),
});

const listingSchema = z.object({
  nftables: z.array(
    z.object({ set: z.object({ name: z.string(), elem: z.array(elementSchema).default([]) }).optional() }),
  ),
});

/** nft 1.0.6 lists one set a run. */
const listScript = 'set -e; for name in "$@"; do nft -j list set inet offshoot "$name"; echo; done';

const protocols = [...transports, 'other'] as const;

/** What a sandbox's packet filter refused or passed unlisted, under `slotPolicyRules`. Counts only grow until a destination is forgotten. Throws CommandError, ZodError. */
export async function countedTraffic(runner: Runner, netnsPath: string): Promise<CountedTraffic[]> {
  const sets = outcomes.flatMap((outcome) => protocols.map((protocol) => countedSet(outcome, protocol)));
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

function rowsOf(set: { name: string; elem: readonly z.output<typeof elementSchema>[] }): CountedTraffic[] {
  const outcome = outcomes.find((one) => set.name.startsWith(`${one}_`));
  const transport = transports.find((one) => set.name.endsWith(`_${one}`));
  if (outcome === undefined) return [];
  return set.elem.map(({ elem: { val, counter } }) => {
    const [address, second] = val.concat;
    const where =
      transport === undefined ? { protocol: String(second) } : { port: Number(second), protocol: transport };
    return { outcome, address, ...where, ...counter };
  });
}
