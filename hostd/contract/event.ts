import { z } from 'zod';
import { queryIntegerSchema, timestampSchema } from './common.ts';

export const eventTypes = [
  'sandbox.queued',
  'sandbox.creating',
  'sandbox.running',
  'sandbox.renewed',
  'sandbox.forked',
  'sandbox.paused',
  'sandbox.hibernated',
  'sandbox.resumed',
  'sandbox.stopping',
  'sandbox.gone',
  'egress.changed',
  'egress.denied',
  'exec.started',
  'exec.ended',
  'image.built',
  'image.removed',
  'snapshot.created',
  'snapshot.removed',
  'template.made',
  'template.dropped',
  'host.started',
  'host.stopping',
  'host.pressure',
  'host.egress-helper',
] as const;

/** One event: GET /v1/events is SSE with `id` as the event id; Last-Event-ID continues after it. */
export const eventSchema = z.object({
  id: z.number().int(),
  at: timestampSchema,
  type: z.enum(eventTypes),
  sandboxId: z.string().optional(),
  execId: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
});
export type OffshootEvent = z.infer<typeof eventSchema>;

/** GET /v1/events?from=ID&follow=1&sandbox=ID: events after `from`; without it a follower gets new ones only, follow=0 all that are kept. */
export const eventsQuerySchema = z.object({
  from: queryIntegerSchema.optional(),
  follow: z
    .enum(['0', '1', 'true', 'false'])
    .default('1')
    .transform((value) => value === '1' || value === 'true'),
  sandbox: z.string().optional(),
});
