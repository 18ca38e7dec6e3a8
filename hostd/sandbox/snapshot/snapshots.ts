import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SnapshotInfo } from '../../contract/snapshot.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { VmSnapshotFiles } from '../../vmm/vmm.ts';
import { checkpointFiles } from '../checkpoint/checkpoint.ts';
import type { HostContext } from '../host-context.ts';
import {
  isFinished,
  readSnapshotManifest,
  readVerified,
  writeVerified,
  type SnapshotManifest,
  type Verified,
} from './manifest.ts';
import { diskOf, requirePresent, requireUnchanged } from './whole.ts';

export interface KeptSnapshot {
  readonly manifest: SnapshotManifest;
  readonly files: VmSnapshotFiles;
  verified: Verified | undefined;
  /** One check of the files for all who come at once. */
  checking: Promise<void> | undefined;
  /** Creates under way that stand on it. */
  pins: number;
}

export type SnapshotsHost = Pick<HostContext, 'paths' | 'registry' | 'events' | 'log' | 'vmm' | 'bootId' | 'config'>;

const leavingSuffix = '.leaving';

/** The snapshots of this host, by name. */
export class Snapshots {
  readonly #host: SnapshotsHost;
  readonly #byName = new Map<string, KeptSnapshot>();
  /** Names of snapshots being taken. */
  readonly #reserved = new Set<string>();

  constructor(host: SnapshotsHost) {
    this.#host = host;
  }

  /** Takes in what is on disk. What was not finished goes; what was and can not be read, or is another hostd's, stays where it is. */
  async load(): Promise<void> {
    const { paths, log } = this.#host;
    await mkdir(paths.snapshots, { recursive: true, mode: 0o711 });
    for (const id of await readdir(paths.snapshots)) {
      const directory = join(paths.snapshots, id);
      if (id.endsWith(leavingSuffix) || !(await isFinished(directory))) {
        log.info({ directory }, 'removing a snapshot that was not finished');
        await rm(directory, { recursive: true, force: true });
        continue;
      }
      try {
        const manifest = await readSnapshotManifest(directory);
        if (manifest.id !== id) throw new Error(`The manifest is that of ${manifest.id}.`);
        if (this.#byName.has(manifest.name)) throw new Error(`There are two snapshots ${manifest.name}.`);
        this.add(manifest, await readVerified(directory));
      } catch (error) {
        log.error(
          { directory, error },
          'a snapshot can not be used: its manifest is damaged; remove the folder by hand',
        );
      }
    }
  }

  add(manifest: SnapshotManifest, verified: Verified | undefined): KeptSnapshot {
    const files = checkpointFiles(join(this.#host.paths.snapshots, manifest.id));
    const kept = { manifest, files, verified, checking: undefined, pins: 0 };
    this.#byName.set(manifest.name, kept);
    return kept;
  }

  get all(): KeptSnapshot[] {
    return [...this.#byName.values()].sort((a, b) => a.manifest.createdAtMs - b.manifest.createdAtMs);
  }

  find(name: string): KeptSnapshot | undefined {
    return this.#byName.get(name);
  }

  /** Throws `snapshot-not-found`. */
  get(name: string): KeptSnapshot {
    const kept = this.#byName.get(name);
    if (kept !== undefined) return kept;
    throw notFound(name);
  }

  /** Holds a name while its snapshot is taken. Throws `snapshot-exists`, or `capacity-exhausted` beyond `maxSnapshots`. */
  reserve(name: string): () => void {
    if (this.#byName.has(name) || this.#reserved.has(name)) {
      throw new OffshootError('snapshot-exists', { message: `There is a snapshot ${name}.`, details: { name } });
    }
    const { maxSnapshots } = this.#host.config;
    if (this.#byName.size + this.#reserved.size >= maxSnapshots) {
      throw new OffshootError('capacity-exhausted', {
        message: `The host keeps ${String(maxSnapshots)} snapshots, its most.`,
        hint: 'Remove one first: offshoot snapshot rm NAME',
        details: { shortOf: 'snapshots', limit: maxSnapshots },
      });
    }
    this.#reserved.add(name);
    return () => this.#reserved.delete(name);
  }

  /** Live sandboxes whose machine stands on it. */
  usedBy(kept: KeptSnapshot): string[] {
    return this.#host.registry.live
      .filter(({ row }) => row.checkpointId === kept.manifest.id)
      .map(({ row }) => row.id)
      .sort();
  }

  /** Whether this host can restore its memory now. */
  restorable(kept: KeptSnapshot): { ok: boolean; reason: string } {
    const { restorable, reason } = this.#host.vmm.compatibility(kept.manifest.vmm);
    if (restorable !== 'probe') return { ok: restorable === 'yes', reason };
    const passed = kept.verified?.restoredUnder.includes(this.#host.vmm.features.restoreKey) === true;
    return {
      ok: true,
      reason: passed ? `${reason}; a restore has worked` : `${reason}; the next restore will show it`,
    };
  }

  /** Reads the files once, unless they are as they were found right in this boot of the host. Throws `snapshot-damaged`. */
  verify(kept: KeptSnapshot): Promise<void> {
    kept.checking ??= this.#verify(kept).finally(() => {
      kept.checking = undefined;
    });
    return kept.checking;
  }

  /** The same for a cold boot of its disk, which needs neither memory nor devices. Throws `snapshot-damaged`. */
  async verifyDisk({ manifest, files: { directory } }: KeptSnapshot): Promise<void> {
    const disk = diskOf(manifest);
    await requirePresent(directory, disk);
    await requireUnchanged(directory, disk);
  }

  /** A restore under another build of the VMM worked: from now on it is accepted. */
  async restored(kept: KeptSnapshot): Promise<void> {
    const { restoreKey } = this.#host.vmm.features;
    const { verified } = kept;
    if (restoreKey === kept.manifest.vmm.restoreKey || verified?.restoredUnder.includes(restoreKey) !== false) return;
    kept.verified = { ...verified, restoredUnder: [...verified.restoredUnder, restoreKey] };
    await writeVerified(kept.files.directory, kept.verified);
  }

  /** Throws `snapshot-in-use` with details.usedBy, or `snapshot-not-found` when somebody else was quicker. */
  async remove(kept: KeptSnapshot): Promise<void> {
    const { name, id } = kept.manifest;
    if (this.get(name) !== kept) throw notFound(name);
    const usedBy = this.usedBy(kept);
    if (usedBy.length > 0 || kept.pins > 0) {
      throw new OffshootError('snapshot-in-use', {
        message: `The snapshot ${name} is used by ${usedBy.join(', ') || 'a sandbox being created'}.`,
        details: { name, usedBy },
      });
    }
    this.#byName.delete(name);
    // By one rename it is no snapshot any more; the rest may be cut off.
    const leaving = join(this.#host.paths.snapshots, `${id}${leavingSuffix}`);
    try {
      await rename(kept.files.directory, leaving);
    } catch (error) {
      if (!this.#byName.has(name)) this.#byName.set(name, kept);
      throw error;
    }
    await rm(leaving, { recursive: true, force: true });
    this.#host.events.append('snapshot.removed', { data: { name } });
  }

  info(kept: KeptSnapshot): SnapshotInfo {
    const { manifest } = kept;
    const { restoreKey: _restoreKey, ...vmm } = manifest.vmm;
    return {
      name: manifest.name,
      sandboxId: manifest.sandboxId,
      image: manifest.image,
      ...manifest.shape,
      egress: { mode: manifest.egressMode, allow: manifest.egressAllow },
      createdAt: new Date(manifest.createdAtMs).toISOString(),
      expiresAt: manifest.expiresAtMs === null ? null : new Date(manifest.expiresAtMs).toISOString(),
      storedMiB: manifest.storedMiB,
      vmm: { ...vmm, agentProtocol: manifest.agentProtocol },
      hasEnvValues: manifest.hasEnvValues,
      restorable: this.restorable(kept),
      usedBy: this.usedBy(kept),
    };
  }

  async #verify(kept: KeptSnapshot): Promise<void> {
    const { bootId, log, vmm } = this.#host;
    const { directory } = kept.files;
    const stamps = await requirePresent(directory, kept.manifest);
    const known = kept.verified;
    if (known?.bootId === bootId && known.stamps.join('\n') === stamps.join('\n')) return;
    log.info({ snapshot: kept.manifest.name }, 'checking the files of a snapshot');
    await requireUnchanged(directory, kept.manifest);
    await vmm.attest(kept.files);
    kept.verified = { bootId, stamps, restoredUnder: known?.restoredUnder ?? [] };
    await writeVerified(directory, kept.verified);
  }
}

function notFound(name: string): OffshootError {
  return new OffshootError('snapshot-not-found', { message: `There is no snapshot ${name}.`, details: { name } });
}
