import { z } from 'zod';

/** What the test's process and the runner's process tell each other, as lines of JSON, and what a job gives back. */

const values = z.record(z.string(), z.string());

/** When a step runs. As on the real runner a condition without a status function means success() as well; only these are known here. */
export const conditionSchema = z.enum(['success()', 'failure()', 'always()', 'cancelled()', '!cancelled()']);
export type Condition = z.infer<typeof conditionSchema>;

const jobStatusSchema = z.enum(['success', 'failure', 'cancelled']);
export type JobStatus = z.infer<typeof jobStatusSchema>;

/** A step without its `with`, `env` and `run`: those may depend on earlier steps, the test resolves them right before the step. */
const plannedStepSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The folder of an action, absolute or relative to the workspace. */
  uses: z.string().optional(),
  shell: z.string().optional(),
  workingDirectory: z.string().optional(),
  condition: conditionSchema,
  timeoutMinutes: z.number().positive().optional(),
  continueOnError: z.boolean(),
});
export type PlannedStep = z.infer<typeof plannedStepSchema>;

export const resolvedStepSchema = z.object({ with: values, env: values, run: z.string() });
export type ResolvedStep = z.infer<typeof resolvedStepSchema>;

export const contextsSchema = z.object({
  steps: z.record(z.string(), z.object({ outputs: values, outcome: z.string() })),
  jobStatus: jobStatusSchema,
});
/** What expressions of a step could ask. */
export type Contexts = z.infer<typeof contextsSchema>;

export const jobRequestSchema = z.object({
  steps: z.array(plannedStepSchema),
  env: values,
  workspace: z.string(),
  /** The runner's `_work/_temp`: RUNNER_TEMP, scripts, file commands, logs. */
  temp: z.string(),
  secrets: z.array(z.string()),
  /** The github context by the names of the context: `event_name`, `repository` ... */
  github: values,
  /** The payload that GITHUB_EVENT_PATH holds. */
  event: z.unknown(),
  /** Variables only actions get: ACTIONS_RUNTIME_TOKEN, ACTIONS_RESULTS_URL ... */
  actionsRuntime: values,
  nodePath: z.string(),
  /** What every process of the job has as RUNNER_TRACKING_ID. */
  trackingId: z.string(),
  /** Step debug logging. */
  debug: z.boolean(),
  forwardLines: z.boolean(),
});
export type JobRequest = z.infer<typeof jobRequestSchema>;

const annotationSchema = z.object({
  level: z.enum(['error', 'warning', 'notice']),
  message: z.string(),
  properties: values,
});
export type Annotation = z.infer<typeof annotationSchema>;

const commandSchema = z.object({
  /** `colons` is `::name key=value::data`, `brackets` is `##[name key=value;]data`. */
  syntax: z.enum(['colons', 'brackets']),
  name: z.string(),
  properties: values,
  data: z.string(),
});
export type Command = z.infer<typeof commandSchema>;

export const stepResultSchema = z.object({
  id: z.string(),
  name: z.string(),
  stage: z.enum(['main', 'post']),
  outcome: z.enum(['success', 'failure', 'cancelled', 'skipped']),
  /** 128 plus the signal's number when it was killed; null when nothing was started. */
  exitCode: z.number().nullable(),
  outputs: values,
  state: values,
  /** At most ten of a level, as a check run shows them. */
  annotations: z.array(annotationSchema),
  /** Annotations over ten of a level: in the log only. */
  droppedAnnotations: z.number(),
  /** Commands that had their effect, in order; stop and resume among them. */
  commands: z.array(commandSchema),
  /** Lines that would have been commands but for stop-commands. */
  stoppedCommands: z.number(),
  /** Masked, as it would be shown. */
  summary: z.string().nullable(),
  env: values,
  path: z.array(z.string()),
  /** Signals the runner sent it, with milliseconds since the step began. */
  signals: z.array(z.object({ signal: z.string(), atMs: z.number() })),
  durationMs: z.number(),
  /** The masked log, a line each. */
  logFile: z.string(),
});
export type StepRecord = z.infer<typeof stepResultSchema>;

export const jobRecordSchema = z.object({
  status: jobStatusSchema,
  steps: z.array(stepResultSchema),
  /** Command lines of processes of the job that outlived its steps and were killed at its end. */
  orphans: z.array(z.string()),
  durationMs: z.number(),
});
export type JobRecord = z.infer<typeof jobRecordSchema>;

export const stepRefSchema = z.object({ index: z.number(), id: z.string(), stage: z.enum(['main', 'post']) });
export type StepRef = z.infer<typeof stepRefSchema>;

export const fromRunnerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('resolve'), step: stepRefSchema, contexts: contextsSchema }),
  z.object({ type: z.literal('started'), step: stepRefSchema, pid: z.number() }),
  z.object({ type: z.literal('line'), step: stepRefSchema, line: z.string() }),
  z.object({ type: z.literal('finished'), job: jobRecordSchema }),
  z.object({ type: z.literal('broken'), message: z.string() }),
]);
export type FromRunner = z.infer<typeof fromRunnerSchema>;

export const toRunnerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), job: jobRequestSchema }),
  z.object({ type: z.literal('resolved'), step: resolvedStepSchema }),
  z.object({ type: z.literal('unresolved'), message: z.string() }),
  z.object({ type: z.literal('cancel') }),
]);
export type ToRunner = z.infer<typeof toRunnerSchema>;
