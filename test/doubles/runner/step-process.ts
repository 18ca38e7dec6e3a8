import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LineReader } from './dotnet-text.ts';

/** A step's process, started, read and cancelled by the rules of actions/runner src/Runner.Sdk/ProcessInvoker.cs. */

const interruptTimeoutMs = 7500;
const terminateTimeoutMs = 2500;
const drainTimeoutMs = 5000;

export interface ProcessOptions {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  onStdout: (line: string) => Promise<void>;
  onStderr: (line: string) => Promise<void>;
  onSignal: (signal: string) => void;
}

export class StepProcess {
  readonly #child: ChildProcess;
  readonly #options: ProcessOptions;
  readonly #streams: Promise<unknown>;
  readonly #exited: Promise<number>;
  readonly #ended: Promise<number>;
  #cancelling: Promise<void> | undefined;
  #open = true;

  constructor(options: ProcessOptions) {
    this.#options = options;
    const child = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#exited = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
      });
    });
    this.#streams = Promise.all([
      this.#read(child.stdout, options.onStdout),
      this.#read(child.stderr, options.onStderr),
    ]);
    this.#ended = this.#end();
    // whoever waits hears of it; nobody waiting is no reason to die
    this.#ended.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The exit code, when it has exited and its output is read, or five seconds after its exit. */
  async wait(): Promise<number> {
    const code = await this.#ended;
    await this.#cancelling;
    return code;
  }

  /** SIGINT to this process alone, 7.5 s later SIGTERM, 2.5 s later SIGKILL. */
  cancel(): Promise<void> {
    this.#cancelling ??= this.#cancel();
    return this.#cancelling;
  }

  async #cancel(): Promise<void> {
    if (await this.#endsAfter('SIGINT', interruptTimeoutMs)) return;
    if (await this.#endsAfter('SIGTERM', terminateTimeoutMs)) return;
    this.#signal('SIGKILL');
  }

  async #endsAfter(signal: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
    if (!this.#signal(signal)) return false;
    const controller = new AbortController();
    const late = sleep(timeoutMs, false, { signal: controller.signal }).catch(() => false);
    const ended = await Promise.race([this.#ended.then(() => true), late]);
    controller.abort();
    return ended;
  }

  #signal(signal: NodeJS.Signals): boolean {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return false;
    this.#options.onSignal(signal);
    return this.#child.kill(signal);
  }

  async #end(): Promise<number> {
    const code = await this.#exited;
    const controller = new AbortController();
    await Promise.race([
      this.#streams,
      sleep(drainTimeoutMs, undefined, { signal: controller.signal }).catch(() => undefined),
    ]);
    controller.abort();
    this.#open = false;
    return code;
  }

  /** What still comes after the step's end is read and dropped, as its writers may live on. */
  async #read(stream: Readable | null, take: (line: string) => Promise<void>): Promise<void> {
    if (stream === null) return;
    const lines = new LineReader();
    const takeAll = async (ended: readonly string[]): Promise<void> => {
      for (const line of ended) if (this.#open) await take(line);
    };
    for await (const chunk of stream) await takeAll(lines.read(chunk as Buffer));
    await takeAll(lines.end());
  }
}
