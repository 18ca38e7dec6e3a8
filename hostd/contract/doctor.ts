import { z } from 'zod';

/** `warn`: hostd runs, but not as well or not with everything; `fail`: it does not run, or can not do what it is for. */
export const doctorCheckSchema = z.object({
  name: z.string(),
  result: z.enum(['ok', 'warn', 'fail']),
  /** What was found, or why it could not be looked at. */
  found: z.string(),
  /** The command, or else the step, that mends it. */
  mend: z.string().optional(),
});
export type DoctorCheck = z.infer<typeof doctorCheckSchema>;

/** What `offshoot doctor --json` prints. */
export const doctorReportSchema = z.object({
  /** No check failed. */
  ok: z.boolean(),
  version: z.string(),
  /** What sandboxes of this host would be isolated by; null when nothing runs them. */
  isolation: z.object({ tier: z.enum(['kvm', 'emulated']), reason: z.string() }).nullable(),
  checks: z.array(doctorCheckSchema),
});
export type DoctorReport = z.infer<typeof doctorReportSchema>;
