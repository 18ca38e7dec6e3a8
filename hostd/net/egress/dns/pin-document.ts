import { isIP } from 'node:net';
import { z } from 'zod';

const hour = 3_600_000;

/** An address that a sandbox may reach on a port because a name of its policy led there. */
export const pinSchema = z.strictObject({
  address: z.string().refine((text) => isIP(text) !== 0, 'must be an IP address'),
  port: z.union([z.int().min(1).max(65_535), z.literal('any')]),
  transport: z.enum(['tcp', 'udp']),
  /** The name as rules have it: lower case, no trailing dot. */
  name: z.string().min(1).max(253),
});

/** All pins of one sandbox as plain JSON: kept over restarts, and copied with forks and snapshots. */
export const pinDocumentSchema = z.strictObject({
  version: z.literal(1),
  pins: z
    .array(
      pinSchema.extend({
        /** Of its life, when this was written. */
        remainingMs: z.number().min(0).max(hour),
      }),
    )
    .max(100_000),
});

export type Pin = z.output<typeof pinSchema>;
export type PinDocument = z.output<typeof pinDocumentSchema>;

/** A pin lives at least this long, so that programs which keep an address a little longer than they may still reach it. */
export const minPinMs = 60_000;
/** And at most this long without being used. */
export const maxPinMs = hour;
