import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fromRunnerSchema, type FromRunner, type JobRequest, type StepRef, type ToRunner } from './contract.ts';
import { JobResult, planStep, resolveStep, type Job } from './job.ts';
import { killTracked } from './orphans.ts';

export interface RunnerOptions {
  /** The checked-out repository; without it an empty folder of the runner's own. */
  workspace?: string;
  /** All variables of the machine: what /proc/PPID/environ shows to a step. */
  machineEnv?: Record<string, string>;
  /** The github context by its own names, over defaults of a push. */
  github?: Record<string, string>;
  /** The webhook's payload. */
  event?: unknown;
  secrets?: readonly string[];
  /** Variables only actions get: ACTIONS_RUNTIME_TOKEN, ACTIONS_RESULTS_URL ... */
  actionsRuntime?: Record<string, string>;
  /** The node of actions; default the one that runs the test. */
  nodePath?: string;
  debug?: boolean;
}

export interface JobHooks {
  /** Every line of the log as it comes. */
  onLine?: (step: StepRef, line: string) => void;
  /** A step's process was started. */
  onStarted?: (step: StepRef, pid: number) => void;
}

/** The runner's process was killed in the middle of a job. */
export class RunnerDied extends Error {}

/**
 * A runner as GitHub's, emulated: it runs jobs of actions and scripts by the rules of github.com/actions/runner (read in 2026 at commit
 * 258d6c85) in a process of its own, which is the parent of every step. It has no containers, no composite actions and no expressions:
 * where a workflow has `${{ }}` a test has a function.
 */
export class Runner {
  readonly workspace: string;
  readonly #folder: string;
  readonly #options: RunnerOptions;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  readonly #trackingIds: string[] = [];
  #errors = '';
  #hear: ((message: FromRunner) => void) | undefined;

  private constructor(folder: string, workspace: string, options: RunnerOptions) {
    this.#folder = folder;
    this.workspace = workspace;
    this.#options = options;
    const machine = { PATH: process.env['PATH'] ?? '', HOME: folder, LANG: 'C.UTF-8', USER: 'runner' };
    const worker = path.join(import.meta.dirname, 'worker.ts');
    this.#child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', worker], {
      env: options.machineEnv ?? machine,
      cwd: folder,
    });
    this.#exited = new Promise((resolve) =>
      this.#child.once('exit', () => {
        resolve();
      }),
    );
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-8000);
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#hear?.(fromRunnerSchema.parse(JSON.parse(line)));
    });
  }

  static async start(options: RunnerOptions = {}): Promise<Runner> {
    const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-runner-'));
    const workspace = options.workspace ?? path.join(folder, 'work', 'project', 'project');
    await mkdir(workspace, { recursive: true });
    return new Runner(folder, workspace, options);
  }

  /** The pid of the process that is the parent of every step. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Runs a job to its end, posts included. Fails with RunnerDied when the runner was killed. */
  async run(job: Job, hooks: JobHooks = {}): Promise<JobResult> {
    const request = await this.#request(job, hooks);
    const finished = new Promise<JobResult>((resolve, reject) => {
      this.#hear = (message) => {
        if (message.type === 'finished') resolve(new JobResult(message.job));
        else if (message.type === 'broken') reject(new Error(message.message));
        else this.#follow(job, hooks, message);
      };
    });
    const died = this.#exited.then(() => {
      throw new RunnerDied(`the runner ended in the middle of a job\n${this.#errors}`);
    });
    this.#tell({ type: 'run', job: request });
    return Promise.race([finished, died]);
  }

  /** Cancels the job as the button in the web interface does. */
  cancel(): void {
    this.#tell({ type: 'cancel' });
  }

  /** The runner dies at once and runs nothing more; the running step's process lives on, without a parent and without readers. */
  async killMinus9(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Ends the runner and whatever of its jobs still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.killMinus9();
    for (const id of this.#trackingIds) await killTracked(id);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #follow(job: Job, { onLine, onStarted }: JobHooks, message: FromRunner): void {
    if (message.type === 'line') onLine?.(message.step, message.line);
    else if (message.type === 'started') onStarted?.(message.step, message.pid);
    else if (message.type === 'resolve') {
      const step = job.steps[message.step.index];
      try {
        if (step === undefined) throw new Error(`the job has no step ${String(message.step.index)}`);
        this.#tell({ type: 'resolved', step: resolveStep(step, message.contexts) });
      } catch (error) {
        this.#tell({ type: 'unresolved', message: error instanceof Error ? error.message : String(error) });
      }
    }
  }

  async #request(job: Job, hooks: JobHooks): Promise<JobRequest> {
    const { event = {}, secrets = [], actionsRuntime = {}, nodePath = process.execPath, debug = false } = this.#options;
    const trackingId = `github_${randomUUID()}`;
    this.#trackingIds.push(trackingId);
    // one _temp a job: the real runner empties it before each
    const temp = path.join(this.#folder, 'work', String(this.#trackingIds.length), '_temp');
    await mkdir(path.join(temp, '_github_workflow'), { recursive: true });
    const eventPath = path.join(temp, '_github_workflow', 'event.json');
    await writeFile(eventPath, JSON.stringify(event));
    return {
      steps: job.steps.map(planStep),
      env: job.env ?? {},
      github: { ...pushContext(this.workspace), event_path: eventPath, ...this.#options.github },
      ...{ workspace: this.workspace, temp, event, secrets: [...secrets], actionsRuntime, nodePath, debug, trackingId },
      forwardLines: hooks.onLine !== undefined,
    };
  }

  #tell(message: ToRunner): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

function pushContext(workspace: string): Record<string, string> {
  return {
    ...{
      actor: 'octocat',
      actor_id: '1',
      triggering_actor: 'octocat',
      event_name: 'push',
      job: 'test',
      workflow: 'test',
    },
    ...{ repository: 'octo/project', repository_id: '2', repository_owner: 'octo', repository_owner_id: '3' },
    ...{
      ref: 'refs/heads/main',
      ref_name: 'main',
      ref_type: 'branch',
      ref_protected: 'false',
      head_ref: '',
      base_ref: '',
    },
    ...{ sha: '0123456789abcdef0123456789abcdef01234567', run_id: '4', run_number: '5', run_attempt: '1' },
    ...{ server_url: 'https://github.com', api_url: 'https://api.github.com', retention_days: '90', workspace },
    workflow_ref: 'octo/project/.github/workflows/test.yml@refs/heads/main',
    workflow_sha: '0123456789abcdef0123456789abcdef01234567',
  };
}
