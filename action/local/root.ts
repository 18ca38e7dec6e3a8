import path from 'node:path';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { systemRunner, type Runner, type RunOptions, type RunResult } from '../../hostd/platform/run.ts';

/** Variables that say how this machine reaches packages; nothing else of the step's environment, tokens above all, reaches root. */
const carried =
  /^(https?_proxy|all_proxy|no_proxy|ssl_cert_file|ssl_cert_dir|node_extra_ca_certs|curl_ca_bundle|requests_ca_bundle|pip_.*|npm_config_.*|lang|lc_all|tz)$/i;

/** Runs programs as root: with sudo, or as they are when the runner is root already. */
export class Root {
  readonly #runner: Runner;
  readonly #uid: number;
  readonly #env: NodeJS.ProcessEnv;

  constructor(
    runner: Runner = systemRunner,
    uid: number = process.getuid?.() ?? 0,
    env: NodeJS.ProcessEnv = process.env,
  ) {
    this.#runner = runner;
    this.#uid = uid;
    this.#env = env;
  }

  /** Throws `local-host-failed` unless this user may become root without a password. */
  async check(): Promise<void> {
    if (this.#uid === 0) return;
    const { code, stderr } = await this.#start('sudo', ['-n', 'true'], { timeoutMs: 15_000 });
    if (code === 0) return;
    throw new OffshootError('local-host-failed', {
      message: `host: local needs root, and sudo does not give it without a password here: ${lastLine(stderr)}`,
      hint: 'Let the runner user sudo without a password, or use host: unix:PATH with a hostd that this machine runs.',
    });
  }

  /** The words to start a program as root with, and the environment to start them in. */
  command(command: string, args: readonly string[] = []): { argv: [string, ...string[]]; env: NodeJS.ProcessEnv } {
    const searchPath = `PATH=${rootSearchPath(this.#env['PATH'])}`;
    const names = Object.keys(this.#env).filter((name) => carried.test(name));
    if (this.#uid !== 0) {
      // sudo sets a PATH of its own; env(1) behind it has the last word
      const keep = names.length === 0 ? [] : [`--preserve-env=${names.join(',')}`];
      return { argv: ['sudo', '-n', ...keep, '--', 'env', searchPath, command, ...args], env: this.#env };
    }
    const env = Object.fromEntries(names.map((name) => [name, this.#env[name]]));
    return { argv: ['env', searchPath, command, ...args], env: { ...env, HOME: this.#env['HOME'] ?? '/root' } };
  }

  /** Never rejects, but for an aborted signal: why it could not be started or ran out of time is in `stderr`, with no exit code. */
  run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const { argv, env } = this.command(command, args);
    const [first, ...rest] = argv;
    return this.#start(first, rest, { ...options, env: { PATH: this.#env['PATH'], ...env } });
  }

  /** Throws `local-host-failed` with what the program said unless it succeeds. `what` begins the message. */
  async mustRun(what: string, command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const result = await this.run(command, args, options);
    if (result.code === 0) return result;
    throw new OffshootError('local-host-failed', {
      message: `${what} failed: ${lastLine(result.stderr) || lastLine(result.stdout) || `exit code ${String(result.code)}`}`,
    });
  }

  async #start(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
    try {
      return await this.#runner.run(command, args, options);
    } catch (error) {
      if (options.signal?.aborted === true) throw options.signal.reason;
      return { code: null, signal: null, stdout: '', stderr: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** System programs lie where a user's PATH may not lead; the runner's own node has an npm beside it, which image builds need. */
export function rootSearchPath(given: string | undefined): string {
  const folders = (given ?? '/usr/local/bin:/usr/bin:/bin').split(':').filter((folder) => folder.startsWith('/'));
  const added = [
    '/usr/local/sbin',
    '/usr/sbin',
    '/sbin',
    '/usr/local/bin',
    '/usr/bin',
    '/bin',
    path.dirname(process.execPath),
  ];
  return [...new Set([...folders, ...added])].join(':');
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 600) ?? '';
}
