import { z } from 'zod';
import { nameSchema, sandboxIdSchema, timestampSchema } from './common.ts';
import { egressPolicyInfoSchema } from './egress.ts';

/** POST /v1/sandboxes/{id}/snapshot */
export const createSnapshotSchema = z.strictObject({
  name: nameSchema,
  /** Removed after this many days; absent: kept until it is removed by hand. */
  retentionDays: z.number().min(0.001).max(3650).optional(),
});
export type CreateSnapshot = z.infer<typeof createSnapshotSchema>;
export type CreateSnapshotInput = z.input<typeof createSnapshotSchema>;

export const snapshotSchema = z.object({
  name: nameSchema,
  /** The sandbox it was taken of. */
  sandboxId: sandboxIdSchema,
  image: z.string(),
  cpus: z.number().int(),
  memoryMiB: z.number().int(),
  diskMiB: z.number().int(),
  /** What a sandbox created from it may reach unless told otherwise. */
  egress: egressPolicyInfoSchema.omit({ revision: true }),
  createdAt: timestampSchema,
  expiresAt: timestampSchema.nullable(),
  /** What it takes on disk. */
  storedMiB: z.number(),
  /** What it was made with. */
  vmm: z.object({
    name: z.string(),
    version: z.string(),
    machine: z.string(),
    cpuModel: z.string(),
    tier: z.enum(['kvm', 'emulated']),
    agentProtocol: z.number().int(),
  }),
  /** True when environment values were given to the sandbox or its execs: they may be in the memory image. */
  hasEnvValues: z.boolean(),
  /** Whether this host can restore its memory now; if not, why. Its disk can be booted either way. */
  restorable: z.object({ ok: z.boolean(), reason: z.string() }),
  /** Live sandboxes that were created from it. */
  usedBy: z.array(sandboxIdSchema),
});
export type SnapshotInfo = z.infer<typeof snapshotSchema>;
export const snapshotListSchema = z.object({ snapshots: z.array(snapshotSchema) });
