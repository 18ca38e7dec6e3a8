import { z } from 'zod';

/** The header of requests that may be sent again without being done again. */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters without spaces')
    .optional(),
});

/** The key as an option of the host's services. */
export function idempotencyOf(headers: z.output<typeof idempotencyHeaders>): { idempotencyKey?: string } {
  const idempotencyKey = headers['idempotency-key'];
  return idempotencyKey === undefined ? {} : { idempotencyKey };
}
