import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { readAction, type ActionDefinition } from './action-definition.ts';
import type {
  Condition,
  Contexts,
  JobRecord,
  JobRequest,
  JobStatus,
  PlannedStep,
  ResolvedStep,
  StepRecord,
  StepRef,
} from './contract.ts';
import type { JobState } from './job-state.ts';
import { killTracked, trackingVariable } from './orphans.ts';
import { SecretMasker } from './secret-masker.ts';
import { StepRun } from './step-run.ts';

/** What a job tells and asks while it runs. */
export interface JobEvents {
  resolve(step: StepRef, contexts: Contexts): Promise<ResolvedStep>;
  started(step: StepRef, pid: number): void;
  line?(step: StepRef, line: string): void;
}

interface Post {
  index: number;
  plan: PlannedStep;
  action: ActionDefinition;
  state: Record<string, string>;
}

/** The steps of a job in order and then their posts in reverse, by the rules of actions/runner src/Runner.Worker/StepsRunner.cs. */
export class StepsRunner {
  readonly #request: JobRequest;
  readonly #events: JobEvents;
  readonly #job: JobState;
  readonly #records: StepRecord[] = [];
  readonly #posts: Post[] = [];
  #status: JobStatus = 'success';
  #cancelled = false;
  #current: { run: StepRun; condition: Condition } | undefined;

  constructor(request: JobRequest, events: JobEvents) {
    this.#request = request;
    this.#events = events;
    const masker = new SecretMasker();
    for (const secret of request.secrets) masker.add(secret);
    this.#job = { request, masker, env: new Map(Object.entries(request.env)), path: [], matchers: [] };
  }

  async run(): Promise<JobRecord> {
    const startedMs = performance.now();
    const { trackingId } = this.#request;
    process.env[trackingVariable] = trackingId;
    await mkdir(path.join(this.#request.temp, 'logs'), { recursive: true });
    for (const [index, plan] of this.#request.steps.entries()) await this.#main(index, plan);
    for (let post = this.#posts.pop(); post !== undefined; post = this.#posts.pop()) await this.#post(post);
    const orphans = await killTracked(trackingId);
    return { status: this.#status, steps: this.#records, orphans, durationMs: performance.now() - startedMs };
  }

  /** The job's cancellation: the running step is cancelled unless its condition still holds. */
  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#status = 'cancelled';
    if (this.#current !== undefined && !this.#holds(this.#current.condition)) this.#current.run.cancel();
  }

  async #main(index: number, plan: PlannedStep): Promise<void> {
    const ref: StepRef = { index, id: plan.id, stage: 'main' };
    await this.#step(ref, plan, plan.condition, {}, async (state) => {
      if (plan.uses === undefined) return undefined;
      const action = await readAction(path.resolve(this.#request.workspace, plan.uses));
      // registered before it runs: a main that fails, times out or is cancelled has a post all the same
      if (action.post !== undefined) this.#posts.push({ index, plan, action, state });
      return action;
    });
  }

  async #post({ index, plan, action, state }: Post): Promise<void> {
    const ref: StepRef = { index, id: plan.id, stage: 'post' };
    const named = { ...plan, name: `Post ${plan.name}`, timeoutMinutes: undefined, continueOnError: false };
    await this.#step(ref, named, action.postCondition, state, () => Promise.resolve(action));
  }

  async #step(
    ref: StepRef,
    plan: Omit<PlannedStep, 'timeoutMinutes'> & { timeoutMinutes?: number | undefined },
    condition: Condition,
    state: Record<string, string>,
    load: (state: Record<string, string>) => Promise<ActionDefinition | undefined>,
  ): Promise<void> {
    const run = new StepRun(this.#job, ref, plan, state, this.#events);
    if (!this.#holds(condition)) {
      this.#records.push(run.finish('skipped'));
      return;
    }
    this.#current = { run, condition };
    const outcome = await run.run(load, () => this.#events.resolve(ref, this.#contexts()));
    this.#current = undefined;
    if (outcome === 'failure' && this.#status === 'success' && !plan.continueOnError) this.#status = 'failure';
    this.#records.push(run.finish(outcome));
  }

  #holds(condition: Condition): boolean {
    switch (condition) {
      case 'always()':
        return true;
      case 'success()':
        return this.#status === 'success';
      case 'failure()':
        return this.#status === 'failure';
      case 'cancelled()':
        return this.#status === 'cancelled';
      case '!cancelled()':
        return this.#status !== 'cancelled';
    }
  }

  #contexts(): Contexts {
    const steps = this.#records
      .filter(({ stage }) => stage === 'main')
      .map(({ id, outputs, outcome }) => [id, { outputs, outcome }] as const);
    return { steps: Object.fromEntries(steps), jobStatus: this.#status };
  }
}
