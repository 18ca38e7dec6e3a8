import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { writeDurably } from '../../platform/durable-file.ts';
import type { VmSnapshotFiles } from '../vmm.ts';
import { hardwareSchema, snapshotFormatVersion, type Hardware, type MachineLayer } from './machine-record.ts';

/** The driver's own record of a snapshot, written last: without it the snapshot is not whole. */
export function snapshotRecordPath(directory: string): string {
  return join(directory, 'machine.json');
}

const attestedFile = 'attested.json';

const layerSchema = z.object({
  /** Relative to the snapshot's folder, so that a state directory can be moved. */
  path: z.string(),
  format: z.enum(['raw', 'qcow2']),
  /** No VMM can have kept a descriptor to write it with. */
  sealed: z.boolean(),
});

const stampSchema = z.object({ sizeBytes: z.number().int(), mtimeNs: z.string(), ctimeNs: z.string() });

const recordSchema = z.object({
  formatVersion: z.literal(snapshotFormatVersion),
  hardware: hardwareSchema,
  /** Topmost first: the frozen layer and what is under it. Empty when the disk stayed in the machine's folder. */
  layers: z.array(layerSchema),
  /** How many layers at the bottom are a template's. */
  foundation: z.number().int(),
  /** As the memory image was left. Nanoseconds as text: they do not fit a number. */
  memoryStamp: stampSchema,
});

/** Paths of layers are absolute here. */
export type SnapshotRecord = z.infer<typeof recordSchema>;
export type SnapshotLayer = SnapshotRecord['layers'][number];
export type MemoryStamp = SnapshotRecord['memoryStamp'];

/** A machine's layer as a snapshot records it. */
export function absoluteLayer(directory: string, { path, format, sealed }: MachineLayer): SnapshotLayer {
  return { path: resolve(directory, path), format, sealed };
}

/** Size and times of a memory image. Any write changes them: the kernel sets ctime and nobody can set it back. */
export async function stampMemory(path: string): Promise<MemoryStamp> {
  const status = await stat(path, { bigint: true });
  return { sizeBytes: Number(status.size), mtimeNs: String(status.mtimeNs), ctimeNs: String(status.ctimeNs) };
}

export async function writeSnapshotRecord(
  directory: string,
  record: Omit<SnapshotRecord, 'formatVersion'>,
): Promise<string> {
  const path = snapshotRecordPath(directory);
  const layers = record.layers.map((layer) => ({ ...layer, path: relative(directory, layer.path) }));
  const whole = { formatVersion: snapshotFormatVersion, ...record, layers };
  await writeFile(path, `${JSON.stringify(whole, undefined, 2)}\n`, { mode: 0o600 });
  return path;
}

/** The record alone: enough to boot from the disk. Throws `boot-failed` with details.reason `snapshot-missing`. */
export async function readDiskRecord(files: Pick<VmSnapshotFiles, 'directory'>): Promise<SnapshotRecord> {
  const text = await readFile(snapshotRecordPath(files.directory), 'utf8').catch((error: unknown) => {
    throw refusal('snapshot-missing', `The snapshot in ${files.directory} is not whole.`, error);
  });
  const parsed = recordSchema.safeParse(parseJson(text));
  if (!parsed.success)
    throw refusal('snapshot-missing', `The record of the snapshot in ${files.directory} is damaged.`, parsed.error);
  const layers = parsed.data.layers.map((layer) => ({ ...layer, path: resolve(files.directory, layer.path) }));
  return { ...parsed.data, layers };
}

/**
 * Reads the record and checks that the memory image is as it was left, or as it was when its content was last found right: before QEMU 8.2
 * every VMM has to open it for writing, so one that was taken over could change what others start from. Throws `boot-failed` with
 * details.reason `snapshot-missing` or `snapshot-tampered`.
 */
export async function readSnapshotRecord(files: VmSnapshotFiles): Promise<SnapshotRecord> {
  const record = await readDiskRecord(files);
  const stamp = await stampMemory(files.memory).catch((error: unknown) => {
    throw refusal('snapshot-missing', `The memory image of the snapshot in ${files.directory} is missing.`, error);
  });
  if (sameStamp(stamp, record.memoryStamp)) return record;
  const attested = await readAttested(files.directory);
  if (attested !== undefined && sameStamp(stamp, attested)) return record;
  throw refusal(
    'snapshot-tampered',
    `The memory image of the snapshot in ${files.directory} was changed after it was made.`,
  );
}

/** Takes the memory image as it is now for right. The record itself stays as it was written: others may have taken its digest. */
export async function attestMemory(files: VmSnapshotFiles): Promise<void> {
  const stamp = await stampMemory(files.memory);
  if (sameStamp(stamp, (await readDiskRecord(files)).memoryStamp)) return;
  await writeDurably(join(files.directory, attestedFile), JSON.stringify(stamp), 0o600);
}

async function readAttested(directory: string): Promise<MemoryStamp | undefined> {
  const text = await readFile(join(directory, attestedFile), 'utf8').catch(() => '');
  return stampSchema.safeParse(parseJson(text)).data;
}

function sameStamp(one: MemoryStamp, other: MemoryStamp): boolean {
  return one.sizeBytes === other.sizeBytes && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs;
}

/** Throws `boot-failed` with details.reason `snapshot-mismatch` when a launch asks for other hardware than what was saved. */
export function requireSameHardware(saved: Hardware, wanted: Omit<Hardware, 'origin'>): void {
  const differing = [
    ...(saved.cpus === wanted.cpus ? [] : ['cpus']),
    ...(saved.memoryMiB === wanted.memoryMiB ? [] : ['memoryMiB']),
    ...(saved.link?.guestMac === wanted.link?.guestMac ? [] : ['guestMac']),
    ...(saved.link?.mtu === wanted.link?.mtu ? [] : ['mtu']),
  ];
  if (differing.length === 0) return;
  throw refusal('snapshot-mismatch', `The snapshot was made with another ${differing.join(', ')}.`);
}

/** A snapshot that this launch can't start from. */
export function refusal(reason: string, message: string, cause?: unknown): OffshootError {
  const hint = 'Remove the snapshot; a template is then made anew.';
  return new OffshootError('boot-failed', { message, hint, details: { reason }, cause });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
