import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { FreezeRequest } from '../memory-freezer.ts';
import { eventually } from './launch-folder.ts';
import { expectedImage, freezeProgram, StandIn, writeBase } from './stand-in.ts';

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

  static async make(options: { before?: string; pages?: number } = {}): Promise<FreezeScene> {
    const folder = await mkdtemp(join(tmpdir(), 'freezer-'));
    await writeBase(join(folder, 'base'), options.pages ?? FreezeScene.pages);
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
    await eventually(
      async () => ((await this.standIn.duplicates()).length === 0 ? true : undefined),
      'the end of duplicates',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.standIn[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true });
  }
}
