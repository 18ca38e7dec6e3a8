import { z } from 'zod';
import { egressPolicyInfoSchema, egressPolicySchema } from './egress.ts';
import { envSchema, labelsSchema, nameSchema, querySwitchSchema, sandboxIdSchema, timestampSchema } from './common.ts';

export const sandboxStates = ['queued', 'creating', 'running', 'paused', 'stopping', 'gone'] as const;
export const sandboxStateSchema = z.enum(sandboxStates);
export type SandboxState = z.infer<typeof sandboxStateSchema>;

/** Why a sandbox ended. */
export const endReasons = [
  'stopped',
  'lease-expired',
  'create-failed',
  'guest-panicked',
  'guest-shutdown',
  'guest-protocol',
  'vmm-crashed',
  'vmm-killed',
  'host-rebooted',
  'lost',
] as const;
export const endReasonSchema = z.enum(endReasons);
export type EndReason = z.infer<typeof endReasonSchema>;

export const createSandboxSchema = z
  .strictObject({
    /** Chosen by the client to make create idempotent; generated when absent. */
    id: sandboxIdSchema.optional(),
    /** Default: the image `default`. Not together with `snapshot`, which has its own, like cpus, memoryMiB and diskMiB. */
    image: nameSchema.optional(),
    /** Default 1. */
    cpus: z.number().int().min(1).max(64).optional(),
    /** Rounded up to the next shape. Default 512. */
    memoryMiB: z.number().int().min(1).max(1_048_576).optional(),
    /** Default 8192. */
    diskMiB: z.number().int().min(1).max(16_777_216).optional(),
    /** Start as a copy of this snapshot instead of from an image. */
    snapshot: nameSchema.optional(),
    /** Boot cold from the snapshot's disk alone, without its memory and processes: also where it can not be restored. */
    bootDisk: z.boolean().default(false),
    /** The lease: the sandbox is destroyed this long after its creation or last renewal. */
    timeoutSeconds: z.number().int().min(1).max(604_800).default(3600),
    labels: labelsSchema.default({}),
    /** Default environment of every exec. */
    env: envSchema.default({}),
    /** Absent: the snapshot's, or else the host's default. */
    egress: egressPolicySchema.optional(),
    /** How long to wait for room; 0 fails at once with capacity-exhausted. */
    waitSeconds: z.number().int().min(0).max(86_400).default(0),
  })
  .superRefine((request, context) => {
    if (request.snapshot === undefined && request.bootDisk) {
      context.addIssue({ code: 'custom', path: ['bootDisk'], message: 'needs snapshot' });
    }
    if (request.snapshot === undefined) return;
    for (const field of ['image', 'cpus', 'memoryMiB', 'diskMiB'] as const) {
      if (request[field] === undefined) continue;
      context.addIssue({
        code: 'custom',
        path: [field],
        message: 'can not be given together with snapshot, which has its own',
      });
    }
  });
/** A create request with its defaults filled in. */
export type CreateSandbox = z.infer<typeof createSandboxSchema>;
/** What a client sends. */
export type CreateSandboxInput = z.input<typeof createSandboxSchema>;

export const usageSchema = z.object({ wallSeconds: z.number(), cpuSeconds: z.number(), peakMemoryMiB: z.number() });

export const sandboxSchema = z.object({
  id: sandboxIdSchema,
  state: sandboxStateSchema,
  image: z.string(),
  /** The snapshot it was created from. */
  snapshot: z.string().nullable(),
  /** The sandbox it was forked from. */
  forkedFrom: sandboxIdSchema.nullable(),
  /** 1 for a fresh one, one more for each fork on the way to it. */
  generation: z.number().int(),
  /** While it is paused: since when, and whether its memory is on disk already and its process gone. */
  paused: z.object({ since: timestampSchema, hibernated: z.boolean() }).nullable(),
  labels: z.record(z.string(), z.string()),
  cpus: z.number().int(),
  /** The shape it really has. */
  memoryMiB: z.number().int(),
  diskMiB: z.number().int(),
  egress: egressPolicyInfoSchema,
  isolation: z.object({ tier: z.enum(['kvm', 'emulated']), reason: z.string() }),
  timeoutSeconds: z.number().int(),
  createdAt: timestampSchema,
  startedAt: timestampSchema.nullable(),
  expiresAt: timestampSchema,
  endedAt: timestampSchema.nullable(),
  end: z.object({ reason: endReasonSchema, message: z.string() }).nullable(),
  usage: usageSchema,
  /** Milliseconds since the request was accepted: until it left the queue, its VMM was started, its guest answered. */
  timings: z.object({ queuedMs: z.number(), startedMs: z.number().nullable(), readyMs: z.number().nullable() }),
});
export type SandboxInfo = z.infer<typeof sandboxSchema>;

export const sandboxListSchema = z.object({ sandboxes: z.array(sandboxSchema) });

/** GET /v1/sandboxes?label=k=v&label=k2=v2&all=1 */
export const listSandboxesQuerySchema = z.object({
  label: z
    .union([z.string(), z.array(z.string())])
    .transform((value) => (Array.isArray(value) ? value : [value]))
    .pipe(z.array(z.string().regex(/^[^=]+=/, 'must be key=value')))
    .default([]),
  all: querySwitchSchema,
});

export const renewSchema = z.strictObject({
  /** From now. Never shortens a lease unless `shorten` says so. */
  timeoutSeconds: z.number().int().min(1).max(604_800),
  shorten: z.boolean().default(false),
});
/** POST /v1/sandboxes/{id}/pause */
export const pauseSchema = z.strictObject({
  /** When its memory goes to disk and its process ends; default: the host's `hibernateAfterSeconds`. 0 is at once: the answer comes when it is done. */
  hibernateAfterSeconds: z.number().int().min(0).max(604_800).optional(),
});
export type PauseInput = z.input<typeof pauseSchema>;
export type RenewInput = z.input<typeof renewSchema>;
