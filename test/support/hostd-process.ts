import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostClient } from '../../hostd/client/host-client.ts';
import { Sandbox } from '../../hostd/client/sandbox.ts';

const launcher = path.resolve(import.meta.dirname, '..', '..', 'hostd', 'bin', 'offshoot');

/** Its network is apart from that of a hostd which may serve this machine; machines made ahead would count as left behind. */
const testConfig = { network: { instance: 'test', subnet: '10.84.0.0/16' }, sandboxes: { spares: 0 } };

export interface HostdOptions {
  stateDirectory: string;
  /** Further settings of the configuration file. */
  config?: Record<string, unknown>;
  env?: Record<string, string>;
  /** Words before the command, for example to enter a network namespace. */
  prefix?: readonly string[];
}

/** A real hostd in a process of its own, as users start it; it can be killed and started again on the same state and socket. */
export class HostdProcess {
  readonly #options: HostdOptions;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #log: WriteStream | undefined;
  #tail = '';
  #isOver = false;

  private constructor(options: HostdOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
  }

  static async start(options: HostdOptions): Promise<HostdProcess> {
    // a socket's path has to be short, wherever the checkout lies
    const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-'));
    await mkdir(options.stateDirectory, { recursive: true });
    const hostd = new HostdProcess(options, folder);
    try {
      await hostd.start();
    } catch (error) {
      // it may be at work on its start yet, on the addresses of those that come after it
      await hostd.kill();
      await hostd[Symbol.asyncDispose]();
      throw error;
    }
    return hostd;
  }

  get host(): string {
    return `unix:${path.join(this.#folder, 'hostd.sock')}`;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get logFile(): string {
    return path.join(this.#options.stateDirectory, 'hostd.log');
  }

  /** The newest output of the daemon, for failure messages. */
  get tail(): string {
    return this.#tail;
  }

  /** Starts it (again) and waits until it answers. With `env` only for this start, for example a fault point. */
  async start(env: Record<string, string> = {}): Promise<void> {
    await this.launch(env);
    await using client = new HostClient({ host: this.host });
    const deadlineMs = performance.now() + 60_000;
    for (;;) {
      if (
        await client.info().then(
          () => true,
          () => false,
        )
      )
        return;
      if (this.#child?.exitCode !== null) throw new Error(`hostd ended before it was ready:\n${this.#tail}`);
      if (performance.now() > deadlineMs) throw new Error(`hostd was not ready in time:\n${this.#tail}`);
      await sleep(25);
    }
  }

  /** Starts it without waiting. */
  async launch(env: Record<string, string> = {}): Promise<void> {
    if (this.#isOver) throw new Error('this hostd is over: a test that ran out of time starts it no more');
    const configFile = path.join(this.#folder, 'config.json');
    await writeFile(configFile, JSON.stringify(this.#config()));
    const [command, ...prefix] = [...(this.#options.prefix ?? []), launcher];
    if (command === undefined) throw new Error('no command');
    const args = ['hostd', '--state', this.#options.stateDirectory, '--listen', this.host, '--config', configFile];
    const child = spawn(command, [...prefix, ...args], {
      env: { ...process.env, ...this.#options.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#log ??= createWriteStream(this.logFile, { flags: 'a' });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.#log?.write(chunk);
        this.#tail = (this.#tail + chunk.toString()).slice(-8000);
      });
    }
    this.#child = child;
  }

  /** Kills it as a crash would; sandboxes live on. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Ends it gracefully; sandboxes live on. Returns its exit code. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** Ends it with all sandboxes of its state, by another one on a socket that nobody knows who would make new ones meanwhile. */
  async endWithSandboxes(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await using last = await HostdProcess.start(this.#options);
    const connection = { host: last.host };
    for (const { id } of await Sandbox.list({ connection })) {
      const sandbox = await Sandbox.connect(id, connection);
      await sandbox.stop();
      await sandbox.disconnect();
    }
  }

  /** Resolves with the exit code when it ends by itself. */
  async exited(): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    return new Promise((resolve) =>
      child.once('exit', (code) => {
        resolve(code);
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.stop();
    this.#log?.end();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #config(): Record<string, unknown> {
    const { config = {} } = this.#options;
    const sandboxes = config['sandboxes'] as Record<string, unknown> | undefined;
    return { ...testConfig, ...config, sandboxes: { ...testConfig.sandboxes, ...sandboxes } };
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const exited = this.exited();
    this.#child?.kill(signal);
    return exited;
  }
}
