import { isIP, isIPv4 } from 'node:net';
import { z } from 'zod';
import { denialReasonSchema } from '../../../contract/egress.ts';
import { pinDocumentSchema } from '../dns/pin-document.ts';
import { parseAddress, parseNetwork } from '../policy/address.ts';
import { policySchema } from './rule-schema.ts';

/** One more whenever messages change so that an older helper does not understand them: such a one is ended and started anew. */
export const protocolVersion = 4;

/** Of one line to a helper: a document of all sandboxes of a host. */
export const maxControlLineBytes = 64 * 1024 * 1024;

export const sandboxIdSchema = z.string().min(1).max(100);
const addressSchema = z.string().refine((text) => isIP(text) !== 0, 'is no address');
const portSchema = z.int().min(0).max(65_535);
const isAddressOrNetwork = (text: string) => (parseAddress(text) ?? parseNetwork(text)) !== undefined;

export const sandboxPolicySchema = z.strictObject({
  sandboxId: sandboxIdSchema,
  /** Where the helpers see its traffic come from. */
  sourceAddress: z.string().refine(isIPv4, 'is no IPv4 address'),
  /** Its network namespace, whose filter the resolver opens for single addresses. */
  netnsPath: z.string().startsWith('/').max(500),
  policy: policySchema,
  /** Of this sandbox; one more with each change. */
  revision: z.int().min(1),
});
export type SandboxPolicy = z.output<typeof sandboxPolicySchema>;

/** Compiled, as a document may have thousands of rules: takes a tenth of the time. */
export const policyDocumentSchema = z.compile(
  z.strictObject({
    sandboxes: z.array(sandboxPolicySchema).max(10_000),
    /** Of sandboxes that are not in it. */
    others: z.enum(['keep', 'drop']),
    /** Addresses and networks of the host, of sandboxes and of the daemon: closed unless a rule names them. */
    own: z.array(z.string().refine(isAddressOrNetwork, 'is no address or network')).max(10_000),
    /** `narrow`: until the next document, only what both the policy in force and this one allow. */
    phase: z.enum(['narrow', 'final']),
  }),
);
export type PolicyDocument = z.output<typeof policyDocumentSchema>;

export const policyAckSchema = z.object({
  revisions: z.record(z.string(), z.number()),
  /** Connections that were cut. */
  cut: z.number(),
  /** Of a proxy that narrowed: what to give to `widen` to have the same document in its final phase. */
  narrowed: z.string().optional(),
});
export type PolicyAck = z.output<typeof policyAckSchema>;

export const widenSchema = z.strictObject({ narrowed: z.string().max(100) });
/** None where the proxy has another document by now. */
export const widenAckSchema = policyAckSchema.nullable();

export const sandboxRequestSchema = z.strictObject({ sandboxId: sandboxIdSchema });
export const restorePinsSchema = z.strictObject({ sandboxId: sandboxIdSchema, document: pinDocumentSchema });

export const proxyListenerSchema = z.strictObject({
  address: addressSchema,
  /** 0: any free one. */
  port: portSchema,
  /** The port that guests mean to reach. */
  forPort: z.int().min(1).max(65_535),
  layer: z.enum(['tls', 'http']),
});
export type ProxyListenerSpec = z.output<typeof proxyListenerSchema>;
export const proxyListenSchema = z.strictObject({ listeners: z.array(proxyListenerSchema).max(20_000) });

export const dnsListenSchema = z.strictObject({
  address: addressSchema,
  port: portSchema.min(1),
  resolvConf: z.string(),
  /** Asked instead of the servers in resolvConf. */
  upstreams: z.array(z.strictObject({ address: z.string(), port: portSchema })).optional(),
});
export type DnsListen = z.output<typeof dnsListenSchema>;

export const helperRoles = ['resolver', 'proxy'] as const;
export type HelperRole = (typeof helperRoles)[number];

export const reportRowSchema = z.object({
  sandboxId: z.string(),
  /**
   * `cut`: was under way when a change of policy ended it. `failed`: allowed, but it did not work. `usage`: bytes of what passed; with
   * the reason, of what `would-deny` counts. `answered`:
   * the guest was told this address of the name.
   */
  outcome: z.enum(['allowed', 'denied', 'would-deny', 'cut', 'failed', 'usage', 'answered']),
  reason: denialReasonSchema.optional(),
  failure: z.string().optional(),
  /** `*.domain` or `*` where there were too many to tell apart. */
  name: z.string().optional(),
  address: z.string().optional(),
  port: z.number().optional(),
  /** `proxy`: asked of DNS by the proxy on the sandbox's behalf. */
  transport: z.enum(['udp', 'tcp', 'proxy']),
  /** Since the helper started, as the bytes are: a later row of the same kind replaces an earlier one. */
  count: z.number(),
  /** To the guest. */
  bytesIn: z.number(),
  bytesOut: z.number(),
  /** Wall clock, milliseconds since 1970. */
  firstMs: z.number(),
  lastMs: z.number(),
});
export type ReportRow = z.output<typeof reportRowSchema>;

export const reportCursorSchema = z.strictObject({ epoch: z.string().max(100), seq: z.int().min(0) });
export type ReportCursor = z.output<typeof reportCursorSchema>;
export const reportRequestSchema = z.strictObject({
  since: reportCursorSchema.optional(),
  limit: z.int().min(1).max(10_000).optional(),
});
export const reportPageSchema = z.object({
  cursor: reportCursorSchema,
  rows: z.array(reportRowSchema),
  /** There are more after this cursor now. */
  more: z.boolean(),
});
export type ReportPage = z.output<typeof reportPageSchema>;

export const healthSchema = z.object({
  role: z.enum(helperRoles),
  protocolVersion: z.number(),
  pid: z.number(),
  startTicks: z.number(),
  /** Of this run of the helper. */
  epoch: z.string(),
  sandboxes: z.number(),
  listeners: z.number(),
  reportRows: z.number(),
  rssMiB: z.number(),
});
export type HelperHealth = z.output<typeof healthSchema>;

/** What the proxy asks the resolver, and the answer. */
const asked = { id: z.int().min(0), sandboxId: sandboxIdSchema };
export const nameRequestSchema = z.union([
  z.strictObject({ ...asked, name: z.string().min(1).max(300) }),
  /** Which address the guest dialled in a connection that came to the proxy from this port to that one of its listeners. */
  z.strictObject({ ...asked, fromPort: portSchema.min(1), listenerPort: portSchema.min(1) }),
]);
export type NameRequest = z.output<typeof nameRequestSchema>;
export const nameAnswerSchema = z.object({ id: z.number(), addresses: z.array(z.string()) });
