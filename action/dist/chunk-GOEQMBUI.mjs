import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  networkContains,
  parseIpv4Network
} from "./chunk-UIMXNFRT.mjs";
import {
  OffshootError,
  isOffshootError
} from "./chunk-LTWX3RIA.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";

// hostd/daemon/config.ts
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

// hostd/api/address.ts
import { isIP } from "node:net";
var maxUnixPathBytes = 107;
function parseListenAddress(text) {
  if (text.startsWith("tcp:")) return parseTcp(text.slice(4));
  const path = text.startsWith("unix:") ? text.slice(5) : text;
  if (!path.startsWith("/")) throw invalid("must be unix:/absolute/path or tcp:HOST:PORT");
  if (path.includes("\0")) throw invalid("must not contain NUL");
  if (Buffer.byteLength(path) > maxUnixPathBytes)
    throw invalid(`is longer than the ${String(maxUnixPathBytes)} bytes Linux allows for a socket path`);
  return { kind: "unix", path };
}
function formatAddress(address) {
  if (address.kind === "unix") return `unix:${address.path}`;
  const host = isIP(address.host) === 6 ? `[${address.host}]` : address.host;
  return `tcp:${host}:${String(address.port)}`;
}
function isLoopback(host) {
  return host === "::1" || host === "localhost" || isIP(host) === 4 && host.startsWith("127.");
}
function parseTcp(text) {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === void 0 || port > 65535) throw invalid("must be tcp:HOST:PORT, with IPv6 addresses in brackets");
  if (!isLoopback(host))
    throw invalid(
      "this version has no tokens yet, so it listens on loopback addresses only: 127.0.0.1, [::1] or localhost"
    );
  return { kind: "tcp", host, port };
}
function invalid(message2) {
  return new OffshootError("config-invalid", {
    message: `listen: ${message2}.`,
    details: { issues: [{ path: "listen", message: message2 }] }
  });
}

// hostd/api/validation.ts
var maxIssues = 20;
var maxPartLength = 80;
var maxMessageLength = 300;
function checked(schema, value, where) {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = readableIssues(result.error.issues);
  const first = issues[0] ?? { path: "", message: "is not valid" };
  throw new OffshootError("invalid-request", {
    message: `The ${where} of the request is not valid: ${first.path === "" ? "" : `${first.path}: `}${first.message}.`,
    details: { in: where, issues }
  });
}
function readableIssues(issues) {
  return issues.slice(0, maxIssues).map((issue) => ({
    path: issue.path.map(readablePart).join("."),
    message: cut(message(issue), maxMessageLength)
  }));
}
function message(issue) {
  if (issue.code === "invalid_key") return issue.issues[0]?.message ?? issue.message;
  if (issue.code === "unrecognized_keys") return `unknown: ${issue.keys.slice(0, 10).map(readablePart).join(", ")}`;
  return issue.message;
}
function readablePart(part) {
  const text = String(part);
  const name = text.includes("=") ? `${text.slice(0, text.indexOf("="))}=...` : text;
  return cut(name.replace(/[^\x20-\x7e]/g, "?"), maxPartLength);
}
function cut(text, length) {
  return text.length <= length ? text : `${text.slice(0, length)}...`;
}
var noQuery = external_exports.strictObject({});

// hostd/net/config.ts
import { isIP as isIP2 } from "node:net";
var usableForSandboxes = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15"];
var subnetSchema = external_exports.string().transform((text, context) => {
  const network = parseIpv4Network(text);
  const problem = subnetProblem(network);
  if (network !== void 0 && problem === void 0) return network;
  context.addIssue({ code: "custom", message: problem ?? "not a subnet", input: text });
  return external_exports.NEVER;
});
function subnetProblem(network) {
  if (network === void 0) return "must be an IPv4 subnet such as 10.83.0.0/16, with no bits set behind its prefix";
  if (network.prefixLength < 8 || network.prefixLength > 28) return "its prefix must be between /8 and /28";
  const usable = usableForSandboxes.flatMap((text) => parseIpv4Network(text) ?? []);
  if (usable.some((range) => networkContains(range, network))) return void 0;
  return `must lie in one of ${usableForSandboxes.join(", ")}`;
}
function parseUpstream(text) {
  if (isIP2(text) !== 0) return { address: text, port: 53 };
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const address = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (address === void 0 || isIP2(address) === 0 || !(port >= 1 && port <= 65535)) return void 0;
  if (match?.[1] !== void 0 && isIP2(address) !== 6) return void 0;
  return { address, port };
}
var upstreamSchema = external_exports.string().transform((text, context) => {
  const upstream = parseUpstream(text);
  if (upstream !== void 0) return upstream;
  context.addIssue({ code: "custom", message: "must be an address, or an address and port", input: text });
  return external_exports.NEVER;
});
var fieldsSchema = external_exports.strictObject({
  /** Carried by every name on the host, so that several hostds can share it: each needs its own instance and its own subnet. */
  instance: external_exports.string().regex(/^[a-z0-9]{1,6}$/, "must be 1 to 6 lower-case letters and digits").default("main"),
  /** Addresses of the bridge, the sandboxes as the host sees them, and the link inside each of them. */
  subnet: subnetSchema.prefault("10.83.0.0/16"),
  /** Bytes; by default that of the host's uplink, at most 1500. */
  mtu: external_exports.int().min(576).max(9e3).optional(),
  /** DNS servers asked for the sandboxes instead of those in resolv.conf. */
  dnsUpstreams: external_exports.array(upstreamSchema).min(1).max(8).optional(),
  /** Port on the bridge where hostd answers DNS; sandboxes always ask port 53 of their gateway. */
  dnsPort: external_exports.int().min(1).max(65535).default(53),
  /** Port on the bridge where names are answered by policy; it must not be `dnsPort`. */
  policyDnsPort: external_exports.int().min(1).max(65535).default(1053),
  resolvConf: external_exports.string().startsWith("/").default("/etc/resolv.conf"),
  /** How often hostd looks whether its bridge and rules still stand, and mends them: other programs reload firewalls. */
  checkSeconds: external_exports.number().min(0.1).max(3600).default(30),
  /** Connections and UDP flows one sandbox may have open at once. */
  maxFlowsPerSandbox: external_exports.int().min(16).max(1e6).default(8192)
});
var networkConfigSchema = fieldsSchema.superRefine(({ dnsPort, policyDnsPort }, context) => {
  if (dnsPort !== policyDnsPort) return;
  context.addIssue({ code: "custom", path: ["policyDnsPort"], message: "must be another port than dnsPort" });
});

// hostd/sandbox/host-config.ts
import { availableParallelism } from "node:os";
var milliseconds = external_exports.int().min(1).max(864e5);
var hostConfigSchema = external_exports.strictObject({
  /** The VMM of the sandbox in slot N runs as the user uidBase + N. */
  uidBase: external_exports.int().min(1e3).max(4e9).default(64e4),
  /** Group of all VMMs: may read templates and image disks. */
  vmmGid: external_exports.int().min(1e3).max(4e9).default(64e4),
  maxSandboxes: external_exports.int().min(1).max(1e3).default(128),
  /** Virtual CPUs that one sandbox may ask for; default as many as the host has. More than that only take turns. */
  maxCpusPerSandbox: external_exports.int().min(1).max(64).optional(),
  /** Of sandboxes that are created without a policy. */
  defaultEgressMode: external_exports.enum(["audit", "open", "none"]).default("audit"),
  /** Memory held back for the host itself; default a tenth, at least 256 MiB. */
  hostReserveMiB: external_exports.int().min(0).optional(),
  /** Memory of a VMM beyond its guest's. */
  vmmOverheadMiB: external_exports.int().min(0).default(48),
  /** 1 holds back all a sandbox could ever grow by; 4 a quarter of it. */
  overcommitRatio: external_exports.number().min(1).max(100).default(4),
  /** No new sandbox while the host's free memory would fall below this. */
  minAvailableMiB: external_exports.int().min(0).default(256),
  /** No new sandbox while tasks were stalled on memory for more than this share of the last 10 s. */
  maxMemoryPressurePercent: external_exports.number().min(0).max(100).default(40),
  /** No new sandbox while the state directory's file system has less than this free. */
  minDiskFreeMiB: external_exports.int().min(0).default(1024),
  /** Disk a new sandbox is expected to fill before others can be told. */
  diskReserveMiB: external_exports.int().min(0).default(128),
  maxExecsPerSandbox: external_exports.int().min(1).max(200).default(64),
  maxFollowersPerSandbox: external_exports.int().min(1).max(1e4).default(128),
  maxTransfersPerSandbox: external_exports.int().min(1).max(200).default(16),
  maxOutputBytesPerExec: external_exports.int().min(1).default(2 * 1024 ** 3),
  bootDeadlineMs: milliseconds.default(6e4),
  /** A cold boot that has written nothing to its console for this long hangs. */
  silentBootMs: milliseconds.default(3e4),
  restoreDeadlineMs: milliseconds.default(15e3),
  prepareDeadlineMs: milliseconds.default(1e4),
  adoptDeadlineMs: milliseconds.default(1e4),
  /** How long an agent may be away while its VMM lives. */
  agentLossMs: milliseconds.default(5e3),
  /** How long an exec may outlive its timeout, in which the guest ends it, before hostd ends it without the guest. */
  execGraceMs: milliseconds.default(2e4),
  /** A file operation fails when the guest has answered nothing for this long. */
  guestSilenceMs: milliseconds.default(9e4),
  killDeadlineMs: milliseconds.default(5e3),
  sampleIntervalMs: milliseconds.default(5e3),
  /** Machines of the shape asked for last that are restored ahead, so that the next sandbox starts at once; each takes some 60 MiB. */
  spares: external_exports.int().min(0).max(16).default(1),
  /** How long after a create the next spare machine is made. */
  spareDelayMs: external_exports.int().min(0).max(6e4).default(1e3),
  /** A spare machine that nobody asked for in this time is given up. */
  spareIdleMs: milliseconds.default(6e5),
  /** Memory images of forks lie in a folder of their own in here: a tmpfs, so that they are in memory. */
  forkImageDirectory: external_exports.string().min(1).max(1024).default("/dev/shm"),
  /** Beyond this, or when memory is short, images of forks go to the state directory; default a quarter of the memory. */
  forkImageMiB: external_exports.int().min(0).optional(),
  /** How many copies of a fork are started at the same time. */
  concurrentCopies: external_exports.int().min(1).max(100).default(8),
  /** How long a paused sandbox stays in memory before it goes to disk and its process ends. */
  hibernateAfterSeconds: external_exports.int().min(0).max(604800).default(60),
  maxSnapshots: external_exports.int().min(0).max(1e4).default(100),
  /** How long all processes of a sandbox may take to stand still for a fork; then it is made without. */
  freezeDeadlineMs: milliseconds.default(500),
  maxTemplates: external_exports.int().min(1).default(8),
  concurrentBoots: external_exports.int().min(1).default(Math.max(1, availableParallelism() - 1)),
  tombstoneHours: external_exports.number().min(0).default(24),
  maxTombstones: external_exports.int().min(0).default(200),
  maxTombstoneBytes: external_exports.int().min(0).default(4 * 1024 ** 3),
  idempotencyHours: external_exports.number().min(0).default(24)
});

// hostd/daemon/config.ts
var count = external_exports.int().min(1).max(1e6);
var milliseconds2 = external_exports.int().min(1).max(864e5);
var apiConfigSchema = external_exports.strictObject({
  jsonBodyBytes: external_exports.int().min(1024).max(1073741824).optional(),
  headersTimeoutMs: milliseconds2.optional(),
  jsonBodyTimeoutMs: milliseconds2.optional(),
  uploadIdleTimeoutMs: milliseconds2.optional(),
  keepAliveMs: milliseconds2.optional(),
  drainMs: milliseconds2.optional(),
  maxConnections: count.optional(),
  maxFollowers: count.optional(),
  maxTransfers: count.optional(),
  maxBuilds: count.optional()
});
var listenSchema = external_exports.string().transform((text, context) => {
  try {
    return parseListenAddress(text);
  } catch (error) {
    const message2 = isOffshootError(error) ? error.message.replace(/^listen: (.*)\.$/, "$1") : "is not an address";
    context.addIssue({ code: "custom", message: message2 });
    return external_exports.NEVER;
  }
});
var configSchema = external_exports.strictObject({
  /** Where hostd keeps everything. */
  stateDirectory: external_exports.string().min(1).max(1024).default("/var/lib/offshoot").transform((path) => resolve(path)),
  /** unix:PATH, or tcp:HOST:PORT on a loopback address. */
  listen: listenSchema.prefault("unix:/run/offshoot/hostd.sock"),
  /** Group, by name or id, that may use the unix socket besides root. Its members can do all that root can on this host. */
  socketGroup: external_exports.union([external_exports.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/i, "must be the name of a group"), external_exports.int().min(0)]).optional(),
  logLevel: external_exports.enum(["debug", "info", "warn", "error"]).default("info"),
  /** Run no sandbox at all rather than under software emulation. */
  requireKvm: external_exports.boolean().default(false),
  /** `off` emulates without asking KVM. */
  kvm: external_exports.enum(["probe", "off"]).default("probe"),
  /** How long the probe that boots a tiny program under KVM may take. */
  kvmProbeDeadlineMs: milliseconds2.default(3e3),
  api: apiConfigSchema.prefault({}),
  sandboxes: hostConfigSchema.prefault({}),
  network: networkConfigSchema.prefault({})
});
async function loadConfig(flags = {}, env = process.env) {
  const file = flags.config ?? nonEmpty(env.OFFSHOOT_CONFIG);
  const fromFile = file === void 0 ? {} : await readConfigFile(file);
  const over = {
    stateDirectory: flags.state ?? nonEmpty(env.OFFSHOOT_STATE),
    listen: flags.listen ?? nonEmpty(env.OFFSHOOT_LISTEN),
    requireKvm: flags.requireKvm ?? readSwitch("OFFSHOOT_REQUIRE_KVM", env.OFFSHOOT_REQUIRE_KVM),
    logLevel: nonEmpty(env.OFFSHOOT_LOG_LEVEL)
  };
  const given = Object.fromEntries(Object.entries(over).filter(([, value]) => value !== void 0));
  return parseConfig({ ...fromFile, ...given }, file);
}
function parseConfig(value, file) {
  const result = configSchema.safeParse(value);
  if (result.success) return result.data;
  const issues = readableIssues(result.error.issues);
  throw new OffshootError("config-invalid", {
    message: file === void 0 ? "The configuration is not valid." : `The configuration in ${file} is not valid.`,
    details: { issues }
  });
}
async function readConfigFile(file) {
  const text = await readFile(file, "utf8").catch((error) => {
    throw unreadable(file, `can not be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(file, `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unreadable(file, "is not a JSON object");
  return value;
}
function readSwitch(name, value) {
  if (value === void 0 || value === "") return void 0;
  if (value === "1" || value === "true") return true;
  if (value === "0" || value === "false") return false;
  throw new OffshootError("config-invalid", {
    message: `${name} must be 1, true, 0 or false.`,
    details: { issues: [{ path: name, message: "must be 1, true, 0 or false" }] }
  });
}
function unreadable(file, message2) {
  return new OffshootError("config-invalid", {
    message: `The configuration file ${file} ${message2}.`,
    details: { issues: [{ path: file, message: message2 }] }
  });
}
function nonEmpty(value) {
  return value === "" ? void 0 : value;
}

export {
  formatAddress,
  isLoopback,
  checked,
  noQuery,
  configSchema,
  loadConfig,
  parseConfig
};
