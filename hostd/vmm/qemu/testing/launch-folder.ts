import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { encodeLaunchSpec, type LaunchSpec } from '../launch-spec.ts';
import { machineFiles } from '../machine-files.ts';
import { terminateMachine } from '../terminate.ts';

const root = resolve(import.meta.dirname, '../../../..');

/** build/native of this checkout. */
export const nativeDirectory = join(root, 'build/native');
export const launcherProgram = join(nativeDirectory, 'launcher');

/** Builds the native programs of the driver; quick when nothing changed. */
export function buildNative(target = 'all'): void {
  execFileSync('make', ['-s', '-C', join(root, 'hostd/vmm/native'), target], { stdio: 'inherit' });
}

/** A machine's folder for tests, with a program of their own in QEMU's place. */
export class LaunchFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<LaunchFolder> {
    return new LaunchFolder(await mkdtemp(join(tmpdir(), 'launch-')));
  }

  /** Writes a spec that runs `script` by /bin/sh as uid and gid 64123. */
  async writeSpec(script: string, more: Partial<LaunchSpec> = {}): Promise<void> {
    const spec: LaunchSpec = {
      uid: 64123,
      gid: 64123,
      groups: [],
      files: [],
      limits: { core: 0 },
      program: '/bin/sh',
      args: ['-c', script],
      env: { PATH: '/usr/bin:/bin' },
      ...more,
    };
    await this.writeRawSpec(encodeLaunchSpec(spec));
  }

  async writeRawSpec(text: string): Promise<void> {
    await writeFile(join(this.path, machineFiles.spec), text, { mode: 0o600 });
  }

  file(name: string): string {
    return join(this.path, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await terminateMachine(this.path, undefined);
    await rm(this.path, { recursive: true });
  }
}

/** Waits for a condition; fails after `timeoutMs`. */
export async function eventually<T>(read: () => Promise<T | undefined>, what: string, timeoutMs = 10_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${String(timeoutMs)} ms`);
    await new Promise((wake) => setTimeout(wake, 10));
  }
}
