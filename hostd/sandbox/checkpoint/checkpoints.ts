import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { Admission } from '../admission.ts';
import type { HostConfig } from '../host-config.ts';
import type { HostResources } from '../host-resources.ts';
import type { Logger } from '../host-parts.ts';
import type { Registry } from '../registry.ts';
import type { StatePaths } from '../sandbox-paths.ts';
import { Semaphore } from '../semaphore.ts';
import { checkpointFiles, type Checkpoint, type CheckpointKind } from './checkpoint.ts';

export interface CheckpointParts {
  paths: StatePaths;
  config: HostConfig;
  registry: Registry;
  admission: Admission;
  resources: HostResources;
  log: Logger;
}

/**
 * What copies and paused sandboxes stand on. Nothing is counted: a checkpoint is in use while a live sandbox's row names
 * it or work under way holds it, and what is not in use is removed at once, by a later hostd at its start.
 */
export class Checkpoints {
  readonly #parts: CheckpointParts;
  readonly #imageRoot: string;
  readonly #known = new Map<string, Checkpoint>();
  /** Images being written: what they are going to take is not in the host's figures yet. */
  readonly #unwritten = new Set<Checkpoint>();
  /** Making and removing the images' folder, one after the other: it must not go while an image is about to be put in. */
  readonly #rootTurns = new Semaphore(1);

  constructor(parts: CheckpointParts) {
    this.#parts = parts;
    const tag = createHash('sha256').update(parts.paths.root).digest('hex').slice(0, 12);
    this.#imageRoot = join(parts.config.forkImageDirectory, `offshoot-${tag}`);
  }

  /** Takes in those that adopted sandboxes stand on and removes the rest. Call it once all live rows are known. */
  async load(): Promise<void> {
    await mkdir(this.#parts.config.forkImageDirectory, { recursive: true });
    const used = new Set(this.#parts.registry.live.map(({ row }) => row.checkpointId));
    for (const id of await readdir(this.#parts.paths.checkpoints)) {
      if (used.has(id)) await this.#adopt(id);
      else await this.#erase(id);
    }
    for (const id of await readdir(this.#imageRoot).catch(() => [])) {
      if (!this.#known.has(id)) await this.#erase(id);
    }
    await this.#removeEmptyRoot();
  }

  /**
   * A new one, held by the caller until `unpin`; its folder exists. Images of forks lie in memory while they fit under the
   * cap and the host and the tmpfs have twice as much free, else in the state directory, like all that is to last.
   */
  async begin(kind: CheckpointKind, expectedMiB: number): Promise<Checkpoint> {
    const id = `${kind}-${ulid().toLowerCase()}`;
    const directory = join(kind === 'snapshot' ? this.#parts.paths.snapshots : this.#parts.paths.checkpoints, id);
    const inMemory = kind === 'fork' && (await this.#fitsInMemory(expectedMiB));
    const memory = inMemory ? join(this.#imageRoot, id) : undefined;
    const checkpoint = {
      id,
      kind,
      files: checkpointFiles(directory, memory),
      inMemory,
      imageMiB: expectedMiB,
      pins: 1,
    };
    this.#known.set(id, checkpoint);
    this.#unwritten.add(checkpoint);
    this.#account();
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      if (inMemory) await this.#rootTurns.run(() => mkdir(this.#imageRoot, { recursive: true, mode: 0o700 }));
    } catch (error) {
      await this.unpin(checkpoint);
      throw error;
    }
    return checkpoint;
  }

  /** Written: from now on it counts with what it really takes. */
  written(checkpoint: Checkpoint, imageMiB: number): void {
    checkpoint.imageMiB = imageMiB;
    this.#unwritten.delete(checkpoint);
    this.#account();
  }

  pin(checkpoint: Checkpoint): void {
    checkpoint.pins += 1;
  }

  async unpin(checkpoint: Checkpoint): Promise<void> {
    checkpoint.pins -= 1;
    await this.collect();
  }

  find(id: string): Checkpoint | undefined {
    return this.#known.get(id);
  }

  /** One that is kept by name is its store's to remove. */
  keep(checkpoint: Checkpoint): void {
    this.#known.delete(checkpoint.id);
    this.#unwritten.delete(checkpoint);
  }

  /** Memory that images take, by what is expected of those being written. */
  get inMemoryMiB(): number {
    return inMemoryMiB(this.#known.values());
  }

  /** Removes what nobody uses. */
  async collect(): Promise<void> {
    const used = new Set(this.#parts.registry.live.map(({ row }) => row.checkpointId));
    const idle = [...this.#known.values()].filter(({ id, pins }) => pins <= 0 && !used.has(id));
    for (const checkpoint of idle) {
      this.#known.delete(checkpoint.id);
      this.#unwritten.delete(checkpoint);
    }
    this.#account();
    await Promise.all(
      idle.map(({ id, files }) =>
        this.#erase(id, files.directory).catch((error: unknown) => {
          this.#parts.log.error(
            { error, checkpointId: id },
            'a checkpoint could not be removed; the next start tries again',
          );
        }),
      ),
    );
    if (idle.length > 0) await this.#removeEmptyRoot();
  }

  async #removeEmptyRoot(): Promise<void> {
    await this.#rootTurns.run(async () => {
      if ([...this.#known.values()].some(({ inMemory }) => inMemory)) return;
      await rmdir(this.#imageRoot).catch(() => undefined);
    });
  }

  async #fitsInMemory(expectedMiB: number): Promise<boolean> {
    const { config, resources } = this.#parts;
    const reading = await resources.read();
    const capMiB = config.forkImageMiB ?? Math.floor(reading.memoryTotalMiB / 4);
    if (this.inMemoryMiB + expectedMiB > capMiB) return false;
    const spokenForMiB = inMemoryMiB(this.#unwritten);
    const roomMiB = Math.min(
      reading.memoryAvailableMiB - config.minAvailableMiB,
      await resources.roomMiB(config.forkImageDirectory),
    );
    return roomMiB - spokenForMiB > 2 * expectedMiB;
  }

  async #adopt(id: string): Promise<void> {
    const directory = join(this.#parts.paths.checkpoints, id);
    const image = join(this.#imageRoot, id);
    const found = await stat(image).catch(() => undefined);
    const files = checkpointFiles(directory, found === undefined ? undefined : image);
    const { blocks } = found ?? (await stat(files.memory).catch(() => ({ blocks: 0 })));
    const kind = id.startsWith('hibernation') ? 'hibernation' : 'fork';
    this.#known.set(id, { id, kind, files, inMemory: found !== undefined, imageMiB: blocks / 2048, pins: 0 });
    this.#account();
  }

  async #erase(id: string, directory = join(this.#parts.paths.checkpoints, id)): Promise<void> {
    await rm(directory, { recursive: true, force: true });
    await rm(join(this.#imageRoot, id), { force: true });
  }

  #account(): void {
    this.#parts.admission.images(this.inMemoryMiB);
  }
}

function inMemoryMiB(checkpoints: Iterable<Checkpoint>): number {
  return [...checkpoints].reduce((sum, { inMemory, imageMiB }) => sum + (inMemory ? imageMiB : 0), 0);
}
