import { link, copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SnapshotInfo } from '../../contract/snapshot.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { asCatalogueError } from '../bring-up.ts';
import { captureSandbox, expectedImageMiB } from '../checkpoint/capture.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { pinsOf } from '../egress/pins.ts';
import type { HostContext } from '../host-context.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import type { Pauser } from '../pause/pauser.ts';
import type { StandingSandbox } from '../registry.ts';
import { readVerified, stampFiles, writeSnapshotManifest, writeVerified, type SnapshotFacts } from './manifest.ts';
import type { Snapshots } from './snapshots.ts';

const dayMs = 86_400_000;

/** The files of an image that a cold boot from a kept disk needs. */
export const bootFiles = { kernel: 'kernel', initramfs: 'initramfs' } as const;

/** What a fork does to keep what its copies start from. */
export interface Keeping {
  /** Makes it a snapshot, once its files are whole; resolves with its name. */
  finish(checkpoint: Checkpoint): Promise<string>;
  /** Removes it again. */
  undo(): Promise<void>;
  /** Lets go of the name, taken or not. */
  release(): void;
}

export interface SnapshotTakerParts {
  host: HostContext;
  snapshots: Snapshots;
  pauser: Pauser;
}

/** Takes snapshots: on disk, whole and named, or not at all. */
export class SnapshotTaker {
  readonly #parts: SnapshotTakerParts;

  constructor(parts: SnapshotTakerParts) {
    this.#parts = parts;
  }

  /** Throws `snapshot-exists`; what fails leaves the sandbox as it was and nothing else. */
  async take(sandboxId: string, name: string, retentionDays: number | undefined): Promise<SnapshotInfo> {
    const { host, snapshots, pauser } = this.#parts;
    const source = host.registry.standing(sandboxId);
    const release = snapshots.reserve(name);
    let checkpoint: Checkpoint | undefined;
    try {
      const begun = (checkpoint = await host.checkpoints.begin('snapshot', await expectedImageMiB(host, source)));
      const signal = source.ending.signal;
      const order = { checkpoint: begun, durable: true, signal };
      const { capture } = await source.turn.run(async () => captureSandbox(host, await pauser.awake(source), order));
      await faultPoint('snapshot.after-capture');
      await capture?.complete;
      await this.#store(source, begun, name, retentionDays);
      return snapshots.info(snapshots.get(name));
    } catch (error) {
      source.ending.signal.throwIfAborted();
      throw asCatalogueError(error);
    } finally {
      release();
      if (checkpoint !== undefined) await host.checkpoints.unpin(checkpoint);
    }
  }

  /** For a fork that keeps what its copies start from. Throws `snapshot-exists`. */
  keepFor(source: LiveSandbox, forkId: string, wanted: true | string): Keeping {
    const name = wanted === true ? `fork-${forkId.replace(/^frk_/, '').toLowerCase()}`.slice(0, 63) : wanted;
    const { snapshots } = this.#parts;
    const release = snapshots.reserve(name);
    return {
      release,
      finish: async (checkpoint) => {
        await this.#store(source, checkpoint, name, undefined);
        return name;
      },
      undo: () => snapshots.remove(snapshots.get(name)),
    };
  }

  describe(name: string): SnapshotInfo | undefined {
    const kept = this.#parts.snapshots.find(name);
    return kept && this.#parts.snapshots.info(kept);
  }

  async #store(
    source: StandingSandbox,
    checkpoint: Checkpoint,
    name: string,
    retentionDays: number | undefined,
  ): Promise<void> {
    const { host, snapshots } = this.#parts;
    const { row } = source;
    const { directory } = checkpoint.files;
    const kernelArguments = await this.#keepBootFiles(row.image, row.imageDigest, directory);
    const nowMs = host.clock.wallMs();
    const { name: vmmName, version, machine, cpuModel, restoreKey, isolation } = host.vmm.features;
    const facts: SnapshotFacts = {
      id: checkpoint.id,
      name,
      sandboxId: row.id,
      image: row.image,
      imageDigest: row.imageDigest,
      agentProtocol: source.guest?.hello.protocolVersion ?? 1,
      shape: { cpus: row.cpus, memoryMiB: row.memoryMiB, diskMiB: row.diskMiB },
      egressMode: row.egressMode,
      egressAllow: row.egressAllow,
      egressPins: await pinsOf(host, row),
      generation: row.generation,
      hasEnvValues: row.hasEnvValues,
      kernelArguments,
      createdAtMs: nowMs,
      expiresAtMs: retentionDays === undefined ? null : nowMs + retentionDays * dayMs,
      vmm: { name: vmmName, version, machine, cpuModel, restoreKey, tier: isolation.tier },
    };
    await faultPoint('snapshot.before-manifest');
    const manifest = await writeSnapshotManifest(directory, facts);
    const stamps = await stampFiles(directory, manifest);
    await writeVerified(directory, { bootId: host.bootId, stamps, restoredUnder: [] });
    snapshots.add(manifest, await readVerified(directory));
    host.checkpoints.keep(checkpoint);
    await faultPoint('snapshot.made');
    host.events.append('snapshot.created', { sandboxId: row.id, data: { name } });
  }

  /** Kernel and initramfs come from the image, or from another snapshot of it when it was removed or built anew. Null when nobody has them. */
  async #keepBootFiles(imageName: string, imageDigest: string, directory: string): Promise<string[] | null> {
    const { host, snapshots } = this.#parts;
    const image = await host.images.get(imageName).catch(() => undefined);
    const sources: BootSource[] = snapshots.all.map(({ manifest, files }) => {
      return { ...manifest, directory: files.directory, files: bootFiles };
    });
    if (image !== undefined) {
      const { digest, kernelArguments, files } = image.manifest;
      sources.unshift({ imageDigest: digest, kernelArguments, directory: image.directory, files });
    }
    for (const source of sources) {
      if (source.imageDigest !== imageDigest || source.kernelArguments === null) continue;
      if (await linkBootFiles(source, directory)) return [...source.kernelArguments];
    }
    return null;
  }
}

interface BootSource {
  imageDigest: string;
  kernelArguments: readonly string[] | null;
  directory: string;
  files: { kernel: string; initramfs: string };
}

/** False when they are being removed. */
async function linkBootFiles({ directory, files }: BootSource, into: string): Promise<boolean> {
  try {
    for (const part of ['kernel', 'initramfs'] as const) {
      const from = join(directory, files[part]);
      const to = join(into, bootFiles[part]);
      await rm(to, { force: true });
      await link(from, to).catch(() => copyFile(from, to));
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
