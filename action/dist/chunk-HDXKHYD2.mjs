import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  egressPolicyInfoSchema,
  egressPolicySchema,
  envSchema,
  execIdSchema,
  forkIdSchema,
  labelsSchema,
  maxEnvStringBytes,
  nameSchema,
  queryIntegerSchema,
  querySwitchSchema,
  sandboxIdSchema,
  timestampSchema
} from "./chunk-DPK6MB3H.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";

// node_modules/ulid/dist/node/index.js
import crypto from "node:crypto";
var ENCODING = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
var ENCODING_LEN = 32;
var RANDOM_LEN = 16;
var TIME_LEN = 10;
var TIME_MAX = 281474976710655;
var ULIDErrorCode;
(function(ULIDErrorCode2) {
  ULIDErrorCode2["Base32IncorrectEncoding"] = "B32_ENC_INVALID";
  ULIDErrorCode2["DecodeTimeInvalidCharacter"] = "DEC_TIME_CHAR";
  ULIDErrorCode2["DecodeTimeValueMalformed"] = "DEC_TIME_MALFORMED";
  ULIDErrorCode2["EncodeTimeNegative"] = "ENC_TIME_NEG";
  ULIDErrorCode2["EncodeTimeSizeExceeded"] = "ENC_TIME_SIZE_EXCEED";
  ULIDErrorCode2["EncodeTimeValueMalformed"] = "ENC_TIME_MALFORMED";
  ULIDErrorCode2["PRNGDetectFailure"] = "PRNG_DETECT";
  ULIDErrorCode2["ULIDInvalid"] = "ULID_INVALID";
  ULIDErrorCode2["Unexpected"] = "UNEXPECTED";
  ULIDErrorCode2["UUIDInvalid"] = "UUID_INVALID";
})(ULIDErrorCode || (ULIDErrorCode = {}));
var ULIDError = class extends Error {
  constructor(errorCode, message) {
    super(`${message} (${errorCode})`);
    this.name = "ULIDError";
    this.code = errorCode;
  }
};
function randomChar(prng) {
  const randomPosition = Math.floor(prng() * ENCODING_LEN) % ENCODING_LEN;
  return ENCODING.charAt(randomPosition);
}
function detectPRNG(root) {
  const rootLookup = detectRoot();
  const globalCrypto = rootLookup && (rootLookup.crypto || rootLookup.msCrypto) || (typeof crypto !== "undefined" ? crypto : null);
  if (typeof globalCrypto?.getRandomValues === "function") {
    return () => {
      const buffer = new Uint8Array(1);
      globalCrypto.getRandomValues(buffer);
      return buffer[0] / 256;
    };
  } else if (typeof globalCrypto?.randomBytes === "function") {
    return () => globalCrypto.randomBytes(1).readUInt8() / 256;
  } else if (crypto?.randomBytes) {
    return () => crypto.randomBytes(1).readUInt8() / 256;
  }
  throw new ULIDError(ULIDErrorCode.PRNGDetectFailure, "Failed to find a reliable PRNG");
}
function detectRoot() {
  if (inWebWorker())
    return self;
  if (typeof window !== "undefined") {
    return window;
  }
  if (typeof global !== "undefined") {
    return global;
  }
  if (typeof globalThis !== "undefined") {
    return globalThis;
  }
  return null;
}
function encodeRandom(len, prng) {
  let str = "";
  for (; len > 0; len--) {
    str = randomChar(prng) + str;
  }
  return str;
}
function encodeTime(now, len = TIME_LEN) {
  if (isNaN(now)) {
    throw new ULIDError(ULIDErrorCode.EncodeTimeValueMalformed, `Time must be a number: ${now}`);
  } else if (now > TIME_MAX) {
    throw new ULIDError(ULIDErrorCode.EncodeTimeSizeExceeded, `Cannot encode a time larger than ${TIME_MAX}: ${now}`);
  } else if (now < 0) {
    throw new ULIDError(ULIDErrorCode.EncodeTimeNegative, `Time must be positive: ${now}`);
  } else if (Number.isInteger(now) === false) {
    throw new ULIDError(ULIDErrorCode.EncodeTimeValueMalformed, `Time must be an integer: ${now}`);
  }
  let mod, str = "";
  for (let currentLen = len; currentLen > 0; currentLen--) {
    mod = now % ENCODING_LEN;
    str = ENCODING.charAt(mod) + str;
    now = (now - mod) / ENCODING_LEN;
  }
  return str;
}
function inWebWorker() {
  return typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope;
}
function ulid(seedTime, prng) {
  const currentPRNG = prng || detectPRNG();
  const seed = !seedTime || isNaN(seedTime) ? Date.now() : seedTime;
  return encodeTime(seed, TIME_LEN) + encodeRandom(RANDOM_LEN, currentPRNG);
}

// hostd/contract/exec.ts
var argument = external_exports.string().refine((value) => !value.includes("\0"), "must not contain NUL").refine(
  (value) => Buffer.byteLength(value) <= maxEnvStringBytes,
  `must be at most ${String(maxEnvStringBytes)} bytes`
);
var ptySizeSchema = external_exports.strictObject({
  rows: external_exports.number().int().min(1).max(1e4),
  cols: external_exports.number().int().min(1).max(1e4)
});
var createExecSchema = external_exports.strictObject({
  /** Chosen by the client to make the start idempotent. */
  id: execIdSchema.optional(),
  /** Program and arguments, passed as they are. */
  argv: external_exports.array(argument).min(1).max(4e3).optional(),
  /** Or a text for /bin/sh -c. */
  shell: external_exports.string().min(1).max(1048576).refine((value) => !value.includes("\0"), "must not contain NUL").optional(),
  env: envSchema.default({}),
  cwd: external_exports.string().min(1).max(4096).refine((value) => !value.includes("\0"), "must not contain NUL").default("/workspace"),
  user: external_exports.string().min(1).max(255).regex(/^[^\0:\n]+(:[^\0:\n]+)?$/, "must be a name, a uid or uid:gid").default("root"),
  pty: ptySizeSchema.optional(),
  /** Whether input will be sent; else the program reads /dev/null. */
  stdin: external_exports.boolean().default(false),
  /** The exec timeout: SIGTERM, then SIGKILL two seconds later. */
  timeoutMs: external_exports.number().int().min(1).max(6048e5).optional()
}).refine((exec) => exec.argv === void 0 !== (exec.shell === void 0), "give either argv or shell");
var execFailureSchema = external_exports.enum([
  "command-not-found",
  "not-executable",
  "cwd-missing",
  "user-missing",
  "spawn-failed",
  "stream-lost",
  "sandbox-ended",
  /** Its time was up and the guest did not end it: hostd did. */
  "guest-unresponsive",
  /** It goes on in the sandbox this one was forked from; its processes live on here, unheard. */
  "forked"
]);
var execSchema = external_exports.object({
  id: execIdSchema,
  sandboxId: sandboxIdSchema,
  state: external_exports.enum(["running", "ended"]),
  /** For people: the argv joined, or the shell text, cut at 200 characters. */
  command: external_exports.string(),
  cwd: external_exports.string(),
  user: external_exports.string(),
  pty: external_exports.boolean(),
  stdin: external_exports.boolean(),
  startedAt: timestampSchema,
  endedAt: timestampSchema.nullable(),
  /** 0..255 as a shell would say it: 126, 127, 128+n for a signal. null while it runs or when it was lost. */
  exitCode: external_exports.number().int().nullable(),
  /** Name of the signal that ended it, for example SIGKILL. */
  signal: external_exports.string().nullable(),
  timedOut: external_exports.boolean(),
  oomKilled: external_exports.boolean(),
  failure: external_exports.object({ code: execFailureSchema, message: external_exports.string() }).nullable(),
  /** Output kept on disk, stdout and stderr together. */
  outputBytes: external_exports.number().int(),
  /** True when there was more output than the host keeps. */
  truncated: external_exports.boolean(),
  usage: external_exports.object({ userCpuMs: external_exports.number(), systemCpuMs: external_exports.number(), peakMemoryKiB: external_exports.number() }).nullable()
});
var execListSchema = external_exports.object({ execs: external_exports.array(execSchema) });
var outputQuerySchema = external_exports.object({
  from: queryIntegerSchema.default(0),
  follow: querySwitchSchema
});
var outputLineSchema = external_exports.union([
  external_exports.strictObject({ stream: external_exports.enum(["stdout", "stderr"]), offset: external_exports.number().int(), text: external_exports.string() }),
  external_exports.strictObject({ stream: external_exports.enum(["stdout", "stderr"]), offset: external_exports.number().int(), base64: external_exports.string() }),
  external_exports.strictObject({ end: execSchema }),
  external_exports.strictObject({})
]);
var outputFrameMediaType = "application/vnd.offshoot.output";
var inputQuerySchema = external_exports.object({
  offset: queryIntegerSchema,
  end: querySwitchSchema
});
var inputResultSchema = external_exports.object({ consumedBytes: external_exports.number().int() });
var signalSchema = external_exports.strictObject({
  signal: external_exports.enum([
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGKILL",
    "SIGUSR1",
    "SIGUSR2",
    "SIGTERM",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGWINCH"
  ])
});

// hostd/contract/sandbox.ts
var sandboxStates = ["queued", "creating", "running", "paused", "stopping", "gone"];
var sandboxStateSchema = external_exports.enum(sandboxStates);
var endReasons = [
  "stopped",
  "lease-expired",
  "create-failed",
  "guest-panicked",
  "guest-shutdown",
  "guest-protocol",
  "vmm-crashed",
  "vmm-killed",
  "host-rebooted",
  "lost"
];
var endReasonSchema = external_exports.enum(endReasons);
var createSandboxSchema = external_exports.strictObject({
  /** Chosen by the client to make create idempotent; generated when absent. */
  id: sandboxIdSchema.optional(),
  /** Default: the image `default`. Not together with `snapshot`, which has its own, like cpus, memoryMiB and diskMiB. */
  image: nameSchema.optional(),
  /** Default 1. */
  cpus: external_exports.number().int().min(1).max(64).optional(),
  /** Rounded up to the next shape. Default 512. */
  memoryMiB: external_exports.number().int().min(1).max(1048576).optional(),
  /** Default 8192. */
  diskMiB: external_exports.number().int().min(1).max(16777216).optional(),
  /** Start as a copy of this snapshot instead of from an image. */
  snapshot: nameSchema.optional(),
  /** Boot cold from the snapshot's disk alone, without its memory and processes: also where it can not be restored. */
  bootDisk: external_exports.boolean().default(false),
  /** The lease: the sandbox is destroyed this long after its creation or last renewal. */
  timeoutSeconds: external_exports.number().int().min(1).max(604800).default(3600),
  labels: labelsSchema.default({}),
  /** Default environment of every exec. */
  env: envSchema.default({}),
  /** Absent: the snapshot's, or else the host's default. */
  egress: egressPolicySchema.optional(),
  /** How long to wait for room; 0 fails at once with capacity-exhausted. */
  waitSeconds: external_exports.number().int().min(0).max(86400).default(0)
}).superRefine((request, context) => {
  if (request.snapshot === void 0 && request.bootDisk) {
    context.addIssue({ code: "custom", path: ["bootDisk"], message: "needs snapshot" });
  }
  if (request.snapshot === void 0) return;
  for (const field of ["image", "cpus", "memoryMiB", "diskMiB"]) {
    if (request[field] === void 0) continue;
    context.addIssue({
      code: "custom",
      path: [field],
      message: "can not be given together with snapshot, which has its own"
    });
  }
});
var usageSchema = external_exports.object({ wallSeconds: external_exports.number(), cpuSeconds: external_exports.number(), peakMemoryMiB: external_exports.number() });
var sandboxSchema = external_exports.object({
  id: sandboxIdSchema,
  state: sandboxStateSchema,
  image: external_exports.string(),
  /** The snapshot it was created from. */
  snapshot: external_exports.string().nullable(),
  /** The sandbox it was forked from. */
  forkedFrom: sandboxIdSchema.nullable(),
  /** 1 for a fresh one, one more for each fork on the way to it. */
  generation: external_exports.number().int(),
  /** While it is paused: since when, and whether its memory is on disk already and its process gone. */
  paused: external_exports.object({ since: timestampSchema, hibernated: external_exports.boolean() }).nullable(),
  labels: external_exports.record(external_exports.string(), external_exports.string()),
  cpus: external_exports.number().int(),
  /** The shape it really has. */
  memoryMiB: external_exports.number().int(),
  diskMiB: external_exports.number().int(),
  egress: egressPolicyInfoSchema,
  isolation: external_exports.object({ tier: external_exports.enum(["kvm", "emulated"]), reason: external_exports.string() }),
  timeoutSeconds: external_exports.number().int(),
  createdAt: timestampSchema,
  startedAt: timestampSchema.nullable(),
  expiresAt: timestampSchema,
  endedAt: timestampSchema.nullable(),
  end: external_exports.object({ reason: endReasonSchema, message: external_exports.string() }).nullable(),
  usage: usageSchema,
  /** Milliseconds since the request was accepted: until it left the queue, its VMM was started, its guest answered. */
  timings: external_exports.object({ queuedMs: external_exports.number(), startedMs: external_exports.number().nullable(), readyMs: external_exports.number().nullable() })
});
var sandboxListSchema = external_exports.object({ sandboxes: external_exports.array(sandboxSchema) });
var listSandboxesQuerySchema = external_exports.object({
  label: external_exports.union([external_exports.string(), external_exports.array(external_exports.string())]).transform((value) => Array.isArray(value) ? value : [value]).pipe(external_exports.array(external_exports.string().regex(/^[^=]+=/, "must be key=value"))).default([]),
  all: querySwitchSchema
});
var renewSchema = external_exports.strictObject({
  /** From now. Never shortens a lease unless `shorten` says so. */
  timeoutSeconds: external_exports.number().int().min(1).max(604800),
  shorten: external_exports.boolean().default(false)
});
var pauseSchema = external_exports.strictObject({
  /** When its memory goes to disk and its process ends; default: the host's `hibernateAfterSeconds`. 0 is at once: the answer comes when it is done. */
  hibernateAfterSeconds: external_exports.number().int().min(0).max(604800).optional()
});

// hostd/contract/snapshot.ts
var createSnapshotSchema = external_exports.strictObject({
  name: nameSchema,
  /** Removed after this many days; absent: kept until it is removed by hand. */
  retentionDays: external_exports.number().min(1e-3).max(3650).optional()
});
var snapshotSchema = external_exports.object({
  name: nameSchema,
  /** The sandbox it was taken of. */
  sandboxId: sandboxIdSchema,
  image: external_exports.string(),
  cpus: external_exports.number().int(),
  memoryMiB: external_exports.number().int(),
  diskMiB: external_exports.number().int(),
  /** What a sandbox created from it may reach unless told otherwise. */
  egress: egressPolicyInfoSchema.omit({ revision: true }),
  createdAt: timestampSchema,
  expiresAt: timestampSchema.nullable(),
  /** What it takes on disk. */
  storedMiB: external_exports.number(),
  /** What it was made with. */
  vmm: external_exports.object({
    name: external_exports.string(),
    version: external_exports.string(),
    machine: external_exports.string(),
    cpuModel: external_exports.string(),
    tier: external_exports.enum(["kvm", "emulated"]),
    agentProtocol: external_exports.number().int()
  }),
  /** True when environment values were given to the sandbox or its execs: they may be in the memory image. */
  hasEnvValues: external_exports.boolean(),
  /** Whether this host can restore its memory now; if not, why. Its disk can be booted either way. */
  restorable: external_exports.object({ ok: external_exports.boolean(), reason: external_exports.string() }),
  /** Live sandboxes that were created from it. */
  usedBy: external_exports.array(sandboxIdSchema)
});
var snapshotListSchema = external_exports.object({ snapshots: external_exports.array(snapshotSchema) });

// hostd/platform/patience.ts
var slices = 4;
var Patience = class {
  #timer;
  #left = slices;
  constructor(timeoutMs, onOver) {
    this.#timer = setInterval(() => {
      this.#left -= 1;
      if (this.#left > 0) return;
      this.end();
      onOver();
    }, timeoutMs / slices);
  }
  /** The whole time from now; not after the end. */
  refresh() {
    this.#left = slices;
    this.#timer.refresh();
  }
  /** Idempotent. */
  end() {
    clearInterval(this.#timer);
  }
};

// hostd/contract/fork.ts
var forkSchema = external_exports.strictObject({
  /** Chosen by the client so that it can cancel; generated when absent. */
  id: forkIdSchema.optional(),
  count: external_exports.number().int().min(1).max(100).default(1),
  /** Over the source's own. */
  labels: labelsSchema.default({}),
  /** Absent: the source's. */
  egress: egressPolicySchema.optional(),
  /** The lease of each copy; absent: as long as the source's was given. */
  timeoutSeconds: external_exports.number().int().min(1).max(604800).optional(),
  /** Keep what the copies start from as a snapshot of this name (true: a generated one). */
  keepSnapshot: external_exports.union([external_exports.boolean(), nameSchema]).default(false)
});
var forkResultSchema = external_exports.object({
  id: forkIdSchema,
  /** The copies, in order. */
  sandboxes: external_exports.array(sandboxSchema),
  snapshot: snapshotSchema.nullable(),
  /** How long the source stood still, and how its memory was duplicated. */
  pausedMs: external_exports.number(),
  method: external_exports.enum(["clone", "copy"])
});
var forkFailureDetailsSchema = external_exports.object({
  /** Copies that run and go on running, in order. */
  startedSandboxIds: external_exports.array(sandboxIdSchema),
  failures: external_exports.array(
    external_exports.object({ index: external_exports.number().int(), sandboxId: external_exports.string(), code: external_exports.string(), message: external_exports.string() })
  ),
  /** The name under which was kept what the copies start from. */
  snapshot: external_exports.string().optional()
});

// hostd/contract/files.ts
var pathSchema = external_exports.string().min(1).max(4096).refine((value) => !value.includes("\0"), "must not contain NUL");
var fileQuerySchema = external_exports.object({ path: pathSchema });
var writeFileQuerySchema = fileQuerySchema.extend({
  mode: external_exports.string().regex(/^0?[0-7]{1,4}$/, "must be octal").transform((value) => Number.parseInt(value, 8)).optional()
});
var listFilesQuerySchema = fileQuerySchema.extend({
  recursive: querySwitchSchema
});
var globsSchema = external_exports.union([external_exports.string(), external_exports.array(external_exports.string())]).transform((value) => Array.isArray(value) ? value : [value]).default([]);
var extractQuerySchema = fileQuerySchema.extend({
  owner: external_exports.string().regex(/^\d{1,10}:\d{1,10}$/, "must be uid:gid").optional()
});
var archiveQuerySchema = fileQuerySchema.extend({
  include: globsSchema,
  exclude: globsSchema,
  sparse: querySwitchSchema
});
var fileEntrySchema = external_exports.object({
  name: external_exports.string(),
  type: external_exports.enum(["file", "directory", "symlink", "fifo", "socket", "char-device", "block-device"]),
  sizeBytes: external_exports.number(),
  mode: external_exports.number().int(),
  uid: external_exports.number().int(),
  gid: external_exports.number().int(),
  mtimeMs: external_exports.number(),
  target: external_exports.string().optional()
});
var fileListSchema = external_exports.object({ entries: external_exports.array(fileEntrySchema) });
var writeResultSchema = external_exports.object({ sizeBytes: external_exports.number() });
var extractResultSchema = external_exports.object({ entries: external_exports.number(), bytes: external_exports.number(), skipped: external_exports.number() });

// hostd/contract/problem.ts
var problemSchema = external_exports.object({
  type: external_exports.string(),
  title: external_exports.string(),
  status: external_exports.number().int(),
  detail: external_exports.string(),
  code: external_exports.string(),
  hint: external_exports.string(),
  retryable: external_exports.boolean(),
  details: external_exports.record(external_exports.string(), external_exports.unknown()),
  requestId: external_exports.string().optional()
});

export {
  ulid,
  ptySizeSchema,
  createExecSchema,
  execFailureSchema,
  execSchema,
  execListSchema,
  outputQuerySchema,
  outputLineSchema,
  outputFrameMediaType,
  inputQuerySchema,
  inputResultSchema,
  signalSchema,
  sandboxStates,
  sandboxStateSchema,
  endReasonSchema,
  createSandboxSchema,
  sandboxSchema,
  sandboxListSchema,
  listSandboxesQuerySchema,
  renewSchema,
  pauseSchema,
  createSnapshotSchema,
  snapshotSchema,
  snapshotListSchema,
  Patience,
  problemSchema,
  forkSchema,
  forkResultSchema,
  forkFailureDetailsSchema,
  fileQuerySchema,
  writeFileQuerySchema,
  listFilesQuerySchema,
  extractQuerySchema,
  archiveQuerySchema,
  fileEntrySchema,
  fileListSchema,
  writeResultSchema,
  extractResultSchema
};
