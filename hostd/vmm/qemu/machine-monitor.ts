import { z } from 'zod';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { isAlive } from '../../platform/process-identity.ts';
import { machineFiles, qmpSocketPath } from './machine-files.ts';
import { QmpClient, type QmpEvent } from './qmp-client.ts';
import { recordedProcess } from './terminate.ts';

const defaultConnectTimeoutMs = 10_000;
const statusSchema = z.object({ status: z.string(), running: z.boolean() });
export const anything = z.unknown();

/** The monitor of one machine. QEMU serves one session at a time, so those who want it take turns. */
export class MachineMonitor {
  readonly #directory: string;
  readonly #connectTimeoutMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(directory: string, connectTimeoutMs = defaultConnectTimeoutMs) {
    this.#directory = directory;
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  /** Runs `work` in a session of its own, after those that asked before. Throws `sandbox-not-running` when the VMM has ended. */
  async session<T>(work: (qmp: QmpClient) => Promise<T>, onEvent?: (event: QmpEvent) => void): Promise<T> {
    const turn = this.#last.then(() => this.#run(work, onEvent));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #run<T>(work: (qmp: QmpClient) => Promise<T>, onEvent?: (event: QmpEvent) => void): Promise<T> {
    try {
      const qmp = await QmpClient.connect(qmpSocketPath(this.#directory), this.#connectTimeoutMs, onEvent);
      try {
        return await work(qmp);
      } finally {
        qmp.close();
      }
    } catch (error) {
      if (await this.#vmmLives()) throw error;
      throw new OffshootError('sandbox-not-running', { message: 'The VMM of the sandbox has ended.', cause: error });
    }
  }

  async #vmmLives(): Promise<boolean> {
    const vmm = await recordedProcess(this.#directory, machineFiles.vmmPid);
    return vmm !== undefined && (await isAlive(vmm));
  }
}

/** Whether the vCPUs run, and QEMU's word for it. */
export async function readStatus(qmp: QmpClient): Promise<{ status: string; running: boolean }> {
  return qmp.execute('query-status', {}, statusSchema);
}
