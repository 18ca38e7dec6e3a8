import { access, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { egressModeSchema } from '../../contract/egress.ts';
import { pinDocumentSchema } from '../../net/egress/dns/pin-document.ts';
import { writeDurably } from '../../platform/durable-file.ts';
import { digestFiles } from './digest.ts';

const manifestName = 'manifest.json';
const verifiedName = 'verified.json';
const privateMode = 0o600;

/** Nothing is restored from them unless they are as they were written. */
const checkedFiles = ['memory', 'devices', 'machine.json'];

const fileSchema = z.object({
  name: z.string(),
  sizeBytes: z.number().int(),
  /** null for a disk layer that other snapshots or templates share: it is an immutable file of theirs as well. */
  sha256: z.string().nullable(),
});

/** snapshots/ID/manifest.json: written last, so a snapshot without it does not exist. */
export const snapshotManifestSchema = z.object({
  format: z.literal(1),
  id: z.string(),
  name: z.string(),
  sandboxId: z.string(),
  image: z.string(),
  imageDigest: z.string(),
  agentProtocol: z.number().int(),
  shape: z.object({ cpus: z.number().int(), memoryMiB: z.number().int(), diskMiB: z.number().int() }),
  egressMode: egressModeSchema,
  egressAllow: z.array(z.string()).default([]),
  /** Addresses it had been answered with when it was taken. */
  egressPins: pinDocumentSchema.optional(),
  generation: z.number().int(),
  hasEnvValues: z.boolean(),
  /** What its kernel wants on its command line; null when the kernel could not be kept and its disk can not be booted. */
  kernelArguments: z.array(z.string()).nullable(),
  createdAtMs: z.number(),
  expiresAtMs: z.number().nullable(),
  storedMiB: z.number(),
  vmm: z.object({
    name: z.literal('qemu'),
    version: z.string(),
    machine: z.string(),
    cpuModel: z.string(),
    restoreKey: z.string(),
    tier: z.enum(['kvm', 'emulated']),
  }),
  files: z
    .array(fileSchema)
    .refine(
      (files) => checkedFiles.every((name) => files.some((file) => file.name === name && file.sha256 !== null)),
      'memory, devices and the machine need a digest',
    ),
});
export type SnapshotManifest = z.output<typeof snapshotManifestSchema>;
export type SnapshotFacts = Omit<SnapshotManifest, 'format' | 'storedMiB' | 'files'>;

/** What was found right about the files, and when: until they change or the host restarts they need not be read again. */
const verifiedSchema = z.object({
  bootId: z.string(),
  stamps: z.array(z.string()),
  /** Restore keys of other builds of the VMM under which a restore has worked. */
  restoredUnder: z.array(z.string()),
});
export type Verified = z.output<typeof verifiedSchema>;

/** Reads every file of its own once for its digest, and writes the manifest when all is on disk. */
export async function writeSnapshotManifest(directory: string, facts: SnapshotFacts): Promise<SnapshotManifest> {
  const names = (await readdir(directory)).sort();
  const stats = await Promise.all(names.map((name) => stat(join(directory, name))));
  const own = names.filter((_name, index) => stats[index]?.nlink === 1);
  const digests = await digestFiles(own.map((name) => join(directory, name)));
  const files = names.map((name, index) => ({
    name,
    sizeBytes: stats[index]?.size ?? 0,
    sha256: digests[own.indexOf(name)] ?? null,
  }));
  const ownBytes = stats.reduce((sum, { nlink, blocks }) => sum + (nlink === 1 ? blocks * 512 : 0), 0);
  const storedMiB = Math.round((ownBytes / 1024 / 1024) * 10) / 10;
  const manifest: SnapshotManifest = { ...facts, format: 1, storedMiB, files };
  await writeDurably(join(directory, manifestName), JSON.stringify(manifest), privateMode);
  return manifest;
}

export async function readSnapshotManifest(directory: string): Promise<SnapshotManifest> {
  return snapshotManifestSchema.parse(JSON.parse(await readFile(join(directory, manifestName), 'utf8')));
}

/** False when it was cut off before its manifest. */
export async function isFinished(directory: string): Promise<boolean> {
  return access(join(directory, manifestName)).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );
}

export async function readVerified(directory: string): Promise<Verified | undefined> {
  const text = await readFile(join(directory, verifiedName), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return verifiedSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export async function writeVerified(directory: string, verified: Verified): Promise<void> {
  await writeDurably(join(directory, verifiedName), JSON.stringify(verified), privateMode);
}

/** Sizes and times of the files; throws when one is missing or of another size. */
export async function stampFiles(directory: string, manifest: SnapshotManifest): Promise<string[]> {
  return Promise.all(
    manifest.files.map(async ({ name, sizeBytes }) => {
      const found = await stat(join(directory, name), { bigint: true }).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new Error(`${name} is missing`) : error;
      });
      if (Number(found.size) !== sizeBytes)
        throw new Error(`${name} has ${String(found.size)} bytes, not ${String(sizeBytes)}`);
      return `${name} ${String(found.ino)} ${String(found.mtimeNs)}`;
    }),
  );
}

/** The files whose content is not what the manifest says. */
export async function damagedFiles(directory: string, manifest: SnapshotManifest): Promise<string[]> {
  const checked = manifest.files.filter(({ sha256 }) => sha256 !== null);
  const digests = await digestFiles(checked.map(({ name }) => join(directory, name)));
  return checked.filter(({ sha256 }, index) => sha256 !== digests[index]).map(({ name }) => name);
}
