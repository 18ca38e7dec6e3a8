import { z } from 'zod';

/** application/problem+json (RFC 9457) with Offshoot's code, hint, retryable and details. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
  hint: z.string(),
  retryable: z.boolean(),
  details: z.record(z.string(), z.unknown()),
  requestId: z.string().optional(),
});
export type Problem = z.infer<typeof problemSchema>;
