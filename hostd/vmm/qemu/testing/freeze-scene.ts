import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { FreezeRequest } from '../memory-freezer.ts';
import { eventually } from './launch-folder.ts';
import { expectedImage, faultyFreezeProgram, freezeProgram, StandIn, writeBase } from './stand-in.ts';

/** A folder with a base image, and a stand-in whose memory it is. */
export class FreezeScene implements AsyncDisposable {
  readonly folder: string;
  readonly standIn: StandIn;

  private constructor(folder: string, standIn: StandIn) {
    this.folder = folder;
    this.standIn = standIn;
  }

  /** Pages of a base that nothing else is said of. */
  static readonly pages = 4096;

  static async make(
    options: { before?: string; pages?: number; hollow?: boolean; above?: string } = {},
  ): Promise<FreezeScene> {
    const folder = await mkdtemp(join(options.above ?? tmpdir(), 'freezer-'));
    await writeBase(join(folder, 'base'), options.pages ?? FreezeScene.pages, options.hollow);
    return new FreezeScene(folder, await StandIn.start(join(folder, 'base'), options.before));
  }

  get imagePath(): string {
    return join(this.folder, 'image');
  }

  request(more: Partial<FreezeRequest> = {}): FreezeRequest {
    const { identity: source } = this.standIn;
    const paths = { basePath: join(this.folder, 'base'), imagePath: this.imagePath };
    return { program: freezeProgram, source, ...paths, method: 'clone', minAvailableMiB: 64, ...more };
  }

  /** A program that is the freeze helper with a fault. */
  async faulty(kind: 'FAIL' | 'KILL', point: string): Promise<string> {
    const path = join(this.folder, 'faulty');
    await writeFile(path, `#!/bin/sh\nFREEZE_${kind}=${point} exec ${faultyFreezeProgram} "$@"\n`, { mode: 0o700 });
    return path;
  }

  async removeImage(): Promise<void> {
    await rm(this.imagePath);
  }

  async expectWholeImage(): Promise<void> {
    expect((await readFile(this.imagePath)).equals(await expectedImage(join(this.folder, 'base')))).toBe(true);
  }

  /** The source works on with its registers, signal mask and stacks, and no duplicate is left. */
  async expectUnharmed(): Promise<void> {
    const before = await this.standIn.report();
    await eventually(
      async () => ((await this.standIn.report()).rounds > before.rounds ? true : undefined),
      'work of the source',
    );
    expect(await this.standIn.report()).toMatchObject({ errors: 0, mask: 'kept', stack: 'kept' });
    expect(await this.#state()).toEqual({ tracer: '0', filtered: '2', inForks: false });
    await eventually(
      async () => ((await this.standIn.duplicates()).length === 0 ? true : undefined),
      'the end of duplicates',
    );
  }

  async #state() {
    const process = `/proc/${String(this.standIn.identity.pid)}`;
    const status = await readFile(join(process, 'status'), 'utf8');
    const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1];
    const mapped = (await readFile(join(process, 'smaps'), 'utf8')).split(`${this.folder}/base`)[1] ?? '';
    const flags = /^VmFlags: (.*)$/m.exec(mapped)?.[1]?.split(' ') ?? [];
    return { tracer: field('TracerPid'), filtered: field('Seccomp'), inForks: !flags.includes('dc') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.standIn[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true });
  }
}
