import { z } from 'zod';
import { runChecked, type Runner } from '../platform/run.ts';

const tableSchema = z.object({ family: z.string(), name: z.string() });

const chainSchema = z.object({
  family: z.string(),
  table: z.string(),
  name: z.string(),
  type: z.string().optional(),
  hook: z.string().optional(),
  policy: z.string().optional(),
});

const ruleSchema = z.object({
  family: z.string(),
  table: z.string(),
  chain: z.string(),
  handle: z.number(),
  comment: z.string().optional(),
  // Versions differ in what they print here for statements that they don't know.
  expr: z.array(z.unknown()),
});

const listingSchema = z.object({
  nftables: z.array(
    z.object({ table: tableSchema.optional(), chain: chainSchema.optional(), rule: ruleSchema.optional() }),
  ),
});

export type NftChain = z.output<typeof chainSchema>;
export type NftRule = z.output<typeof ruleSchema>;

/** Every chain of every table in this network namespace. Throws CommandError. */
export async function listChains(runner: Runner): Promise<NftChain[]> {
  return (await listing(runner, ['list', 'chains'])).flatMap((entry) => entry.chain ?? []);
}

/** The rules of one chain in order. Throws CommandError. */
export async function listRules(runner: Runner, chain: NftChain): Promise<NftRule[]> {
  const entries = await listing(runner, ['list', 'chain', chain.family, chain.table, chain.name]);
  return entries.flatMap((entry) => entry.rule ?? []);
}

/** How many rules a table has, all chains together; 0 when there is none of that name. Throws CommandError. */
export async function countRules(runner: Runner, table: Pick<NftChain, 'family' | 'table'>): Promise<number> {
  const tables = (await listing(runner, ['list', 'tables'])).flatMap((entry) => entry.table ?? []);
  if (!tables.some(({ family, name }) => family === table.family && name === table.table)) return 0;
  // Terse: without what sets hold.
  return (await listing(runner, ['-t', 'list', 'table', table.family, table.table])).filter(
    ({ rule }) => rule !== undefined,
  ).length;
}

async function listing(runner: Runner, args: readonly string[]): Promise<z.output<typeof listingSchema>['nftables']> {
  const { stdout } = await runChecked(runner, 'nft', ['-j', ...args]);
  return listingSchema.parse(JSON.parse(stdout)).nftables;
}
