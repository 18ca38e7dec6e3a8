import { OffshootError } from '../../errors/offshoot-error.ts';
import { damagedFiles, stampFiles, type SnapshotManifest } from './manifest.ts';

/** Sizes and times of the files, when all are there and as long as they were written. Throws `snapshot-damaged`. */
export async function requirePresent(directory: string, manifest: SnapshotManifest): Promise<string[]> {
  return stampFiles(directory, manifest).catch((error: unknown) => {
    throw damage(manifest, error instanceof Error ? error.message : String(error));
  });
}

/** Reads the files. Throws `snapshot-damaged`. */
export async function requireUnchanged(directory: string, manifest: SnapshotManifest): Promise<void> {
  const damaged = await damagedFiles(directory, manifest);
  if (damaged.length > 0) throw damage(manifest, `${damaged.join(', ')} changed`);
}

/** What a cold boot of its disk needs: all but memory and devices. */
export function diskOf(manifest: SnapshotManifest): SnapshotManifest {
  return { ...manifest, files: manifest.files.filter(({ name }) => name !== 'memory' && name !== 'devices') };
}

function damage({ name }: SnapshotManifest, why: string): OffshootError {
  return new OffshootError('snapshot-damaged', {
    message: `The snapshot ${name} is damaged: ${why}.`,
    details: { name },
  });
}
