import type { Command, JobRequest } from './contract.ts';
import type { MatcherConfig } from './problem-matcher.ts';
import type { SecretMasker } from './secret-masker.ts';
import type { StepLog } from './step-log.ts';

/** What the steps of a job share. */
export interface JobState {
  readonly request: JobRequest;
  readonly masker: SecretMasker;
  /** The job's env and what GITHUB_ENV added. */
  readonly env: Map<string, string>;
  /** What GITHUB_PATH added, the newest last. */
  readonly path: string[];
  matchers: MatcherConfig[];
}

/** What a step gathers while it runs. */
export interface StepState {
  readonly log: StepLog;
  readonly outputs: Record<string, string>;
  /** Shared by the main and the post step of an action. */
  readonly state: Record<string, string>;
  readonly env: Record<string, string>;
  readonly path: string[];
  readonly commands: Command[];
  stoppedCommands: number;
  summary: string | null;
  /** A command or a file of commands was wrong: the step fails whatever its exit code is. */
  commandFailed: boolean;
  /** The step's own env context, which a few commands ask. */
  readonly envContext: Readonly<Record<string, string>>;
}

/** A later `add` of the same path moves it to the front of PATH. */
export function addPath(job: JobState, step: StepState, entry: string): void {
  for (const list of [job.path, step.path]) {
    const known = list.indexOf(entry);
    if (known >= 0) list.splice(known, 1);
    list.push(entry);
  }
}

export function setEnv(job: JobState, step: StepState, name: string, value: string): void {
  job.env.set(name, value);
  step.env[name] = value;
}

/** State names differ not by case. */
export function saveState(step: StepState, name: string, value: string): void {
  const known = Object.keys(step.state).find((key) => key.toLowerCase() === name.toLowerCase());
  step.state[known ?? name] = value;
}
