import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  say
} from "./chunk-5RNB6BKN.mjs";
import {
  error,
  notice,
  warning
} from "./chunk-HGD2WCUR.mjs";
import {
  Sandbox,
  expandAutoRules,
  hasAutoRules
} from "./chunk-7WZNFVLZ.mjs";
import {
  OffshootError,
  isOffshootError
} from "./chunk-LTWX3RIA.mjs";
import {
  maxEnvStringBytes
} from "./chunk-DPK6MB3H.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";

// action/annotations.ts
var shown = 10;
var longestMessage = 4096;
var show = { error, warning, notice };
var told = { error: 0, warning: 0, notice: 0 };
function tell(kind, title2, message) {
  told[kind] += 1;
  const text = message.slice(0, longestMessage);
  if (told[kind] > shown) say(`${kind}: ${title2}: ${text}`);
  else show[kind](text, { title: title2 });
}
function warn(message) {
  tell("warning", "Offshoot", message);
}
function tellFailure(failure) {
  const { title: title2, message } = explain(failure);
  tell("error", title2, message);
  if (process.env["RUNNER_DEBUG"] === "1" && failure instanceof Error) say(failure.stack ?? "");
}
var hints = {
  "host-unreachable": "Is hostd running there, and may the runner use its socket? The input host names it.",
  "guest-disk-full": "Ask for more with the input disk.",
  "capacity-impossible": "Ask for less with the inputs cpus, memory and disk.",
  "image-not-found": "On the host, offshoot image list shows the images; offshoot image build NAME makes one.",
  "snapshot-in-use": "Other sandboxes stand on it: wait for their jobs to end, or choose another name."
};
function explain(failure) {
  if (!isOffshootError(failure)) {
    const message = failure instanceof Error ? failure.message : String(failure);
    return {
      title: "Offshoot: internal",
      message: `${message}
Re-run the job with debug logging to see where it happened.`
    };
  }
  const all = issuesOf(failure);
  const issues = all.length < 2 ? [] : all.map((issue) => `
- ${issue}`);
  const advice = hints[failure.code] ?? failure.hint;
  const hint = advice === "" ? "" : `
${advice}`;
  return { title: `Offshoot: ${failure.code}`, message: `${failure.message}${issues.join("")}${hint}` };
}
function issuesOf(failure) {
  const issues = failure.details["issues"];
  if (!Array.isArray(issues)) return [];
  return issues.slice(0, 10).map((issue) => {
    if (typeof issue !== "object" || issue === null || !("message" in issue)) return String(issue);
    return `${"path" in issue ? `${String(issue.path)}: ` : ""}${String(issue.message)}`;
  });
}

// action/cancellation.ts
var Cancellation = class {
  #controller = new AbortController();
  #reactions = [];
  #settled = Promise.resolve();
  constructor() {
    process.on("SIGINT", this.#cancel).on("SIGTERM", this.#cancel);
  }
  get signal() {
    return this.#controller.signal;
  }
  get cancelled() {
    return this.signal.aborted;
  }
  /** Runs at the first signal, before anything else is told of it. */
  onCancel(reaction) {
    this.#reactions.push(reaction);
  }
  /** Resolves when all reactions have ended. */
  async settled() {
    await this.#settled;
  }
  #cancel = () => {
    if (this.cancelled) return;
    this.#settled = Promise.allSettled(this.#reactions.map((reaction) => reaction()));
    this.#controller.abort();
  };
};

// action/egress/take-report.ts
var requestTimeoutMs = 15e3;
var reconnectTimeoutMs = 5e3;
async function takeReport(host, sandboxId) {
  try {
    const sandbox = await Sandbox.connect(sandboxId, { host, requestTimeoutMs, reconnectTimeoutMs });
    try {
      return { report: await sandbox.egressReport() };
    } finally {
      await sandbox.disconnect();
    }
  } catch (error2) {
    const [why = ""] = explain(error2).message.split("\n");
    return { missing: why };
  }
}

// action/egress/policy.ts
import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
var mostTold = 100;
function recordsDenials(mode) {
  return mode === "enforce" || mode === "audit";
}
async function policyOf(inputs, tempFolder, options = {}) {
  const { egress, "egress-mode": mode } = inputs;
  if (egress === void 0) return mode === void 0 ? void 0 : { mode, allow: [] };
  const cwd = await mkdtemp(path.join(tempFolder, "offshoot-auto-"));
  try {
    const allow = await expandAutoRules(egress, { ...options, cwd });
    if (hasAutoRules(egress)) tellRules(allow);
    return { mode: mode ?? "enforce", allow };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}
function tellRules(rules) {
  const left = rules.length - mostTold;
  const told2 = rules.slice(0, mostTold).join(" ");
  say(`egress with auto: filled in from this runner: ${told2}${left > 0 ? ` and ${String(left)} more` : ""}`);
}

// action/job/progress.ts
import { setTimeout as sleep } from "node:timers/promises";
var firstMs = 5e3;
var everyMs = 3e4;
async function tellProgress(id, host, signal) {
  const startedMs = performance.now();
  for (let pauseMs = firstMs; ; pauseMs = everyMs) {
    await sleep(pauseMs, void 0, { signal }).catch(() => void 0);
    if (signal.aborted) return;
    const seconds = Math.round((performance.now() - startedMs) / 1e3);
    say(`${await stateOf(id, host)} (${String(seconds)} s)`);
  }
}
async function stateOf(id, host) {
  try {
    const sandbox = await Sandbox.connect(id, { host, requestTimeoutMs: 5e3 });
    await sandbox.disconnect();
    if (sandbox.info.state === "queued") return "waiting for room on the host";
    return "the sandbox is being made: the first of its image and size on a host boots, later ones do not";
  } catch {
    return `waiting for the host ${host}`;
  }
}

// action/job/create-sandbox.ts
var leaseSeconds = 180;
var waitSeconds = 600;
var reconnectTimeoutMs2 = 1e4;
async function createSandbox(id, host, inputs, context, timings, signal) {
  const asked = performance.now();
  const made = new AbortController();
  const progress = tellProgress(id, host, AbortSignal.any([signal, made.signal]));
  const sandbox = await ask(id, host, inputs, context, signal).catch((error2) => {
    throw explained(error2, performance.now() - asked);
  }).finally(() => {
    made.abort();
  });
  await progress;
  const { queuedMs, readyMs } = sandbox.info.timings;
  timings.add("queued", queuedMs);
  timings.add("restored", Math.max(0, (readyMs ?? queuedMs) - queuedMs));
  timings.lap();
  if (inputs["fail-on-egress-denied"]) refuseUnrecorded(sandbox.info);
  const { isolation, cpus, memoryMiB, egress } = sandbox.info;
  say(
    `${sandbox.id}: ${String(cpus)} CPU, ${String(memoryMiB)} MiB, ${isolation.tier}, egress ${describePolicy(egress)}`
  );
  return sandbox;
}
async function ask(id, host, inputs, context, signal) {
  const given = (name, value) => value === void 0 ? {} : { [name]: value };
  return Sandbox.create({
    id,
    ...given("image", inputs.image),
    ...given("snapshot", inputs.snapshot),
    ...given("cpus", inputs.cpus),
    ...given("memoryMiB", inputs.memory),
    ...given("diskMiB", inputs.disk),
    ...given("egress", await policyOf(inputs, context.tempFolder)),
    labels: { ...context.labels, ...inputs.labels },
    timeoutSeconds: leaseSeconds,
    waitSeconds,
    signal,
    connection: { host, reconnectTimeoutMs: reconnectTimeoutMs2 }
  });
}
function refuseUnrecorded({ egress }) {
  if (recordsDenials(egress.mode)) return;
  throw new OffshootError("action-input", {
    message: `fail-on-egress-denied: the sandbox has egress mode ${egress.mode} from its snapshot or host, which records no denials.`,
    hint: "Give egress, or egress-mode enforce or audit."
  });
}
function describePolicy({ mode, allow }) {
  if (allow.length === 0) return mode === "enforce" ? "enforce without rules: nothing is allowed" : mode;
  return `${mode} with ${String(allow.length)} ${allow.length === 1 ? "rule" : "rules"}`;
}
function explained(error2, waitedMs) {
  if (!isOffshootError(error2) || error2.code !== "capacity-exhausted") return error2;
  return new OffshootError("capacity-exhausted", {
    message: `The host had no room for ${String(Math.round(waitedMs / 1e3))} s: ${error2.message}`,
    hint: "Run fewer jobs at once on this host, ask for less memory, or give the host more.",
    details: error2.details
  });
}

// action/egress/plain-name.ts
var others = /[^A-Za-z0-9._:*/[\]-]/g;
var longest = 100;
function plainName(name) {
  const plain = name.replaceAll(others, "?");
  if (plain.length <= longest) return plain === "" ? "?" : plain;
  return `${plain.slice(0, longest)}...`;
}
function placeOf({ name, address, port, transport }) {
  const host = name ?? (address?.includes(":") === true ? `[${address}]` : address ?? "unknown");
  const asked = port === null && transport === "udp";
  const prefix = transport === "tcp" || asked ? "" : `${transport}:`;
  return `${prefix}${plainName(host)}${port === null ? "" : `:${String(port)}`}`;
}

// action/egress/tell-denials.ts
var title = "Offshoot: egress denied";
var named = 5;
function tellDenials(taken, { fail, seen = 0 }) {
  if ("missing" in taken) return tellUnknown(taken.missing, fail);
  const { mode } = taken.report.policy;
  if (fail && !recordsDenials(mode)) return tellUnknown(`egress mode ${mode} records no denials.`, fail);
  const { report } = taken;
  const count = report.deniedCount - seen;
  if (count <= 0) return void 0;
  const message = `${describe(report, count)}: ${placesOf(report)}. The summary has all of it and a list to paste.`;
  if (fail) {
    tell("error", title, `${message}
The input fail-on-egress-denied is true, so the step fails.`);
    return `failed by fail-on-egress-denied: ${describe(report, count)}`;
  }
  if (isBlocking(report)) tell("notice", title, message);
  else say(message);
  return void 0;
}
function tellUnknown(why, fail) {
  if (!fail) {
    say(`no egress report: ${why}`);
    return void 0;
  }
  const message = `What the sandbox was denied is not known, and fail-on-egress-denied is true, so the step fails: ${why}`;
  tell("error", "Offshoot: no egress report", message);
  return "failed by fail-on-egress-denied: there is no report of what was denied";
}
function describe(report, count) {
  const what = count === 1 ? "attempt" : "attempts";
  return isBlocking(report) ? `${String(count)} ${what} to reach what the egress rules do not allow` : `${String(count)} ${what} that egress-mode enforce would deny`;
}
function isBlocking({ policy, denied }) {
  return denied.length === 0 ? policy.mode !== "audit" : denied.some(({ blocked }) => blocked);
}
function placesOf({ denied, omitted }) {
  const latest = denied.toSorted((one, other) => Date.parse(other.lastAt) - Date.parse(one.lastAt));
  const mixed = new Set(denied.map(({ blocked }) => blocked)).size > 1;
  const words = latest.slice(0, named).map((denial) => describeDenial(denial, mixed));
  const more = denied.length - words.length;
  if (more > 0 || omitted > 0) words.push("and more");
  return words.length === 0 ? "the host has no list of them" : words.join(", ");
}
function describeDenial(denial, mixed) {
  const times = denial.count === 1 ? "" : `, ${String(denial.count)} times`;
  return `${placeOf(denial)} (${denial.reason}${times}${mixed && !denial.blocked ? ", let through" : ""})`;
}

// action/session.ts
import { mkdir, readFile, rename, rm as rm2, writeFile } from "node:fs/promises";
import path2 from "node:path";
var sessionSchema = external_exports.object({
  version: external_exports.literal(1),
  sandboxId: external_exports.string(),
  host: external_exports.string(),
  workspace: external_exports.string(),
  shell: external_exports.string(),
  /** The `env` input of the step that made it. */
  env: external_exports.string(),
  /** What the names in it stood for in that step; a later step's own value wins. */
  named: external_exports.record(external_exports.string(), external_exports.string()),
  timeoutMs: external_exports.number(),
  leaseSeconds: external_exports.number(),
  sync: external_exports.boolean(),
  syncExclude: external_exports.array(external_exports.string()),
  artifacts: external_exports.array(external_exports.string()),
  /** On the runner, absolute. */
  artifactsFolder: external_exports.string(),
  keepMinutes: external_exports.number(),
  failOnEgressDenied: external_exports.boolean(),
  /** Denials that a step has been failed for already. */
  deniedSeen: external_exports.number(),
  /** What steps in the sandbox added to PATH and to the environment, oldest first. */
  pathEntries: external_exports.array(external_exports.string()),
  envEntries: external_exports.array(external_exports.object({ name: external_exports.string(), value: external_exports.string() })),
  /** The snapshot that was kept when a step failed. */
  kept: external_exports.object({ snapshot: external_exports.string(), minutes: external_exports.number(), command: external_exports.string() }).optional(),
  /** How the first step that failed ended, for the summary. */
  failure: external_exports.string().optional(),
  timings: external_exports.record(external_exports.string(), external_exports.number())
});
var sessionVariable = "OFFSHOOT_SANDBOX";
function sessionFolder(tempFolder) {
  return path2.join(tempFolder, "offshoot");
}
function sessionFile(tempFolder, sandboxId) {
  return path2.join(sessionFolder(tempFolder), `${sandboxId}.json`);
}
async function writeSession(file, session) {
  await mkdir(path2.dirname(file), { recursive: true, mode: 448 });
  const partial = `${file}.${String(process.pid)}`;
  await writeFile(partial, JSON.stringify(session), { mode: 384 });
  await rename(partial, file);
}
async function readSession(file) {
  const text = await readFile(file, "utf8").catch(() => void 0);
  if (text !== void 0) return parseSession(text, file);
  throw new OffshootError("usage", {
    message: `There is no sandbox ${path2.basename(file, ".json")} of this job for the shell offshoot {0}.`,
    hint: `Put a step with \`uses: .../offshoot\` and without \`run\` before this one; ${sessionVariable} names its sandbox.`
  });
}
function parseSession(text, file) {
  try {
    return sessionSchema.parse(JSON.parse(text));
  } catch (error2) {
    throw new OffshootError("local-file-error", { message: `${file} is damaged.`, cause: error2 });
  }
}
async function removeSession(file) {
  await rm2(file, { force: true });
}

// action/file-commands/limits.ts
var MiB = 1024 * 1024;
var fileLimits = { output: 4 * MiB, env: 2 * MiB, path: MiB / 4, summary: MiB };
var variableOf = {
  output: "GITHUB_OUTPUT",
  env: "GITHUB_ENV",
  path: "GITHUB_PATH",
  summary: "GITHUB_STEP_SUMMARY"
};
var archiveBytes = 64 * MiB;
var mostEntries = 1e3;
var mostNamedValues = 1e4;
var envLimits = { stepBytes: 256 * 1024, sessionBytes: 512 * 1024, sessionPathBytes: 64 * 1024 };
function sessionBytesOf(env, path3) {
  const values = new Map(env.map(({ name, value }) => [name, value]));
  const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);
  return {
    env: sum([...values].map(([name, value]) => variableBytes(name, value))),
    path: sum([...new Set(path3)].map((entry) => Buffer.byteLength(entry) + 1))
  };
}
function variableBytes(name, value) {
  return Buffer.byteLength(name) + Buffer.byteLength(value) + 10;
}
function fitsOneVariable(name, value) {
  return Buffer.byteLength(name) + 1 + Buffer.byteLength(value) <= maxEnvStringBytes;
}

// action/within.ts
function within(timeoutMs, signal) {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}

export {
  tell,
  warn,
  tellFailure,
  explain,
  Cancellation,
  takeReport,
  fileLimits,
  variableOf,
  archiveBytes,
  mostEntries,
  mostNamedValues,
  envLimits,
  sessionBytesOf,
  variableBytes,
  fitsOneVariable,
  within,
  leaseSeconds,
  reconnectTimeoutMs2 as reconnectTimeoutMs,
  createSandbox,
  plainName,
  tellDenials,
  sessionVariable,
  sessionFolder,
  sessionFile,
  writeSession,
  readSession,
  removeSession
};
