import { z } from 'zod';

const idBody = '[A-Za-z0-9][A-Za-z0-9_-]{0,63}';

/** Ids are opaque. A client may choose one within this alphabet; generated ones are a prefix and a ULID. */
export const sandboxIdSchema = z
  .string()
  .regex(new RegExp(`^sbx_${idBody}$`), 'must be sbx_ and 1 to 64 letters, digits, - or _');
export const execIdSchema = z
  .string()
  .regex(new RegExp(`^exe_${idBody}$`), 'must be exe_ and 1 to 64 letters, digits, - or _');
export const forkIdSchema = z
  .string()
  .regex(new RegExp(`^frk_${idBody}$`), 'must be frk_ and 1 to 64 letters, digits, - or _');
export const nameSchema = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    'must be 1 to 63 lower-case letters, digits, ., - or _, starting with a letter or digit',
  )
  .refine((name) => !name.includes('..'), 'must not contain ..');

export const labelsSchema = z
  .record(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/, 'label keys are 1 to 63 letters, digits, ., _, / or -'),
    z.string().max(1024, 'label values are at most 1024 characters'),
  )
  .refine((labels) => Object.keys(labels).length <= 64, 'at most 64 labels');

/** Linux takes at most 128 KiB for one argument or environment string. */
export const maxEnvStringBytes = 131_071;

export const envSchema = z
  .record(
    z.string().regex(/^[^=\0]+$/, 'names must not be empty or contain = or NUL'),
    z.string().refine((value) => !value.includes('\0'), 'values must not contain NUL'),
  )
  .superRefine((env, context) => {
    for (const [name, value] of Object.entries(env)) {
      const bytes = Buffer.byteLength(name) + 1 + Buffer.byteLength(value);
      if (bytes <= maxEnvStringBytes) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `is ${String(bytes)} bytes; Linux takes at most ${String(maxEnvStringBytes)} for one variable: send it as a file`,
      });
    }
  });

export const timestampSchema = z.iso.datetime();

/** A whole number in a query string: decimal digits only, so that no empty, hexadecimal or exponent form slips in. */
export const queryIntegerSchema = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value),
  z.number('must be a whole number').int().min(0).max(Number.MAX_SAFE_INTEGER),
);

/** A yes or no in a query string: 1, true, 0 or false; no when absent. */
export const querySwitchSchema = z
  .enum(['0', '1', 'true', 'false'], 'must be 1, true, 0 or false')
  .default('0')
  .transform((value) => value === '1' || value === 'true');
