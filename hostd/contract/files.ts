import { z } from 'zod';
import { querySwitchSchema } from './common.ts';

const pathSchema = z
  .string()
  .min(1)
  .max(4096)
  .refine((value) => !value.includes('\0'), 'must not contain NUL');

/** GET (bytes of a file) and PUT (write a file) /v1/sandboxes/{id}/files?path= */
export const fileQuerySchema = z.object({ path: pathSchema });
export const writeFileQuerySchema = fileQuerySchema.extend({
  mode: z
    .string()
    .regex(/^0?[0-7]{1,4}$/, 'must be octal')
    .transform((value) => Number.parseInt(value, 8))
    .optional(),
});
/** GET .../files/list?path=&recursive=1, GET .../files/stat?path= */
export const listFilesQuerySchema = fileQuerySchema.extend({
  recursive: querySwitchSchema,
});
const globsSchema = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (Array.isArray(value) ? value : [value]))
  .default([]);
/** PUT .../files/archive?path=&owner=0:0 (tar in), GET .../files/archive?path=&include=...&exclude=... (tar out) */
export const extractQuerySchema = fileQuerySchema.extend({
  owner: z
    .string()
    .regex(/^\d{1,10}:\d{1,10}$/, 'must be uid:gid')
    .optional(),
});
export const archiveQuerySchema = fileQuerySchema.extend({
  include: globsSchema,
  exclude: globsSchema,
  sparse: querySwitchSchema,
});

export const fileEntrySchema = z.object({
  name: z.string(),
  type: z.enum(['file', 'directory', 'symlink', 'fifo', 'socket', 'char-device', 'block-device']),
  sizeBytes: z.number(),
  mode: z.number().int(),
  uid: z.number().int(),
  gid: z.number().int(),
  mtimeMs: z.number(),
  target: z.string().optional(),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;
export const fileListSchema = z.object({ entries: z.array(fileEntrySchema) });
export const writeResultSchema = z.object({ sizeBytes: z.number() });
export const extractResultSchema = z.object({ entries: z.number(), bytes: z.number(), skipped: z.number() });
