import { z } from 'zod';
import { nameSchema, timestampSchema } from './common.ts';
import { problemSchema } from './problem.ts';

export const buildImageSchema = z.strictObject({
  name: nameSchema,
  recipe: nameSchema.default('default'),
  /** The distribution's suite; the recipe's own when absent. */
  from: z
    .string()
    .regex(/^[a-z][a-z0-9.-]{1,30}$/, 'must be a suite name such as trixie')
    .optional(),
  /** Packages over the recipe's. */
  include: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9.+-]{1,100}$/, 'must be a package name'))
    .max(500)
    .default([]),
  /** PEM certificates the guest trusts besides the distribution's. */
  extraCaCertificates: z.array(z.string().max(1_048_576).includes('-----BEGIN CERTIFICATE-----')).max(100).default([]),
  /** Trust the host's own CA bundle too. */
  hostCaBundle: z.boolean().default(false),
  /** Use the host's pip, npm and apt configuration, without its credentials. */
  hostPackageConfig: z.boolean().default(false),
  /** Build even when nothing changed. */
  rebuild: z.boolean().default(false),
});
export type BuildImageInput = z.input<typeof buildImageSchema>;

export const imageSchema = z.object({
  name: z.string(),
  digest: z.string(),
  suite: z.string(),
  architecture: z.string(),
  include: z.array(z.string()),
  kernelVersion: z.string(),
  diskMiB: z.number().int(),
  storedMiB: z.number(),
  minMemoryMiB: z.number().int(),
  createdAt: timestampSchema,
  /** Restorable shapes that exist now. */
  templates: z.array(z.object({ cpus: z.number(), memoryMiB: z.number(), diskMiB: z.number(), storedMiB: z.number() })),
});
export type ImageInfo = z.infer<typeof imageSchema>;
export const imageListSchema = z.object({ images: z.array(imageSchema) });

/** POST /v1/images answers NDJSON: progress lines, then one `image` or `error`. The build goes on if the client leaves. */
export const buildLineSchema = z.union([
  z.strictObject({
    progress: z.object({ step: z.string(), done: z.number(), total: z.number(), line: z.string().optional() }),
  }),
  z.strictObject({ image: imageSchema }),
  z.strictObject({ error: problemSchema }),
  z.strictObject({}),
]);
export type BuildLine = z.infer<typeof buildLineSchema>;
