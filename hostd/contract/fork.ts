import { z } from 'zod';
import { forkIdSchema, labelsSchema, nameSchema, sandboxIdSchema } from './common.ts';
import { egressPolicySchema } from './egress.ts';
import { sandboxSchema } from './sandbox.ts';
import { snapshotSchema } from './snapshot.ts';

/** POST /v1/sandboxes/{id}/fork */
export const forkSchema = z.strictObject({
  /** Chosen by the client so that it can cancel; generated when absent. */
  id: forkIdSchema.optional(),
  count: z.number().int().min(1).max(100).default(1),
  /** Over the source's own. */
  labels: labelsSchema.default({}),
  /** Absent: the source's. */
  egress: egressPolicySchema.optional(),
  /** The lease of each copy; absent: as long as the source's was given. */
  timeoutSeconds: z.number().int().min(1).max(604_800).optional(),
  /** Keep what the copies start from as a snapshot of this name (true: a generated one). */
  keepSnapshot: z.union([z.boolean(), nameSchema]).default(false),
});
/** A fork request with its defaults filled in. */
export type ForkSandbox = z.infer<typeof forkSchema>;
export type ForkInput = z.input<typeof forkSchema>;

export const forkResultSchema = z.object({
  id: forkIdSchema,
  /** The copies, in order. */
  sandboxes: z.array(sandboxSchema),
  snapshot: snapshotSchema.nullable(),
  /** How long the source stood still, and how its memory was duplicated. */
  pausedMs: z.number(),
  method: z.enum(['clone', 'copy']),
});
export type ForkResult = z.infer<typeof forkResultSchema>;

/** `details` of fork-failed and fork-cancelled. */
export const forkFailureDetailsSchema = z.object({
  /** Copies that run and go on running, in order. */
  startedSandboxIds: z.array(sandboxIdSchema),
  failures: z.array(
    z.object({ index: z.number().int(), sandboxId: z.string(), code: z.string(), message: z.string() }),
  ),
  /** The name under which was kept what the copies start from. */
  snapshot: z.string().optional(),
});
export type ForkFailureDetails = z.infer<typeof forkFailureDetailsSchema>;
