import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  explain,
  plainName,
  variableOf,
  warn,
  within
} from "./chunk-PFPPHYGU.mjs";
import {
  say
} from "./chunk-5RNB6BKN.mjs";
import {
  getState,
  saveState
} from "./chunk-HGD2WCUR.mjs";
import {
  openingRules
} from "./chunk-2J7B57AF.mjs";
import {
  Sandbox,
  brokenOff,
  chosenBy,
  expandBraces,
  shown,
  unpackSound
} from "./chunk-7WZNFVLZ.mjs";
import {
  OffshootError,
  isOffshootError
} from "./chunk-LTWX3RIA.mjs";
import {
  processIdentitySchema
} from "./chunk-LTHL2XHT.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";

// action/job-state.ts
var jobStateSchema = external_exports.object({
  sandboxId: external_exports.string(),
  /** Absent while `host: local` is not up. */
  host: external_exports.string().optional(),
  /** What a host of this job needs to be ended; its own module knows the shape. */
  local: external_exports.unknown().optional(),
  /** Set when later steps use the sandbox. */
  sessionFile: external_exports.string().optional(),
  /** Here as well as in the session, which steps of the job can damage. */
  failOnEgressDenied: external_exports.boolean().default(false),
  heartbeat: processIdentitySchema.optional(),
  /** True once main has destroyed the sandbox and said so. */
  destroyed: external_exports.boolean().default(false)
});
var key = "offshoot";
function saveJobState(state) {
  saveState(key, state);
}
function loadJobState() {
  const text = getState(key);
  return text === "" ? void 0 : jobStateSchema.parse(JSON.parse(text));
}

// action/artifacts/artifact-globs.ts
import path from "node:path";
function globRoots(globs, base) {
  const roots = /* @__PURE__ */ new Map();
  const positive = globs.filter((glob) => !glob.startsWith("!"));
  for (const glob of positive) {
    for (const pattern of expandBraces(glob)) {
      const { folder, rest } = place(pattern, base);
      const root = roots.get(folder) ?? { folder, include: [], written: /* @__PURE__ */ new Map() };
      roots.set(folder, root);
      root.include.push(escaped(rest));
      root.written.set(glob, [...root.written.get(glob) ?? [], escaped(rest)]);
    }
  }
  for (const glob of globs.filter((glob2) => glob2.startsWith("!"))) {
    for (const pattern of expandBraces(glob.slice(1))) takeAway(pattern, base, roots);
  }
  return [...roots.values()];
}
function checkArtifactGlobs(globs) {
  try {
    globRoots(globs, "/workspace");
  } catch (error) {
    if (!isOffshootError(error)) throw error;
    throw new OffshootError("action-input", {
      message: `The input artifacts: ${error.message}`,
      hint: error.hint,
      details: { issues: [{ path: "artifacts", message: error.message }] },
      cause: error
    });
  }
}
function globsNamingGit({ include }) {
  const isNegative = (glob) => glob.startsWith("!");
  const naming = include.filter((glob) => !isNegative(glob) && glob.split("/").includes(".git"));
  return naming.length === 0 ? void 0 : [...naming, ...include.filter(isNegative)];
}
function takeAway(pattern, base, roots) {
  checked(pattern);
  for (const root of roots.values()) {
    const rest = pattern.startsWith("/") ? beneath(root.folder, pattern) : root.folder === base ? pattern : void 0;
    if (rest !== void 0) root.include.push(`!${rest}`);
  }
}
function place(pattern, base) {
  checked(pattern);
  if (!pattern.startsWith("/")) return { folder: base, rest: pattern };
  const inBase = beneath(base, pattern);
  if (inBase !== void 0) return { folder: base, rest: inBase };
  const components = pattern.split("/").filter((component) => component !== "");
  const special = components.findIndex((component) => /[*?[\\]/.test(component));
  const plain = special === -1 ? components.length - 1 : special;
  return { folder: `/${components.slice(0, plain).join("/")}`, rest: components.slice(plain).join("/") };
}
function beneath(folder, pattern) {
  const prefix = folder === "/" ? "/" : `${folder}/`;
  const normal = pattern.replaceAll(/\/+/g, "/");
  if (path.posix.normalize(`${normal}/`) === path.posix.normalize(`${folder}/`)) return ".";
  return normal.startsWith(prefix) ? normal.slice(prefix.length) : void 0;
}
function checked(pattern) {
  if (pattern.split("/").includes("..") || pattern.includes("\0") || pattern === "") {
    throw new OffshootError("usage", {
      message: `The artifacts glob ${JSON.stringify(pattern)} ${pattern === "" ? "is empty" : "holds .. or NUL"}.`,
      hint: "Name files relative to the workspace, or with an absolute path of the sandbox."
    });
  }
  return pattern;
}
function escaped(pattern) {
  return pattern.startsWith("!") ? `\\${pattern}` : pattern;
}

// action/teardown.ts
import { setTimeout as sleep } from "node:timers/promises";
async function tearDown(host, sandboxId, options = {}) {
  const deadlineMs = performance.now() + (options.patienceMs ?? 2e4);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await destroy(host, sandboxId, options.requestTimeoutMs ?? 1e4);
    } catch (error) {
      if (isOffshootError(error) && error.code === "sandbox-not-found") return { found: "never-made" };
      const waitMs = Math.min(100 * 2 ** attempt, 2e3);
      if (performance.now() + waitMs > deadlineMs) return { found: "unknown", error };
      await sleep(waitMs);
    }
  }
}
async function destroy(host, sandboxId, requestTimeoutMs) {
  const connection = { host, requestTimeoutMs, reconnectTimeoutMs: 1e3 };
  const sandbox = await Sandbox.connect(sandboxId, connection);
  try {
    const found = sandbox.info.state === "gone" ? "gone" : "running";
    return { found, info: await sandbox.stop({ requestTimeoutMs }) };
  } finally {
    await sandbox.disconnect();
  }
}

// action/job/bring-back.ts
import path4 from "node:path";

// action/artifacts/collect-artifacts.ts
import { lstat, mkdir, rmdir } from "node:fs/promises";
import path3 from "node:path";
import { setTimeout as sleep2 } from "node:timers/promises";

// action/artifacts/closed-folders.ts
import { lstatSync, realpathSync } from "node:fs";
import path2 from "node:path";
var ClosedFolders = class {
  #into;
  #closed;
  #wasThere = /* @__PURE__ */ new Map();
  /** Absolute; `into` exists. */
  constructor(workspace, into) {
    this.#into = real(into);
    const workspaces = [path2.resolve(workspace), real(workspace)];
    this.#closed = new Set(
      workspaces.flatMap((folder) => [".git", ".github"].map((name) => path2.join(folder, name).toLowerCase()))
    );
  }
  /** Of a path beneath `into`. */
  has(name) {
    const components = path2.join(this.#into, name).split(path2.sep);
    return components.some((component, index) => {
      const lower = component.toLowerCase();
      if (lower !== ".git" && lower !== ".github") return false;
      const folder = components.slice(0, index + 1).join(path2.sep);
      return this.#closed.has(folder.toLowerCase()) || lower === ".git" && this.#existed(folder);
    });
  }
  /** Before the first artifact came there. */
  #existed(folder) {
    const known = this.#wasThere.get(folder);
    if (known !== void 0) return known;
    const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== void 0;
    this.#wasThere.set(folder, isThere);
    return isThere;
  }
};
function real(folder) {
  try {
    return realpathSync(folder);
  } catch {
    return path2.resolve(folder);
  }
}

// action/artifacts/collect-artifacts.ts
var defaultMaxEntries = 1e5;
var defaultMaxBytes = 10 * 1024 ** 3;
var maxAttempts = 3;
async function collectArtifacts(sandbox, options) {
  const collected = { files: 0, bytes: 0, unmatched: [], refused: [], warnings: [] };
  const base = path3.posix.resolve(options.base);
  const matched = /* @__PURE__ */ new Set();
  const roots = globRoots(options.globs, base);
  const made = await prepare(options.into, base);
  const closed2 = new ClosedFolders(base, options.into);
  try {
    for (const root of roots) {
      const unpacked = await persist(() => fetchRoot(sandbox, root, closed2, options), options, collected.warnings);
      collected.files += unpacked.files.length;
      collected.bytes += unpacked.bytes;
      collected.refused.push(...unpacked.refused);
      for (const glob of matchedGlobs(root, unpacked)) matched.add(glob);
    }
  } finally {
    if (made !== void 0 && collected.files === 0) await removeEmpty(options.into, made);
  }
  collected.unmatched = options.globs.filter((glob) => !glob.startsWith("!") && !matched.has(glob));
  return collected;
}
async function fetchRoot(sandbox, root, closed2, options) {
  const { into, signal, maxEntries = defaultMaxEntries, maxBytes = defaultMaxBytes } = options;
  const chosen = chosenBy(root.include);
  const naming = globsNamingGit(root);
  const chosenInGit = naming === void 0 ? () => false : chosenBy(naming);
  const seen = [];
  const wanted = (name, type) => {
    if (!chosen(name)) return false;
    if (type !== "directory") seen.push(name);
    if (closed2.has(name)) return false;
    return !name.toLowerCase().split("/").includes(".git") || chosenInGit(name);
  };
  try {
    const request = { include: root.include, ...signal === void 0 ? {} : { signal } };
    const archive = await sandbox.files.downloadArchive(root.folder, request);
    const unpacked = await unpackSound(archive, into, { wanted, maxEntries, maxBytes });
    return { ...unpacked, refused: withReasons(unpacked.refused, seen, closed2), seen };
  } catch (error) {
    if (signal?.aborted === true) throw new OffshootError("aborted", { cause: error });
    if (isOffshootError(error) && error.code === "guest-file-not-found")
      return { files: [], bytes: 0, refused: [], seen };
    if (isOffshootError(error) && error.code === "unsafe-archive") {
      throw new OffshootError("unsafe-archive", {
        message: `The artifacts in ${shown(root.folder)} were not brought back: ${error.message}`,
        hint: "Narrow the globs, or pack the files into one archive in the sandbox.",
        cause: error
      });
    }
    throw brokenOff(error, root.folder);
  }
}
function withReasons(refused, seen, closed2) {
  const kept = new Set(seen.filter((name) => closed2.has(name)).map((name) => `${shown(name)} was not asked for`));
  return refused.map(
    (line) => kept.has(line) ? line.replace(/was not asked for$/, "would change git or GitHub files of this machine") : line
  );
}
async function persist(attempt, { retryDelayMs = 500, signal }, warnings) {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isOffshootError(error) || error.code !== "host-unreachable" || attempts === maxAttempts) throw error;
      warnings.push(`Bringing artifacts back broke off and was tried again: ${error.message}`);
      await sleep2(retryDelayMs * 2 ** (attempts - 1), void 0, signal === void 0 ? {} : { signal }).catch(() => {
        throw new OffshootError("aborted", { cause: error });
      });
    }
  }
}
function matchedGlobs(root, { seen }) {
  return [...root.written].flatMap(([glob, patterns]) => seen.some(chosenBy(patterns)) ? [glob] : []);
}
async function prepare(into, base) {
  const beneath2 = path3.relative(base, path3.resolve(into));
  let folder = base;
  for (const name of beneath2.startsWith("..") ? [] : beneath2.split(path3.sep)) {
    folder = path3.join(folder, name);
    const found = await lstat(folder).catch(() => void 0);
    if (found !== void 0 && !found.isDirectory()) {
      throw new OffshootError("local-file-error", {
        message: `Artifacts can't go to ${shown(into)}: ${shown(folder)} is no folder.`,
        hint: "Name another folder in artifacts-dir, or remove what is there."
      });
    }
  }
  try {
    return await mkdir(into, { recursive: true });
  } catch (error) {
    throw new OffshootError("local-file-error", { message: `The folder ${shown(into)} can't be made.`, cause: error });
  }
}
async function removeEmpty(into, first) {
  for (let folder = path3.resolve(into); folder.length >= path3.resolve(first).length; folder = path3.dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false
    );
    if (!isGone) return;
  }
}

// action/job/bring-back.ts
var patienceMs = 6e5;
async function bringBack(sandbox, { globs, workspace, into, signal }) {
  if (globs.length === 0) return;
  try {
    const bounded = within(patienceMs, signal);
    const collected = await collectArtifacts(sandbox, { globs, base: workspace, into, signal: bounded });
    const { files, bytes } = collected;
    const what = `${String(files)} ${files === 1 ? "artifact" : "artifacts"}, ${(bytes / 1e6).toFixed(1)} MB`;
    if (files > 0) say(`${what}, in ${path4.relative(workspace, into)}`);
    for (const warning of collected.warnings) warn(warning);
    for (const glob of collected.unmatched) warn(`No file matches the artifacts glob ${glob}.`);
    if (collected.refused.length > 0)
      warn(`${String(collected.refused.length)} artifacts were refused: ${collected.refused.slice(0, 10).join("; ")}`);
  } catch (error) {
    if (signal.aborted) throw error;
    warn(`The artifacts could not be brought back: ${explain(error).message}`);
  }
}

// action/egress/render-report.ts
var mostRows = 50;
var mostClosedRows = 20;
var mostRuleBytes = 16384;
var plainRule = /^[A-Za-z0-9._:*/[\]-]+( private)?$/;
function renderEgress(taken) {
  if ("missing" in taken) return `Egress: there is no report. ${plainSentence(taken.missing)}
`;
  const { report } = taken;
  const parts = [heading(report), ...denials(report), ...passed(report), ...suggestion(report), ...closed(report)];
  if (report.omitted > 0) parts.push(`The host has left out ${places(report.omitted)}: there were too many.`);
  return `${parts.join("\n\n")}
`;
}
function heading({ policy, deniedCount }) {
  const what = policy.mode === "audit" ? "that enforce would deny" : "denied";
  return `#### Egress: ${policy.mode}, ${String(deniedCount)} ${what}`;
}
function denials({ denied }) {
  if (denied.length === 0) return [];
  const sorted = denied.toSorted((one, other) => other.count - one.count);
  const withBytes = denied.some(wasReached);
  const head = ["reason", "name", "address", "port", "times", "in effect", ...withBytes ? ["received", "sent"] : []];
  return table("denied", head, sorted, (entry) => [
    entry.reason,
    ...where(entry),
    String(entry.count),
    effect(entry),
    ...withBytes ? [megabytes(entry.bytesIn), megabytes(entry.bytesOut)] : []
  ]);
}
function passed({ allowed, denied }) {
  if (allowed.length === 0) return denied.some(wasReached) ? [] : ["Nothing was reached."];
  const sorted = allowed.toSorted((one, other) => bytesOf(other) - bytesOf(one));
  return table("reached", ["name", "address", "port", "connections", "received", "sent"], sorted, (entry) => [
    ...where(entry),
    String(entry.count),
    megabytes(entry.bytesIn),
    megabytes(entry.bytesOut)
  ]);
}
function closed(report) {
  const rules = openingRules(report).filter(({ rule }) => plainRule.test(rule));
  if (rules.length === 0) return [];
  return [
    "Closed in every mode, so not in a list to paste. A rule opens it where it is meant:",
    ...table("closed", ["reason", "name", "address", "rule"], rules, closedCells, mostClosedRows)
  ];
}
function closedCells({ rule, denial }) {
  return [denial.reason, code(denial.name), code(denial.address), `\`${rule}\``];
}
function suggestion({ policy, denied, suggestedAllow }) {
  const settled = policy.mode === "enforce" && denied.length === 0;
  const rules = suggestedAllow.filter((rule) => plainRule.test(rule));
  if (settled || rules.length === 0) return [];
  const shown2 = [];
  let bytes = 0;
  for (const rule of rules) {
    bytes += rule.length + 3;
    if (bytes > mostRuleBytes) break;
    shown2.push(rule);
  }
  const rest = rules.length - shown2.length;
  return [
    `The rules in force and those that would let through what was denied. Read them before you paste them: the build chose the names.`,
    ["```yaml", "egress: |", ...shown2.map((rule) => `  ${rule}`), "```"].join("\n"),
    ...rest === 0 ? [] : [`${String(rest)} more rules are in the report.`]
  ];
}
function table(what, head, entries, cells, most = mostRows) {
  const rows = entries.slice(0, most).map((entry) => row(cells(entry)));
  const rest = entries.length - rows.length;
  return [
    [row(head), row(head.map(() => "---")), ...rows].join("\n"),
    ...rest === 0 ? [] : [`${places(rest)} more ${rest === 1 ? "was" : "were"} ${what}.`]
  ];
}
function row(cells) {
  return `| ${cells.join(" | ")} |`;
}
function where({ name, address, port, transport }) {
  const asked = port === null && transport === "udp";
  const words = [...port === null ? [] : [String(port)], ...transport === "tcp" || asked ? [] : [transport]];
  return [code(name), code(address), words.join(" ")];
}
function code(name) {
  return name === null ? "" : `\`${plainName(name)}\``;
}
function wasReached({ blocked, port }) {
  return !blocked && port !== null;
}
function effect({ blocked }) {
  return blocked ? "blocked" : "let through";
}
function bytesOf({ bytesIn, bytesOut }) {
  return bytesIn + bytesOut;
}
function megabytes(bytes) {
  if (bytes < 1e3) return `${String(bytes)} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
function places(count) {
  return `${String(count)} ${count === 1 ? "place" : "places"}`;
}
function plainSentence(text) {
  return text.replaceAll(/[^A-Za-z0-9 .,:;/()-]/g, " ").slice(0, 300);
}

// action/file-commands/own-summary.ts
import { readFile, writeFile } from "node:fs/promises";
async function putAheadOfSummary(markdown, env = process.env) {
  const file = env[variableOf.summary] ?? "";
  if (file === "") return;
  try {
    const present = await readFile(file);
    await writeFile(file, Buffer.concat([Buffer.from(`${markdown.trimEnd()}

`), present]));
  } catch (error) {
    throw new OffshootError("local-file-error", {
      message: `The runner's ${variableOf.summary} could not be written: ${error instanceof Error ? error.message : String(error)}`,
      cause: error
    });
  }
}

// action/job/summary.ts
async function writeSummary(facts) {
  await putAheadOfSummary(renderSummary(facts));
}
function renderSummary({ sandbox, outcome, timings, kept, snapshot, egress }) {
  const { usage } = sandbox;
  const from = sandbox.snapshot === null ? `image ${sandbox.image}` : `snapshot ${sandbox.snapshot}`;
  const spans = Object.entries(timings);
  const lines = [
    `### Offshoot: ${from}`,
    ...outcome === void 0 ? [] : ["", outcome],
    "",
    `\`${sandbox.id}\`, ${String(sandbox.cpus)} CPU, ${String(sandbox.memoryMiB)} MiB, isolated by ${sandbox.isolation.tier === "kvm" ? "KVM" : "emulation"}`,
    "",
    row2(spans.map(([name]) => name)),
    row2(spans.map(() => "--:")),
    row2(spans.map(([, ms]) => duration(ms))),
    "",
    `CPU used: ${usage.cpuSeconds.toFixed(1)} s, memory at most: ${String(Math.round(usage.peakMemoryMiB))} MiB, lived: ${duration(usage.wallSeconds * 1e3)}`
  ];
  if (snapshot !== void 0) lines.push("", `Saved as snapshot \`${snapshot}\`.`);
  if (kept !== void 0) {
    lines.push(
      "",
      `The failed sandbox is kept for ${String(kept.minutes)} minutes, memory and processes included. A shell in a copy of it, on the host:`,
      "",
      "```sh",
      kept.command,
      "```"
    );
  }
  if (egress !== void 0) lines.push("", renderEgress(egress).trimEnd());
  return `${lines.join("\n")}
`;
}
function row2(cells) {
  return `| ${cells.join(" | ")} |`;
}
function duration(ms) {
  if (ms < 1e3) return `${String(Math.round(ms))} ms`;
  if (ms < 12e4) return `${(ms / 1e3).toFixed(1)} s`;
  return `${(ms / 6e4).toFixed(1)} min`;
}

export {
  checkArtifactGlobs,
  saveJobState,
  loadJobState,
  tearDown,
  bringBack,
  writeSummary
};
