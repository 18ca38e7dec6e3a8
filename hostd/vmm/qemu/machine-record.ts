import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { writeDurably } from '../../platform/durable-file.ts';
import { machineFiles } from './machine-files.ts';

export const snapshotFormatVersion = 2;

export const originSchema = z.object({
  name: z.literal('qemu'),
  version: z.string(),
  machine: z.string(),
  cpuModel: z.string(),
  restoreKey: z.string(),
  tier: z.enum(['kvm', 'emulated']),
});

/** What must be the same whenever the machine is restored. */
export const hardwareSchema = z.object({
  origin: originSchema,
  cpus: z.number().int(),
  memoryMiB: z.number().int(),
  link: z.object({ guestMac: z.string(), mtu: z.number().int() }).nullable(),
});
export type Hardware = z.infer<typeof hardwareSchema>;

const layerSchema = z.object({
  node: z.string(),
  /** Relative to the machine's folder. */
  path: z.string(),
  format: z.enum(['raw', 'qcow2']),
  /** No VMM can have kept a descriptor to write it with. */
  sealed: z.boolean(),
  /** The set of descriptors through which QEMU opened it; null when it opened it by name. */
  fdset: z.number().int().nullable(),
});
export type MachineLayer = z.infer<typeof layerSchema>;

const recordSchema = z.object({
  formatVersion: z.literal(snapshotFormatVersion),
  hardware: hardwareSchema,
  uid: z.number().int(),
  gid: z.number().int(),
  /** The disk, topmost first: the overlay in use and what is under it. */
  chain: z.array(layerSchema).min(1),
  /** How many layers at the bottom are a template's, and are never merged into others. */
  foundation: z.number().int(),
  nextOverlay: z.number().int(),
  /** Its memory is a private mapping, so it can be duplicated. */
  capturable: z.boolean(),
  /** It stands still because it was told to. */
  paused: z.boolean(),
  /** The disk as it was when the machine was last saved and ended. */
  hibernated: z.array(layerSchema).nullable(),
});

/** `machine.json` of a machine's folder: everything a later hostd needs to duplicate, pause or take the machine up again. */
export type MachineRecord = z.infer<typeof recordSchema>;

/** Throws `freeze-failed` for a machine that has none: it was started by another version. */
export async function readMachineRecord(directory: string): Promise<MachineRecord> {
  const text = await readFile(join(directory, machineFiles.record), 'utf8').catch(() => '');
  const parsed = recordSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const message = 'The sandbox was started by another version of hostd, which kept no record of its disk.';
  throw new OffshootError('freeze-failed', { message, cause: parsed.error });
}

/** Writes it whole or not at all. `durable`: it also survives a crash of the host. */
export async function writeMachineRecord(directory: string, record: MachineRecord, durable = false): Promise<void> {
  const path = join(directory, machineFiles.record);
  const text = `${JSON.stringify(record, undefined, 2)}\n`;
  if (durable) {
    await writeDurably(path, text, 0o600);
    return;
  }
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
