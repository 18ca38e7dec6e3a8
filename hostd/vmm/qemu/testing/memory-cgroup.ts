import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './launch-folder.ts';

const hierarchy = '/sys/fs/cgroup/memory';

/** True where the memory controller of version 1 is mounted. */
export const hasMemoryCgroups = existsSync(join(hierarchy, 'memory.limit_in_bytes'));

/** A memory cgroup of the test's own. */
export class MemoryCgroup implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(limitMiB: number): Promise<MemoryCgroup> {
    const path = join(hierarchy, `freezer-test-${String(process.pid)}-${String(Math.random()).slice(2, 10)}`);
    await mkdir(path);
    await writeFile(join(path, 'memory.limit_in_bytes'), String(limitMiB * 1024 * 1024));
    return new MemoryCgroup(path);
  }

  /** Shell that moves the shell into it. */
  get enter(): string {
    return `echo $$ > ${join(this.path, 'cgroup.procs')}`;
  }

  async add(pid: number): Promise<void> {
    await writeFile(join(this.path, 'cgroup.procs'), String(pid));
  }

  async limit(toMiB: number): Promise<void> {
    await writeFile(join(this.path, 'memory.limit_in_bytes'), String(Math.ceil(toMiB * 1024 * 1024)));
  }

  async read(file: 'limit_in_bytes' | 'usage_in_bytes'): Promise<number> {
    return Number(await readFile(join(this.path, `memory.${file}`), 'utf8')) / 1024 / 1024;
  }

  /** What is in use and can't be taken back: all but cached files. */
  async heldMiB(): Promise<number> {
    const statistics = await readFile(join(this.path, 'memory.stat'), 'utf8');
    const cached = /^inactive_file (\d+)$/m.exec(statistics)?.[1];
    return (await this.read('usage_in_bytes')) - Number(cached) / 1024 / 1024;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await eventually(
      () =>
        rmdir(this.path).then(
          () => true,
          () => undefined,
        ),
      'the removal of the cgroup',
    );
  }
}
