import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { imageFiles, rootSteps, scratchName, type RootBuilder, type RootBuildOptions } from './build/build-root.ts';
import type { HostConfig } from './host/host-config.ts';

/** A host about which nothing is known. */
export const plainHost: HostConfig = {
  release: { id: 'debian', codename: 'bookworm' },
  aptSources: [],
  aptSettings: [],
  pip: { settings: {} },
  npm: { settings: {} },
  proxies: {},
  certificates: [],
};

/** Makes small files instead of an image; a test can hold it, or make it fail after it downloaded something. */
export class FakeRootBuilder implements RootBuilder {
  readonly builds: string[] = [];
  atOnce = 0;
  mostAtOnce = 0;
  failure: Error | undefined;
  gate: Promise<void> = Promise.resolve();

  async build({ directory, plan, onLine, onStep }: RootBuildOptions): Promise<{ kernelVersion: string }> {
    this.builds.push(plan.suite.name);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
    try {
      const archives = path.join(directory, scratchName, 'root/var/cache/apt/archives');
      await mkdir(path.join(archives, 'partial'), { recursive: true });
      await writeFile(path.join(archives, 'git_1_amd64.deb'), 'whole');
      await writeFile(path.join(archives, 'partial/gcc_1_amd64.deb'), 'ha');
      for (const step of rootSteps) onStep(step);
      onLine('a line of a tool');
      await this.gate;
      if (this.failure !== undefined) throw this.failure;
      for (const file of [imageFiles.rootDisk, imageFiles.kernel, imageFiles.modules]) {
        await writeFile(path.join(directory, file), `${file} ${String(this.builds.length)}`);
      }
      return { kernelVersion: '6.12.1-cloud-amd64' };
    } finally {
      this.atOnce--;
    }
  }
}
