import { z } from 'zod';
import { denialReasonSchema, egressEntrySchema, egressModeSchema } from '../contract/egress.ts';
import { eventTypes } from '../contract/event.ts';
import { execFailureSchema } from '../contract/exec.ts';
import { endReasonSchema, sandboxStateSchema } from '../contract/sandbox.ts';

/** Columns that hold JSON text: parsed and checked on read. */
function json<Shape extends z.ZodType>(shape: Shape) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'not JSON', input: text });
        return z.NEVER;
      }
    })
    .pipe(shape);
}

const flag = z
  .number()
  .int()
  .transform((value) => value !== 0);

/** A sandbox, live or as the tombstone it left. Wall-clock times are milliseconds since 1970 and only for people. */
export const sandboxRowSchema = z.object({
  id: z.string(),
  state: sandboxStateSchema,
  /** Keyed hash of the request: tells a repeated create from another one with the same id. */
  specHash: z.string(),
  image: z.string(),
  imageDigest: z.string(),
  labels: json(z.record(z.string(), z.string())),
  cpus: z.number().int(),
  memoryMiB: z.number().int(),
  diskMiB: z.number().int(),
  egressMode: egressModeSchema,
  /** Its rules, normalised. */
  egressAllow: json(z.array(z.string())),
  /** One more with each change of policy. */
  egressRevision: z.number().int(),
  isolation: json(z.object({ tier: z.enum(['kvm', 'emulated']), reason: z.string() })),
  timeoutSeconds: z.number().int(),
  /** The host's boot in which the monotonic times below mean something. */
  bootId: z.string(),
  leaseDeadlineMs: z.number(),
  acceptedMs: z.number(),
  createdAtMs: z.number(),
  startedAtMs: z.number().nullable(),
  endedAtMs: z.number().nullable(),
  expiresAtMs: z.number(),
  /** Network slot while it has one; its uid follows from it. */
  slot: z.number().int().nullable(),
  /** The template it was restored from. */
  templateId: z.string().nullable(),
  /** The name of the snapshot it was created from. */
  snapshot: z.string().nullable(),
  /** The checkpoint its machine stands on: a fork's, a snapshot's, or its own from when it last was hibernated. */
  checkpointId: z.string().nullable(),
  forkedFrom: z.string().nullable(),
  generation: z.number().int(),
  /** Environment values were given to it, its execs or what it was copied from: its memory may hold them. */
  hasEnvValues: flag,
  /** Wall clock, while it is paused. */
  pausedAtMs: z.number().nullable(),
  /** Monotonic: when a paused one goes to disk. */
  hibernateAtMs: z.number().nullable(),
  /** Its process is gone; the checkpoint has it. */
  hibernated: flag,
  endReason: endReasonSchema.nullable(),
  endMessage: z.string().nullable(),
  wallSeconds: z.number(),
  cpuSeconds: z.number(),
  peakMemoryMiB: z.number(),
  queuedMs: z.number(),
  startedMs: z.number().nullable(),
  readyMs: z.number().nullable(),
  /** Bytes its execs' outputs take on disk; counted when it ends. */
  outputBytes: z.number().int(),
  /** Last console lines of one that ended. */
  consoleTail: z.string(),
});
export type SandboxRow = z.output<typeof sandboxRowSchema>;

export const resourceKinds = [
  'directory',
  'network-slot',
  'vm',
  'template',
  'build-directory',
  'hibernation',
  /** A copy's, until its fork has answered. */
  'fork',
] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** The journal: something outside of the database that exists, half exists or is about to. */
export const resourceRowSchema = z.object({
  /** The sandbox or template it belongs to. */
  owner: z.string(),
  kind: z.enum(resourceKinds),
  name: z.string(),
  detail: json(z.record(z.string(), z.unknown())),
});
export type ResourceRow = z.output<typeof resourceRowSchema>;

export const execRowSchema = z.object({
  sandboxId: z.string(),
  id: z.string(),
  /** Order of starting within the database. */
  sequence: z.number().int(),
  streamId: z.number().int(),
  state: z.enum(['running', 'ended']),
  specHash: z.string(),
  command: z.string(),
  cwd: z.string(),
  user: z.string(),
  pty: flag,
  stdin: flag,
  inputClosed: flag,
  /** The exec timeout; null without one. */
  timeoutMs: z.number().nullable(),
  startedAtMs: z.number(),
  endedAtMs: z.number().nullable(),
  exitCode: z.number().int().nullable(),
  signal: z.string().nullable(),
  timedOut: flag,
  oomKilled: flag,
  failure: json(z.object({ code: execFailureSchema, message: z.string() })).nullable(),
  outputBytes: z.number().int(),
  truncated: flag,
  usage: json(z.object({ userCpuMs: z.number(), systemCpuMs: z.number(), peakMemoryKiB: z.number() })).nullable(),
});
export type ExecRow = z.output<typeof execRowSchema>;

export const eventRowSchema = z.object({
  id: z.number().int(),
  atMs: z.number(),
  type: z.enum(eventTypes),
  sandboxId: z.string().nullable(),
  execId: z.string().nullable(),
  data: json(z.record(z.string(), z.unknown())),
});
export type EventRow = z.output<typeof eventRowSchema>;

/** What a key was used for: the answer (a sandbox's id, or the JSON of what a fork made), or the error it got. */
export const idempotencyRowSchema = z.object({
  key: z.string(),
  requestHash: z.string(),
  answer: z.string().nullable(),
  error: json(
    z.object({ code: z.string(), message: z.string(), hint: z.string(), details: z.record(z.string(), z.unknown()) }),
  ).nullable(),
  createdAtMs: z.number(),
});
export type IdempotencyRow = z.output<typeof idempotencyRowSchema>;

/** What one part counted of one place a sandbox went to, or was kept from. */
export const egressCountRowSchema = z.object({
  sandboxId: z.string(),
  /** The words that name the place and what became of it. */
  key: z.string(),
  /** Who counted, and in which run: totals of one source replace each other, those of several add up. */
  source: z.string(),
  countedBy: z.enum(['resolver', 'proxy', 'filter']),
  /**
   * `cut`: was under way when a change of policy ended it. `failed`: allowed, but it did not work. `usage`: bytes of what passed. `answered`:
   * it was told this address of the name.
   */
  outcome: z.enum(['allowed', 'denied', 'would-deny', 'cut', 'failed', 'usage', 'answered']),
  reason: denialReasonSchema.nullable(),
  name: z.string().nullable(),
  address: z.string().nullable(),
  port: z.number().int().nullable(),
  transport: egressEntrySchema.shape.transport,
  count: z.number(),
  /** To the guest. */
  bytesIn: z.number(),
  bytesOut: z.number(),
  /** Wall clock, as are the last ones. */
  firstMs: z.number(),
  lastMs: z.number(),
  /** The packet filter's own counters at the last look, which begin anew when it forgets a place; 0 of other sources. */
  seenPackets: z.number(),
  seenBytes: z.number(),
});
export type EgressCountRow = z.output<typeof egressCountRowSchema>;

/** How far the reports of a helper were read. */
export const egressCursorRowSchema = z.object({
  helper: z.enum(['resolver', 'proxy']),
  epoch: z.string(),
  seq: z.number().int(),
});
export type EgressCursorRow = z.output<typeof egressCursorRowSchema>;
