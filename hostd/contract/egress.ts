import { z } from 'zod';
import { timestampSchema } from './common.ts';
import { egressWords } from './egress-words.ts';

/** The networks that `private` after a rule opens: RFC 1918, RFC 6598 (shared address space) and RFC 4193 (unique local addresses). */
export const privateNetworks = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'] as const;

/** Addresses of the clouds' metadata services, which hand out credentials. */
export const metadataAddresses = [
  '169.254.169.254', // AWS, Azure, Google, OpenStack and most others
  '169.254.170.2', // AWS: credentials of a container
  '169.254.170.23', // AWS: credentials of a pod
  '169.254.42.42', // Scaleway
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure: the host's agent, under a public address
  '192.0.0.192', // Oracle
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS: credentials of a pod
  'fd20:ce::254', // Google
] as const;

/**
 * `enforce`: what the rules name and nothing else. `audit`: the public internet, with everything recorded that enforce would deny.
 * `open`: the public internet. `none`: nothing, not even DNS. Metadata services, private networks, the host and other sandboxes are
 * closed in every mode unless a rule names them.
 */
export const egressModes = ['enforce', 'audit', 'open', 'none'] as const;
export const egressModeSchema = z.enum(egressModes);
export type EgressMode = z.infer<typeof egressModeSchema>;

/** One rule, or a list of them as text; the rules are read by hostd, which answers `egress-rules-invalid` with an issue for each bad one. */
const allowSchema = z
  .array(z.string().max(200_000, 'a text of rules is at most 200000 characters'))
  .max(2000, 'at most 2000 rules');

/** What a client sends: a list alone means enforce, and an empty one denies everything. */
export const egressPolicySchema = z
  .union([allowSchema, z.strictObject({ mode: egressModeSchema.optional(), allow: allowSchema.optional() })], {
    error: (issue) => (issue.code === 'invalid_union' ? unionMessage(issue.input, issue.errors) : undefined),
  })
  .transform((given) => (Array.isArray(given) ? { allow: given } : given))
  .superRefine((given, context) => {
    if (!('mode' in given) && given.allow === undefined) {
      context.addIssue({ code: 'custom', message: 'needs mode (enforce, audit, open or none), allow, or both' });
    }
  })
  .transform((given) => ({ mode: ('mode' in given ? given.mode : undefined) ?? 'enforce', allow: given.allow ?? [] }))
  .superRefine(({ mode, allow }, context) => {
    if (mode !== 'none' || egressWords(allow).length === 0) return;
    context.addIssue({
      code: 'custom',
      path: ['allow'],
      message: 'must be empty with mode none, which allows nothing',
    });
  });

/** What is wrong with the shape that was meant, for a union says only that none fits. */
function unionMessage(given: unknown, errors: readonly (readonly z.core.$ZodIssue[])[]): string {
  if (typeof given !== 'object' || given === null) {
    return 'must be a list of rules, or an object with mode (enforce, audit, open or none), allow, or both';
  }
  const [issue] = errors[Array.isArray(given) ? 0 : 1] ?? [];
  const path = issue?.path.map(String).join('.') ?? '';
  return `${path === '' ? '' : `${path}: `}${issue?.message ?? 'is not valid'}`;
}

/** What a client sends. */
export type EgressPolicyInput = z.input<typeof egressPolicySchema>;
/** A request with its defaults filled in; the rules as they were sent. */
export type EgressPolicyRequest = z.output<typeof egressPolicySchema>;

/** The policy of a sandbox as it is in force: normalised rules, one each, ready to be sent again. */
export const egressPolicyInfoSchema = z.object({
  mode: egressModeSchema,
  allow: z.array(z.string()),
  /** One more with each change. */
  revision: z.number().int().min(1),
});
export type EgressPolicyInfo = z.infer<typeof egressPolicyInfoSchema>;

/** Why something was denied: the name asked of DNS, the one in a TLS or HTTP request, the address, its port or protocol, a closed range, a name that resolved into one, or a connection without a name. */
export const denialReasons = [
  'dns-name',
  'sni',
  'host-header',
  'address',
  'port',
  'protocol',
  'private-range',
  'rebind',
  'no-name',
] as const;
export const denialReasonSchema = z.enum(denialReasons);
export type DenialReason = z.infer<typeof denialReasonSchema>;

const countSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** What went to one place, added up. */
export const egressEntrySchema = z.object({
  /** Without the trailing dot; null where no name is known. */
  name: z.string().nullable(),
  /** Or the network of a rule, `192.0.2.0/24`, where many of its addresses are put together. */
  address: z.string().nullable(),
  /** Null for what has none: a name that was only asked of DNS, ICMP. */
  port: z.number().int().min(0).max(65_535).nullable(),
  transport: z.enum(['tcp', 'udp', 'icmp', 'other']),
  /** Connections, flows or questions. */
  count: countSchema.min(1),
  /** To the guest. */
  bytesIn: countSchema,
  /** From the guest. */
  bytesOut: countSchema,
  firstAt: timestampSchema,
  lastAt: timestampSchema,
});
export type EgressEntry = z.infer<typeof egressEntrySchema>;

export const egressDenialSchema = egressEntrySchema.extend({
  reason: denialReasonSchema,
  /** False for what audit mode let through. */
  blocked: z.boolean(),
});
export type EgressDenial = z.infer<typeof egressDenialSchema>;

/** GET /v1/sandboxes/{id}/egress: the policy, what passed and what did not since the sandbox was made. */
export const egressReportSchema = z.object({
  policy: egressPolicyInfoSchema,
  allowed: z.array(egressEntrySchema),
  denied: z.array(egressDenialSchema),
  /** Denials in all, also of those that `denied` has no room for. */
  deniedCount: countSchema,
  /** Places that were left out of `allowed` and `denied` as there were too many. */
  omitted: countSchema,
  /** The rules in force, and those that would let through what was denied: a list to paste. Nothing of it opens a private range. */
  suggestedAllow: z.array(z.string()),
});
export type EgressReport = z.infer<typeof egressReportSchema>;
