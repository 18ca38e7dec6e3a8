import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { stopJobs } from './block-jobs.ts';
import { firstLayerDescriptor } from './disk-chain.ts';
import { anything, readStatus } from './machine-monitor.ts';
import { readMachineRecord, writeMachineRecord, type MachineLayer, type MachineRecord } from './machine-record.ts';
import { QmpError, type QmpClient } from './qmp-client.ts';

const disksSchema = z.array(
  z.object({
    inserted: z.object({ 'node-name': z.string(), backing_file_depth: z.number().int() }).optional(),
  }),
);
const setsSchema = z.array(z.object({ 'fdset-id': z.number().int() }));
const nodesSchema = z.array(z.object({ 'node-name': z.string() }));

/**
 * Makes a machine and its record agree again after an operation that was cut off, by this hostd or an earlier one: a machine that stands still
 * though nobody paused it runs on, jobs on its disk end, the record tells the layers QEMU really uses, and what it does not use is removed.
 */
export async function reconcile(qmp: QmpClient, directory: string): Promise<void> {
  const record = await readMachineRecord(directory);
  const { status } = await readStatus(qmp);
  if (status === 'paused' && !record.paused) await qmp.execute('cont', {}, anything);
  await stopJobs(qmp);
  const now = { ...record, ...(await readChain(qmp, record)) };
  await writeMachineRecord(directory, now);
  await dropUnused(qmp, directory, now);
}

/** The chain as QEMU has it: a new overlay may have come on top, or the layers down to the foundation may have been merged into it. */
async function readChain(qmp: QmpClient, record: MachineRecord): Promise<Pick<MachineRecord, 'chain' | 'nextOverlay'>> {
  const disks = await qmp.execute('query-block', {}, disksSchema);
  const disk = disks.find(({ inserted }) => inserted !== undefined)?.inserted;
  if (disk === undefined) throw new Error('the machine has no disk');
  const top = disk['node-name'];
  let { chain, nextOverlay } = record;
  if (top === `overlay-${String(nextOverlay)}`) {
    chain = [{ node: top, path: `${top}.qcow2`, format: 'qcow2', sealed: false, fdset: null }, ...chain];
    nextOverlay += 1;
  }
  if (chain[0]?.node !== top) throw new Error(`the machine writes to ${top}, which its record does not know`);
  if (disk.backing_file_depth === chain.length - 1) return { chain, nextOverlay };
  if (disk.backing_file_depth === record.foundation) return { chain: merged({ ...record, chain }), nextOverlay };
  throw new Error(
    `the machine has ${String(disk.backing_file_depth)} layers and its record ${String(chain.length - 1)}`,
  );
}

/** The chain after everything between the overlay in use and the foundation went into the overlay. */
export function merged({ chain, foundation }: Pick<MachineRecord, 'chain' | 'foundation'>): MachineLayer[] {
  return [...chain.slice(0, 1), ...chain.slice(chain.length - foundation)];
}

/** Has QEMU close what is not in the chain, so that its space is free, and removes its names from the machine's folder. */
export async function dropUnused(qmp: QmpClient, directory: string, record: MachineRecord): Promise<void> {
  const used = new Set(record.chain.map(({ node }) => node));
  const nodes = await qmp.execute('query-named-block-nodes', { flat: true }, nodesSchema);
  const unused = nodes
    .map((node) => node['node-name'])
    .filter((name) => /^(overlay|layer)-\d+$/.test(name) && !used.has(name));
  await deleteNodes(qmp, unused);
  const sets = new Set(record.chain.map(({ fdset }) => fdset));
  for (const { 'fdset-id': fdset } of await qmp.execute('query-fdsets', {}, setsSchema)) {
    if (fdset >= firstLayerDescriptor && !sets.has(fdset))
      await qmp.execute('remove-fd', { 'fdset-id': fdset }, anything);
  }
  const kept = new Set([...record.chain, ...(record.hibernated ?? [])].map(({ path }) => path));
  for (const name of await readdir(directory)) {
    if (/^(overlay|layer)-\d+\.(qcow2|raw)$/.test(name) && !kept.has(name)) await rm(join(directory, name));
  }
}

// A node can't go before the ones above it, and nothing says which those are: what is refused is tried again after the others.
async function deleteNodes(qmp: QmpClient, names: readonly string[]): Promise<void> {
  let left = [...names];
  while (left.length > 0) {
    const refused: string[] = [];
    for (const name of left) {
      await qmp.execute('blockdev-del', { 'node-name': name }, anything).catch((error: unknown) => {
        if (!(error instanceof QmpError)) throw error;
        refused.push(name);
      });
    }
    if (refused.length === left.length) throw new Error(`QEMU does not let go of ${refused.join(', ')}`);
    left = refused;
  }
}
