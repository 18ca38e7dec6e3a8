import { isIP } from 'node:net';
import { z } from 'zod';
import { egressModeSchema } from '../../../contract/egress.ts';
import type { Policy } from '../policy/policy.ts';

const portSchema = z.union([z.int().min(1).max(65_535), z.literal('any')]);
const transportSchema = z.enum(['tcp', 'udp']);
const textSchema = z.string().max(400);

const nameRuleSchema = z.strictObject({
  kind: z.literal('name'),
  name: z.string().regex(/^[a-z0-9_]([a-z0-9._-]{0,251}[a-z0-9_])?$/),
  wildcard: z.boolean(),
  port: portSchema,
  transport: transportSchema,
  layer: z.enum(['tls', 'http', 'raw']),
  allowPrivate: z.boolean(),
  text: textSchema,
});

const addressRuleSchema = z
  .strictObject({
    kind: z.literal('address'),
    family: z.union([z.literal(4), z.literal(6)]),
    network: z.string(),
    prefixLength: z.int().min(0).max(128),
    port: portSchema,
    transport: transportSchema,
    text: textSchema,
  })
  .refine(({ family, network }) => isIP(network) === family, 'is no address of its family');

/** A parsed policy as it goes to the helpers. The list as a user writes it is read by hostd, never by them. */
export const policySchema: z.ZodType<Policy> = z.strictObject({
  mode: egressModeSchema,
  rules: z.array(z.discriminatedUnion('kind', [nameRuleSchema, addressRuleSchema])).max(2000),
});
