import type { CaptureOptions, CaptureResult, VmExit, VmSnapshotFiles } from '../vmm.ts';
import { compactChain, layersToMerge, longChain, longestChain } from './compaction.ts';
import { asFreezeError } from './freeze-error.ts';
import { hibernateMachine } from './hibernate.ts';
import { captureMachine, type CaptureTools } from './machine-capture.ts';
import { anything, MachineMonitor } from './machine-monitor.ts';
import { readMachineRecord, writeMachineRecord, type MachineRecord } from './machine-record.ts';
import type { QemuCapture } from './qemu-capture.ts';
import { reconcile } from './reconcile.ts';

/** Until a machine that has just started or been duplicated is left alone long enough for its disk's layers to be merged. */
const defaultQuietMs = 3000;

export interface ControlTools extends Omit<CaptureTools, 'method'> {
  method: () => Promise<'clone' | 'copy'>;
  /** For tests. */
  quietMs?: number;
}

/** What can be done to a machine through its monitor. Everything it knows is in the machine's folder. */
export class MachineControl {
  readonly #tools: ControlTools;
  readonly #monitor: MachineMonitor;
  readonly #over = new AbortController();
  #captures: Promise<unknown> = Promise.resolve();
  #compaction: { work: Promise<unknown>; giveUp: AbortController } | undefined;
  #quiet: NodeJS.Timeout | undefined;

  constructor(tools: ControlTools) {
    this.#tools = tools;
    this.#monitor = new MachineMonitor(tools.directory);
  }

  async pause(): Promise<void> {
    await this.#interrupt();
    await this.#monitor.session(async (qmp) => {
      await qmp.execute('stop', {}, anything);
      await this.#change({ paused: true });
    });
  }

  async resume(): Promise<void> {
    await this.#monitor.session(async (qmp) => {
      await this.#change({ paused: false });
      await qmp.execute('cont', {}, anything);
    });
    this.compactSoon();
  }

  /** One at a time, its image included. */
  capture(into: VmSnapshotFiles, options: CaptureOptions): Promise<QemuCapture> {
    const capture = this.#captures.then(() => this.#capture(into, options));
    this.#captures = capture.then(({ complete }) => complete).catch(() => undefined);
    return capture;
  }

  /** `ended` resolves when the VMM has. */
  async hibernate(into: VmSnapshotFiles, ended: Promise<VmExit>): Promise<CaptureResult> {
    await this.#captures;
    await this.#interrupt();
    return this.#monitor.session((qmp) => hibernateMachine(this.#tools, qmp, into, ended));
  }

  /** Takes up what an earlier hostd left half done. */
  async recover(): Promise<void> {
    await this.#monitor.session((qmp) => reconcile(qmp, this.#tools.directory));
    this.compactSoon();
  }

  /** Merges the disk's layers once the machine has been left alone for a while, if there are many. */
  compactSoon(): void {
    clearTimeout(this.#quiet);
    if (this.#over.signal.aborted) return;
    this.#quiet = setTimeout(
      () => void this.#compact(longChain).catch(() => undefined),
      this.#tools.quietMs ?? defaultQuietMs,
    );
    this.#quiet.unref();
  }

  /** No more work of its own: the machine has ended, or hostd goes. */
  release(): void {
    this.#over.abort();
    clearTimeout(this.#quiet);
    this.#compaction?.giveUp.abort();
  }

  async #capture(into: VmSnapshotFiles, options: CaptureOptions): Promise<QemuCapture> {
    await this.#interrupt();
    try {
      await this.#compact(longestChain);
      const method = await this.#tools.method();
      const tools = { ...this.#tools, method };
      const capture = await this.#monitor.session((qmp) => captureMachine(tools, qmp, into, options));
      void capture.complete.catch(() => undefined).then(() => this.compactSoon());
      return capture;
    } catch (error) {
      throw asFreezeError(error, options.signal);
    }
  }

  async #compact(most: number): Promise<void> {
    const record = await readMachineRecord(this.#tools.directory);
    if (layersToMerge(record) <= most || this.#over.signal.aborted) return;
    const giveUp = new AbortController();
    const work = compactChain(this.#monitor, this.#tools.directory, giveUp.signal);
    this.#compaction = { work, giveUp };
    await work.finally(() => (this.#compaction = undefined));
  }

  async #interrupt(): Promise<void> {
    clearTimeout(this.#quiet);
    this.#compaction?.giveUp.abort();
    await this.#compaction?.work.catch(() => undefined);
  }

  async #change(change: Partial<MachineRecord>): Promise<void> {
    const { directory } = this.#tools;
    const record = await readMachineRecord(directory);
    await writeMachineRecord(directory, { ...record, ...change });
  }
}
