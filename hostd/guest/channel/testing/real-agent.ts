import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '../../../..');
const agentPath = join(root, 'build/agent/offshoot-agent');

/** Builds the agent when its sources are newer. Fails, and says what to install, where there is no compiler. */
export function buildAgent(): void {
  for (const tool of ['make', 'gcc', 'musl-gcc'])
    if (!onPath(tool))
      throw new Error(
        `${tool} is not installed, so the agent can not be built. Install it: apt-get install make gcc musl-tools`,
      );
  mkdirSync(join(root, 'build/agent'), { recursive: true });
  const lock = join(root, 'build/agent/.lock');
  execFileSync('flock', [lock, 'make', '-s', '-C', join(root, 'hostd/guest/agent')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

function onPath(tool: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, tool));
      return true;
    } catch {
      return false;
    }
  });
}

/** A running agent that serves a unix socket. Its streams outlive the connections. */
export class RealAgent {
  readonly socketPath: string;
  readonly workspace: string;
  readonly identityFolder: string;
  readonly #process: ChildProcess;

  constructor(folder: string) {
    this.socketPath = join(folder, 'real.sock');
    this.workspace = join(folder, 'workspace');
    this.identityFolder = join(folder, 'identity');
    mkdirSync(this.workspace);
    mkdirSync(this.identityFolder);
    const options = ['--socket', this.socketPath, '--workspace', this.workspace, '--dry-identity', this.identityFolder];
    this.#process = spawn(agentPath, options, { stdio: ['ignore', 'inherit', 'inherit'] });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  async ready(): Promise<this> {
    while (!existsSync(this.socketPath)) {
      if (this.#process.exitCode !== null) throw new Error('the agent ended before it listened');
      await sleep(2);
    }
    return this;
  }

  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await exited;
  }
}
