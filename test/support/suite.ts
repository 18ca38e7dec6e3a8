import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { HostClient, Sandbox, type CreateOptions } from '../../hostd/client/index.ts';
import { comparePictures, takeHostPicture, type HostPicture } from './host-picture.ts';
import { HostdProcess } from './hostd-process.ts';
import { sharedState } from './shared-image.ts';

export interface Suite {
  readonly hostd: HostdProcess;
  readonly host: string;
  readonly stateDirectory: string;
  readonly client: HostClient;
  /** A sandbox that the suite's end stops, whatever the test did. */
  create(options?: CreateOptions): Promise<Sandbox>;
}

/**
 * A real hostd for one test file, on the state directory that all end-to-end files share (so that image and templates are made once).
 * After the file nothing of it may be left on the machine: that is checked here and fails the file.
 */
export function useHostd(config: Record<string, unknown> = {}): Suite {
  let hostd: HostdProcess | undefined;
  let before: HostPicture | undefined;
  let stateDirectory = '';
  let client: HostClient | undefined;
  const started = (): HostdProcess => {
    if (hostd === undefined) throw new Error('hostd is not started yet');
    return hostd;
  };

  beforeAll(async () => {
    stateDirectory = await sharedState();
    before = await takeHostPicture();
    hostd = await HostdProcess.start({ stateDirectory, config });
    client = new HostClient({ host: hostd.host });
  }, 600_000);

  afterAll(async () => {
    try {
      await stopAll(started().host);
    } catch (error) {
      // a test was cut off while hostd was away: the next file is not to find its sandboxes
      await started().endWithSandboxes();
      throw error;
    }
    await client?.close();
    await started()[Symbol.asyncDispose]();
    if (before !== undefined) expect(await leftovers(before, stateDirectory)).toEqual([]);
  }, 120_000);

  return {
    get hostd() {
      return started();
    },
    get host() {
      return started().host;
    },
    get stateDirectory() {
      return stateDirectory;
    },
    get client() {
      if (client === undefined) throw new Error('hostd is not started yet');
      return client;
    },
    create: (options = {}) => Sandbox.create({ timeoutSeconds: 600, ...options, connection: { host: started().host } }),
  };
}

/** What a dead sandbox left on the machine or in the state directory. */
export async function leftovers(before: HostPicture, stateDirectory: string): Promise<string[]> {
  // the suite's own hostd and its helpers may have been started again; one that stays behind shows at the end of all suites
  const ownGate = path.join(stateDirectory, 'gate');
  const onHost = comparePictures(before, await takeHostPicture()).filter(
    (line) => !line.includes('hostd/cli/main.ts') && !line.includes(ownGate),
  );
  const checkpoints = await readdir(path.join(stateDirectory, 'checkpoints')).catch(() => []);
  return [...onHost, ...(await sandboxFiles(stateDirectory)), ...checkpoints.map((name) => `checkpoint: ${name}`)];
}

/** Files of sandboxes other than the exec outputs that tombstones keep. */
export async function sandboxFiles(stateDirectory: string): Promise<string[]> {
  const folder = path.join(stateDirectory, 'sandboxes');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(path.relative(folder, entry.parentPath), entry.name))
    .filter((file) => !/\/execs\//.test(file))
    .map((file) => `file: ${file}`);
}

async function stopAll(host: string): Promise<void> {
  for (const { id } of await Sandbox.list({ connection: { host } })) {
    const sandbox = await Sandbox.connect(id, { host });
    await sandbox.stop();
    await sandbox.disconnect();
  }
}
