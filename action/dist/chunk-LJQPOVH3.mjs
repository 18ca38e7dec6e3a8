import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  problemSchema
} from "./chunk-HDXKHYD2.mjs";
import {
  nameSchema,
  queryIntegerSchema,
  timestampSchema
} from "./chunk-DPK6MB3H.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";

// hostd/contract/host.ts
var hostSchema = external_exports.object({
  version: external_exports.string(),
  hostname: external_exports.string(),
  startedAt: external_exports.iso.datetime(),
  isolation: external_exports.object({ tier: external_exports.enum(["kvm", "emulated"]), reason: external_exports.string() }),
  vmm: external_exports.object({ name: external_exports.string(), version: external_exports.string() }),
  cpus: external_exports.number().int(),
  memoryMiB: external_exports.number().int(),
  capacity: external_exports.object({
    maxSandboxes: external_exports.number().int(),
    sandboxes: external_exports.number().int(),
    queued: external_exports.number().int(),
    memoryMiB: external_exports.number(),
    /** Used by sandboxes now plus what is held back for their growth. */
    memoryCommittedMiB: external_exports.number(),
    diskFreeMiB: external_exports.number()
  }),
  network: external_exports.object({ subnet: external_exports.string(), defaultEgressMode: external_exports.string() })
});

// hostd/contract/event.ts
var eventTypes = [
  "sandbox.queued",
  "sandbox.creating",
  "sandbox.running",
  "sandbox.renewed",
  "sandbox.forked",
  "sandbox.paused",
  "sandbox.hibernated",
  "sandbox.resumed",
  "sandbox.stopping",
  "sandbox.gone",
  "egress.changed",
  "egress.denied",
  "exec.started",
  "exec.ended",
  "image.built",
  "image.removed",
  "snapshot.created",
  "snapshot.removed",
  "template.made",
  "template.dropped",
  "host.started",
  "host.stopping",
  "host.pressure",
  "host.egress-helper"
];
var eventSchema = external_exports.object({
  id: external_exports.number().int(),
  at: timestampSchema,
  type: external_exports.enum(eventTypes),
  sandboxId: external_exports.string().optional(),
  execId: external_exports.string().optional(),
  data: external_exports.record(external_exports.string(), external_exports.unknown())
});
var eventsQuerySchema = external_exports.object({
  from: queryIntegerSchema.optional(),
  follow: external_exports.enum(["0", "1", "true", "false"]).default("1").transform((value) => value === "1" || value === "true"),
  sandbox: external_exports.string().optional()
});

// hostd/contract/image.ts
var buildImageSchema = external_exports.strictObject({
  name: nameSchema,
  recipe: nameSchema.default("default"),
  /** The distribution's suite; the recipe's own when absent. */
  from: external_exports.string().regex(/^[a-z][a-z0-9.-]{1,30}$/, "must be a suite name such as trixie").optional(),
  /** Packages over the recipe's. */
  include: external_exports.array(external_exports.string().regex(/^[a-z0-9][a-z0-9.+-]{1,100}$/, "must be a package name")).max(500).default([]),
  /** PEM certificates the guest trusts besides the distribution's. */
  extraCaCertificates: external_exports.array(external_exports.string().max(1048576).includes("-----BEGIN CERTIFICATE-----")).max(100).default([]),
  /** Trust the host's own CA bundle too. */
  hostCaBundle: external_exports.boolean().default(false),
  /** Use the host's pip, npm and apt configuration, without its credentials. */
  hostPackageConfig: external_exports.boolean().default(false),
  /** Build even when nothing changed. */
  rebuild: external_exports.boolean().default(false)
});
var imageSchema = external_exports.object({
  name: external_exports.string(),
  digest: external_exports.string(),
  suite: external_exports.string(),
  architecture: external_exports.string(),
  include: external_exports.array(external_exports.string()),
  kernelVersion: external_exports.string(),
  diskMiB: external_exports.number().int(),
  storedMiB: external_exports.number(),
  minMemoryMiB: external_exports.number().int(),
  createdAt: timestampSchema,
  /** Restorable shapes that exist now. */
  templates: external_exports.array(external_exports.object({ cpus: external_exports.number(), memoryMiB: external_exports.number(), diskMiB: external_exports.number(), storedMiB: external_exports.number() }))
});
var imageListSchema = external_exports.object({ images: external_exports.array(imageSchema) });
var buildLineSchema = external_exports.union([
  external_exports.strictObject({
    progress: external_exports.object({ step: external_exports.string(), done: external_exports.number(), total: external_exports.number(), line: external_exports.string().optional() })
  }),
  external_exports.strictObject({ image: imageSchema }),
  external_exports.strictObject({ error: problemSchema }),
  external_exports.strictObject({})
]);

export {
  hostSchema,
  eventTypes,
  eventSchema,
  eventsQuerySchema,
  buildImageSchema,
  imageSchema,
  imageListSchema,
  buildLineSchema
};
