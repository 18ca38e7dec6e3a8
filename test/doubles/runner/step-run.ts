import path from 'node:path';
import { completeInputs, inputVariables, type ActionDefinition } from './action-definition.ts';
import { CommandProcessor } from './command-processor.ts';
import type { PlannedStep, ResolvedStep, StepRecord, StepRef } from './contract.ts';
import { FileCommands } from './file-commands.ts';
import type { JobState, StepState } from './job-state.ts';
import { OutputLines } from './output-lines.ts';
import { prepareScript } from './shells.ts';
import { stepVariables } from './step-environment.ts';
import { StepLog } from './step-log.ts';
import { StepProcess } from './step-process.ts';
import type { JobEvents } from './steps-runner.ts';

type Outcome = StepRecord['outcome'];
type Plan = Omit<PlannedStep, 'timeoutMinutes'> & { timeoutMinutes?: number | undefined };

/** One step, main or post: its environment, its process, its commands and how it ended. */
export class StepRun {
  readonly #job: JobState;
  readonly #ref: StepRef;
  readonly #plan: Plan;
  readonly #events: JobEvents;
  readonly #step: StepState;
  readonly #logFile: string;
  readonly #startedMs = performance.now();
  readonly #signals: { signal: string; atMs: number }[] = [];
  #process: StepProcess | undefined;
  #exitCode: number | null = null;
  #cancelled = false;
  #timedOut = false;

  constructor(job: JobState, ref: StepRef, plan: Plan, state: Record<string, string>, events: JobEvents) {
    this.#job = job;
    this.#ref = ref;
    this.#plan = plan;
    this.#events = events;
    this.#logFile = path.join(job.request.temp, 'logs', `${String(ref.index)}-${ref.stage}.log`);
    const onLine = events.line && ((line: string) => events.line?.(ref, line));
    const log = new StepLog({ file: this.#logFile, masker: job.masker, debug: job.request.debug, onLine });
    this.#step = {
      ...{ log, state, outputs: {}, env: {}, path: [], commands: [], stoppedCommands: 0, summary: null },
      ...{ commandFailed: false, envContext: {} },
    };
  }

  /** The process gets SIGINT and so on; a step that has none yet starts none. */
  cancel(): void {
    this.#cancelled = true;
    void this.#process?.cancel();
  }

  async run(
    load: (state: Record<string, string>) => Promise<ActionDefinition | undefined>,
    resolve: () => Promise<ResolvedStep>,
  ): Promise<Outcome> {
    const { log } = this.#step;
    const timer = this.#startTimer();
    try {
      const action = await load(this.#step.state);
      const files = await FileCommands.create(this.#job.request.temp);
      try {
        this.#exitCode = await this.#execute(await resolve(), action, files);
      } finally {
        await files.process(this.#job, this.#step);
      }
      if (this.#timedOut) {
        log.error(`The action '${this.#plan.name}' has timed out after ${String(this.#plan.timeoutMinutes)} minutes.`);
        return 'failure';
      }
      if (this.#cancelled) {
        log.error('The operation was canceled.');
        return 'cancelled';
      }
      if (this.#exitCode !== 0 && action === undefined) {
        log.error(`Process completed with exit code ${String(this.#exitCode)}.`);
      }
      return this.#exitCode === 0 && !this.#step.commandFailed ? 'success' : 'failure';
    } catch (error) {
      log.error(error instanceof Error ? error.message : String(error));
      return 'failure';
    } finally {
      clearTimeout(timer);
    }
  }

  finish(outcome: Outcome): StepRecord {
    const { log, state, outputs, env, path: paths, commands, stoppedCommands, summary } = this.#step;
    log.close();
    return {
      ...{ id: this.#ref.id, name: this.#plan.name, stage: this.#ref.stage, outcome, exitCode: this.#exitCode },
      ...{ outputs, state: { ...state }, commands, stoppedCommands, summary, env, path: paths },
      ...{ annotations: log.annotations, droppedAnnotations: log.droppedAnnotations, signals: this.#signals },
      ...{ durationMs: performance.now() - this.#startedMs, logFile: this.#logFile },
    };
  }

  #startTimer(): NodeJS.Timeout | undefined {
    if (this.#plan.timeoutMinutes === undefined) return undefined;
    return setTimeout(() => {
      this.#timedOut = true;
      void this.#process?.cancel();
    }, this.#plan.timeoutMinutes * 60_000);
  }

  async #execute(
    resolved: ResolvedStep,
    action: ActionDefinition | undefined,
    files: FileCommands,
  ): Promise<number | null> {
    const { request } = this.#job;
    const envContext = { ...Object.fromEntries(this.#job.env), ...resolved.env };
    Object.assign(this.#step.envContext, envContext);
    const own =
      action === undefined ? {} : { ...inputVariables(this.#inputs(action, resolved)), ...request.actionsRuntime };
    const variables = stepVariables(this.#job, {
      envContext,
      own: { ...own, ...prefixed('STATE_', this.#step.state) },
      github: { ...files.context, action: this.#plan.id },
    });
    this.#printHead(resolved, action, envContext);
    const { command, args, cwd } = await this.#command(resolved, action, variables);
    if (this.#cancelled || this.#timedOut) return null;
    const commands = new CommandProcessor(this.#job, this.#step);
    const [stdout, stderr] = [1, 2].map(() => new OutputLines(this.#job, this.#step, commands));
    commands.onMatchersChanged = () => {
      stdout?.takeUpMatchers();
      stderr?.takeUpMatchers();
    };
    this.#process = new StepProcess({
      ...{ command, args, cwd, env: variables },
      onStdout: async (line) => stdout?.take(line),
      onStderr: async (line) => stderr?.take(line),
      onSignal: (signal) => this.#signals.push({ signal, atMs: performance.now() - this.#startedMs }),
    });
    if (this.#process.pid !== undefined) this.#events.started(this.#ref, this.#process.pid);
    return this.#process.wait();
  }

  #inputs(action: ActionDefinition, resolved: ResolvedStep): Record<string, string> {
    return completeInputs(action, resolved.with, this.#step.log);
  }

  async #command(resolved: ResolvedStep, action: ActionDefinition | undefined, variables: Record<string, string>) {
    const { request } = this.#job;
    if (action !== undefined) {
      const script = this.#ref.stage === 'main' ? action.main : (action.post ?? action.main);
      return { command: request.nodePath, args: [script], cwd: request.workspace };
    }
    const searchPath = [...this.#job.path].reverse().join(':') + `:${variables['PATH'] ?? process.env['PATH'] ?? ''}`;
    const shell = await prepareScript(resolved.run, this.#plan.shell, request.temp, searchPath);
    return { ...shell, cwd: path.resolve(request.workspace, this.#plan.workingDirectory ?? '') };
  }

  /** What the real runner prints before a step: the script, the inputs, the env block. */
  #printHead(resolved: ResolvedStep, action: ActionDefinition | undefined, env: Record<string, string>): void {
    const { log } = this.#step;
    if (this.#ref.stage === 'post') {
      log.output('Post job cleanup.');
      return;
    }
    log.output(
      `##[group]Run ${action === undefined ? (resolved.run.split('\n', 1)[0] ?? '') : (this.#plan.uses ?? '')}`,
    );
    if (action === undefined) for (const line of resolved.run.split('\n')) log.output(line);
    for (const [title, values] of [
      ['with', resolved.with],
      ['env', env],
    ] as const) {
      const entries = Object.entries(values).filter(([, value]) => value !== '');
      if (entries.length > 0) log.output(`${title}:`);
      for (const [name, value] of entries) log.output(`  ${name}: ${value}`);
    }
    log.output('##[endgroup]');
  }
}

function prefixed(prefix: string, values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));
}
