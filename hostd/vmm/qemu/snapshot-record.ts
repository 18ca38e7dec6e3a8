import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { VmSnapshotFiles } from '../vmm.ts';

export const snapshotFormatVersion = 1;

/** The driver's own record of a snapshot, written last: without it the snapshot is not whole. */
export function snapshotRecordPath(directory: string): string {
  return join(directory, 'machine.json');
}

const recordSchema = z.object({
  formatVersion: z.literal(snapshotFormatVersion),
  restoreKey: z.string(),
  cpus: z.number().int(),
  memoryMiB: z.number().int(),
  link: z.object({ guestMac: z.string(), mtu: z.number().int() }).nullable(),
  /** Under the frozen layer; its path is relative to the snapshot's folder, so that a state directory can be moved. */
  baseDisk: z.object({ path: z.string(), format: z.enum(['raw', 'qcow2']) }),
  /** As the memory image was left. Nanoseconds as text: they do not fit a number. */
  memoryStamp: z.object({ sizeBytes: z.number().int(), mtimeNs: z.string(), ctimeNs: z.string() }),
});

export type SnapshotRecord = z.infer<typeof recordSchema>;
export type MemoryStamp = SnapshotRecord['memoryStamp'];

/** Size and times of a memory image. Any write changes them: the kernel sets ctime and nobody can set it back. */
export async function stampMemory(path: string): Promise<MemoryStamp> {
  const status = await stat(path, { bigint: true });
  return { sizeBytes: Number(status.size), mtimeNs: String(status.mtimeNs), ctimeNs: String(status.ctimeNs) };
}

export async function writeSnapshotRecord(directory: string, record: SnapshotRecord): Promise<string> {
  const path = snapshotRecordPath(directory);
  const baseDisk = { ...record.baseDisk, path: relative(directory, record.baseDisk.path) };
  await writeFile(path, `${JSON.stringify({ ...record, baseDisk }, undefined, 2)}\n`, { mode: 0o600 });
  return path;
}

/**
 * Reads the record and checks that the memory image is as it was left: before QEMU 8.2 every VMM has to open it for writing, so one that was
 * taken over could change what others start from. Throws `boot-failed` with details.reason `snapshot-missing` or `snapshot-tampered`.
 */
export async function readSnapshotRecord(files: VmSnapshotFiles): Promise<SnapshotRecord> {
  const text = await readFile(snapshotRecordPath(files.directory), 'utf8').catch((error: unknown) => {
    throw refusal('snapshot-missing', `The snapshot in ${files.directory} is not whole.`, error);
  });
  const parsed = recordSchema.safeParse(parseJson(text));
  if (!parsed.success)
    throw refusal('snapshot-missing', `The record of the snapshot in ${files.directory} is damaged.`, parsed.error);
  const stamp = await stampMemory(files.memory).catch((error: unknown) => {
    throw refusal('snapshot-missing', `The memory image of the snapshot in ${files.directory} is missing.`, error);
  });
  const kept = parsed.data.memoryStamp;
  if (stamp.sizeBytes !== kept.sizeBytes || stamp.mtimeNs !== kept.mtimeNs || stamp.ctimeNs !== kept.ctimeNs) {
    throw refusal(
      'snapshot-tampered',
      `The memory image of the snapshot in ${files.directory} was changed after it was made.`,
    );
  }
  const baseDisk = { ...parsed.data.baseDisk, path: resolve(files.directory, parsed.data.baseDisk.path) };
  return { ...parsed.data, baseDisk };
}

/** Throws `boot-failed` with details.reason `snapshot-mismatch` when a launch asks for another machine than the one that was saved. */
export function requireSameMachine(
  record: SnapshotRecord,
  wanted: Pick<SnapshotRecord, 'restoreKey' | 'cpus' | 'memoryMiB' | 'link'>,
): void {
  const differing = [
    ...(record.restoreKey === wanted.restoreKey ? [] : ['host or VMM']),
    ...(record.cpus === wanted.cpus ? [] : ['cpus']),
    ...(record.memoryMiB === wanted.memoryMiB ? [] : ['memoryMiB']),
    ...(record.link?.guestMac === wanted.link?.guestMac ? [] : ['guestMac']),
    ...(record.link?.mtu === wanted.link?.mtu ? [] : ['mtu']),
  ];
  if (differing.length === 0) return;
  throw refusal('snapshot-mismatch', `The snapshot was made with another ${differing.join(', ')}.`);
}

function refusal(reason: string, message: string, cause?: unknown): OffshootError {
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
