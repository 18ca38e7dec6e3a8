import { readFileSync } from 'node:fs';
import type { Condition, Contexts, JobRecord, JobStatus, PlannedStep, ResolvedStep, StepRecord } from './contract.ts';

/** A job as a test writes it and what came of it. */

/** Values, or how to make them from what earlier steps gave. */
export type Values = Record<string, string> | ((contexts: Contexts) => Record<string, string>);

interface AnyStep {
  id?: string;
  name?: string;
  env?: Values;
  /** Default `success()`. */
  if?: Condition;
  /** May be a fraction. */
  timeoutMinutes?: number;
  continueOnError?: boolean;
}

export interface ActionStep extends AnyStep {
  /** The action's folder, absolute or relative to the workspace. */
  uses: string;
  with?: Values;
}

export interface ScriptStep extends AnyStep {
  run: string | ((contexts: Contexts) => string);
  /** `bash`, `sh`, `python` or a command line with `{0}`; without it `bash -e {0}`, as on the real runner. */
  shell?: string;
  workingDirectory?: string;
}

export type Step = ActionStep | ScriptStep;

export interface Job {
  env?: Record<string, string>;
  steps: readonly Step[];
}

export function planStep(step: Step, index: number): PlannedStep {
  const id = step.id ?? `__${String(index + 1)}`;
  return {
    id,
    name: step.name ?? id,
    condition: step.if ?? 'success()',
    continueOnError: step.continueOnError ?? false,
    ...(step.timeoutMinutes !== undefined && { timeoutMinutes: step.timeoutMinutes }),
    ...('uses' in step && { uses: step.uses }),
    ...('run' in step && step.shell !== undefined && { shell: step.shell }),
    ...('run' in step && step.workingDirectory !== undefined && { workingDirectory: step.workingDirectory }),
  };
}

export function resolveStep(step: Step, contexts: Contexts): ResolvedStep {
  return {
    env: valuesOf(step.env, contexts),
    with: 'uses' in step ? valuesOf(step.with, contexts) : {},
    run: 'run' in step ? (typeof step.run === 'string' ? step.run : step.run(contexts)) : '',
  };
}

function valuesOf(values: Values | undefined, contexts: Contexts): Record<string, string> {
  return typeof values === 'function' ? values(contexts) : (values ?? {});
}

/** A step's record with its log; the log's file lives as long as the runner. */
export type StepResult = StepRecord & { readonly log: readonly string[] };

export class JobResult {
  readonly status: JobStatus;
  /** Main steps in order, then posts in the order they ran. */
  readonly steps: readonly StepResult[];
  readonly orphans: readonly string[];
  readonly durationMs: number;

  constructor(record: JobRecord) {
    this.status = record.status;
    this.steps = record.steps.map(withLog);
    this.orphans = record.orphans;
    this.durationMs = record.durationMs;
  }

  /** The main step of this id; throws when there is none. */
  step(id: string): StepResult {
    return this.#find(id, 'main');
  }

  /** The post step of this id; throws when none ran. */
  post(id: string): StepResult {
    return this.#find(id, 'post');
  }

  #find(id: string, stage: StepRecord['stage']): StepResult {
    const found = this.steps.find((step) => step.id === id && step.stage === stage);
    if (found === undefined) throw new Error(`the job has no ${stage} step ${id}`);
    return found;
  }
}

function withLog(record: StepRecord): StepResult {
  let lines: readonly string[] | undefined;
  return {
    ...record,
    get log() {
      lines ??= readFileSync(record.logFile, 'utf8').split('\n').slice(0, -1);
      return lines;
    },
  };
}
