import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";

// hostd/contract/common.ts
var idBody = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}";
var sandboxIdSchema = external_exports.string().regex(new RegExp(`^sbx_${idBody}$`), "must be sbx_ and 1 to 64 letters, digits, - or _");
var execIdSchema = external_exports.string().regex(new RegExp(`^exe_${idBody}$`), "must be exe_ and 1 to 64 letters, digits, - or _");
var forkIdSchema = external_exports.string().regex(new RegExp(`^frk_${idBody}$`), "must be frk_ and 1 to 64 letters, digits, - or _");
var nameSchema = external_exports.string().regex(
  /^[a-z0-9][a-z0-9._-]{0,62}$/,
  "must be 1 to 63 lower-case letters, digits, ., - or _, starting with a letter or digit"
).refine((name) => !name.includes(".."), "must not contain ..");
var labelsSchema = external_exports.record(
  external_exports.string().regex(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/, "label keys are 1 to 63 letters, digits, ., _, / or -"),
  external_exports.string().max(1024, "label values are at most 1024 characters")
).refine((labels) => Object.keys(labels).length <= 64, "at most 64 labels");
var maxEnvStringBytes = 131071;
var envSchema = external_exports.record(
  external_exports.string().regex(/^[^=\0]+$/, "names must not be empty or contain = or NUL"),
  external_exports.string().refine((value) => !value.includes("\0"), "values must not contain NUL")
).superRefine((env, context) => {
  for (const [name, value] of Object.entries(env)) {
    const bytes = Buffer.byteLength(name) + 1 + Buffer.byteLength(value);
    if (bytes <= maxEnvStringBytes) continue;
    context.addIssue({
      code: "custom",
      path: [name],
      message: `is ${String(bytes)} bytes; Linux takes at most ${String(maxEnvStringBytes)} for one variable: send it as a file`
    });
  }
});
var timestampSchema = external_exports.iso.datetime();
var queryIntegerSchema = external_exports.preprocess(
  (value) => typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value,
  external_exports.number("must be a whole number").int().min(0).max(Number.MAX_SAFE_INTEGER)
);
var querySwitchSchema = external_exports.enum(["0", "1", "true", "false"], "must be 1, true, 0 or false").default("0").transform((value) => value === "1" || value === "true");

// hostd/contract/egress-words.ts
function egressWords(text) {
  const lines = (typeof text === "string" ? [text] : text).flatMap((part) => part.split(/[\r\n\u0085\u2028\u2029]+/));
  return lines.flatMap((line) => {
    const words = line.split(/\s+/).filter((word) => word !== "").map((word) => word.toLowerCase() === "private" ? "private" : word);
    const comment = words.findIndex((word) => word.startsWith("#"));
    return comment === -1 ? words : words.slice(0, comment);
  });
}

// hostd/contract/egress.ts
var privateNetworks = ["10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];
var metadataAddresses = [
  "169.254.169.254",
  // AWS, Azure, Google, OpenStack and most others
  "169.254.170.2",
  // AWS: credentials of a container
  "169.254.170.23",
  // AWS: credentials of a pod
  "169.254.42.42",
  // Scaleway
  "100.100.100.200",
  // Alibaba
  "168.63.129.16",
  // Azure: the host's agent, under a public address
  "192.0.0.192",
  // Oracle
  "fd00:ec2::254",
  // AWS
  "fd00:ec2::23",
  // AWS: credentials of a pod
  "fd20:ce::254"
  // Google
];
var egressModes = ["enforce", "audit", "open", "none"];
var egressModeSchema = external_exports.enum(egressModes);
var allowSchema = external_exports.array(external_exports.string().max(2e5, "a text of rules is at most 200000 characters")).max(2e3, "at most 2000 rules");
var egressPolicySchema = external_exports.union([allowSchema, external_exports.strictObject({ mode: egressModeSchema.optional(), allow: allowSchema.optional() })], {
  error: (issue) => issue.code === "invalid_union" ? unionMessage(issue.input, issue.errors) : void 0
}).transform((given) => Array.isArray(given) ? { allow: given } : given).superRefine((given, context) => {
  if (!("mode" in given) && given.allow === void 0) {
    context.addIssue({ code: "custom", message: "needs mode (enforce, audit, open or none), allow, or both" });
  }
}).transform((given) => ({ mode: ("mode" in given ? given.mode : void 0) ?? "enforce", allow: given.allow ?? [] })).superRefine(({ mode, allow }, context) => {
  if (mode !== "none" || egressWords(allow).length === 0) return;
  context.addIssue({
    code: "custom",
    path: ["allow"],
    message: "must be empty with mode none, which allows nothing"
  });
});
function unionMessage(given, errors) {
  if (typeof given !== "object" || given === null) {
    return "must be a list of rules, or an object with mode (enforce, audit, open or none), allow, or both";
  }
  const [issue] = errors[Array.isArray(given) ? 0 : 1] ?? [];
  const path = issue?.path.map(String).join(".") ?? "";
  return `${path === "" ? "" : `${path}: `}${issue?.message ?? "is not valid"}`;
}
var egressPolicyInfoSchema = external_exports.object({
  mode: egressModeSchema,
  allow: external_exports.array(external_exports.string()),
  /** One more with each change. */
  revision: external_exports.number().int().min(1)
});
var denialReasons = [
  "dns-name",
  "sni",
  "host-header",
  "address",
  "port",
  "protocol",
  "private-range",
  "rebind",
  "no-name"
];
var denialReasonSchema = external_exports.enum(denialReasons);
var countSchema = external_exports.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
var egressEntrySchema = external_exports.object({
  /** Without the trailing dot; null where no name is known. */
  name: external_exports.string().nullable(),
  /** Or the network of a rule, `192.0.2.0/24`, where many of its addresses are put together. */
  address: external_exports.string().nullable(),
  /** Null for what has none: a name that was only asked of DNS, ICMP. */
  port: external_exports.number().int().min(0).max(65535).nullable(),
  transport: external_exports.enum(["tcp", "udp", "icmp", "other"]),
  /** Connections, flows or questions. */
  count: countSchema.min(1),
  /** To the guest. */
  bytesIn: countSchema,
  /** From the guest. */
  bytesOut: countSchema,
  firstAt: timestampSchema,
  lastAt: timestampSchema
});
var egressDenialSchema = egressEntrySchema.extend({
  reason: denialReasonSchema,
  /** False for what audit mode let through. */
  blocked: external_exports.boolean()
});
var egressReportSchema = external_exports.object({
  policy: egressPolicyInfoSchema,
  allowed: external_exports.array(egressEntrySchema),
  denied: external_exports.array(egressDenialSchema),
  /** Denials in all, also of those that `denied` has no room for. */
  deniedCount: countSchema,
  /** Places that were left out of `allowed` and `denied` as there were too many. */
  omitted: countSchema,
  /** The rules in force, and those that would let through what was denied: a list to paste. Nothing of it opens a private range. */
  suggestedAllow: external_exports.array(external_exports.string())
});

export {
  sandboxIdSchema,
  execIdSchema,
  forkIdSchema,
  nameSchema,
  labelsSchema,
  maxEnvStringBytes,
  envSchema,
  timestampSchema,
  queryIntegerSchema,
  querySwitchSchema,
  egressWords,
  privateNetworks,
  metadataAddresses,
  egressModes,
  egressModeSchema,
  egressPolicySchema,
  egressPolicyInfoSchema,
  denialReasonSchema,
  egressEntrySchema,
  egressReportSchema
};
