import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  archiveBytes,
  envLimits,
  explain,
  fileLimits,
  fitsOneVariable,
  mostEntries,
  mostNamedValues,
  readSession,
  sessionBytesOf,
  variableBytes,
  variableOf,
  warn,
  within
} from "./chunk-PFPPHYGU.mjs";
import {
  cleanText,
  protectedForms,
  say
} from "./chunk-5RNB6BKN.mjs";
import {
  setSecret
} from "./chunk-HGD2WCUR.mjs";
import {
  HostClient
} from "./chunk-OZEBK3DO.mjs";
import {
  Sandbox,
  expandBraces,
  globAdvance,
  globIsMet,
  globStart,
  parseGlob,
  shown,
  tarEntries
} from "./chunk-7WZNFVLZ.mjs";
import {
  OffshootError,
  isOffshootError
} from "./chunk-LTWX3RIA.mjs";
import {
  identifyProcess,
  isAlive
} from "./chunk-LTHL2XHT.mjs";
import {
  maxEnvStringBytes
} from "./chunk-DPK6MB3H.mjs";
import {
  __callDispose,
  __using
} from "./chunk-GCJLRCZB.mjs";

// action/heartbeat/heartbeat.ts
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
var lookMs = 2e3;
async function startHeartbeat(shellEntry, sessionFile) {
  const runner = await identifyProcess(process.ppid);
  if (runner === void 0) return void 0;
  const child = spawn(
    process.execPath,
    [shellEntry, "--heartbeat", sessionFile, String(runner.pid), String(runner.startTicks)],
    { detached: true, stdio: "ignore" }
  );
  child.on("error", () => void 0);
  child.unref();
  return child.pid === void 0 ? void 0 : identifyProcess(child.pid);
}
async function beat(sessionFile, runner) {
  const { sandboxId, host, leaseSeconds } = await readSession(sessionFile);
  const sandbox = await connectPatiently(sandboxId, host, runner);
  if (sandbox === void 0) return;
  const everyMs = leaseSeconds * 1e3 / 4;
  let nextMs = performance.now();
  while (await isAlive(runner) && await exists(sessionFile)) {
    if (performance.now() >= nextMs) {
      nextMs = performance.now() + everyMs;
      if (await isGone(sandbox.renew(leaseSeconds))) break;
    }
    await sleep(lookMs);
  }
  await sandbox.disconnect();
}
async function connectPatiently(id, host, runner) {
  while (await isAlive(runner)) {
    try {
      return await Sandbox.connect(id, { host });
    } catch (error) {
      if (!isOffshootError(error) || !error.retryable) return void 0;
      await sleep(lookMs);
    }
  }
  return void 0;
}
async function isGone(renewal) {
  try {
    await renewal;
    return false;
  } catch (error) {
    return isOffshootError(error) && ["sandbox-gone", "sandbox-not-found"].includes(error.code);
  }
}
async function exists(sessionFile) {
  return readSession(sessionFile).then(
    () => true,
    () => false
  );
}

// action/guest-env/env-input.ts
var fileCommands = /* @__PURE__ */ new Set(["GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_STATE"]);
function parseEnvInput(input) {
  const requested = [];
  const issues = [];
  for (const [index, raw] of input.split(/\r?\n/).entries()) {
    const text = raw.trimStart();
    if (text === "" || text.startsWith("#")) continue;
    const line = index + 1;
    const equals = text.indexOf("=");
    const name = equals < 0 ? text.trimEnd() : text.slice(0, equals);
    const problem = nameProblem(name, equals >= 0) ?? (text.includes("\0") ? "has a NUL, which no variable can hold" : void 0);
    if (problem !== void 0) issues.push({ path: "env", message: `line ${String(line)} ${problem}` });
    else requested.push({ name, value: equals < 0 ? void 0 : text.slice(equals + 1), line });
  }
  if (issues.length > 0) throw envInputError(issues);
  return requested;
}
function namedValues(input, env = process.env) {
  const named = {};
  const issues = [];
  for (const { name, value, line } of parseEnvInput(input)) {
    if (value !== void 0) continue;
    const own = env[name];
    if (own !== void 0) named[name] = own;
    else issues.push({ path: "env", message: `line ${String(line)} asks for ${name}, which is not set in this step` });
  }
  if (issues.length > 0) throw envInputError(issues);
  return named;
}
function envInputError(issues) {
  const more = issues.length > 1 ? ` (and ${String(issues.length - 1)} more)` : "";
  return new OffshootError("action-input", {
    message: `The input env: ${issues[0]?.message ?? "is not valid"}${more}.`,
    hint: "One variable a line: NAME=VALUE, or NAME to pass the variable of the step.",
    details: { issues }
  });
}
function nameProblem(name, hasValue) {
  if (fileCommands.has(name)) return `names ${name}, whose file is the sandbox's own`;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return void 0;
  if (name === "") return "has no name before =";
  return hasValue ? "has a name with other characters than letters, digits and _" : "is neither NAME=VALUE nor a NAME";
}

// action/step/guest-step.ts
import { randomUUID } from "node:crypto";

// action/guest-env/guest-folders.ts
var guestTempFolder = "/var/tmp/runner-temp";
var guestToolCacheFolder = "/opt/hostedtoolcache";
var guestDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// action/file-commands/read.ts
import { Readable } from "node:stream";

// action/file-commands/parse.ts
function decodeFile(bytes) {
  if (bytes[0] === 255 && bytes[1] === 254) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 254 && bytes[1] === 255) return new TextDecoder("utf-16be").decode(bytes);
  return new TextDecoder("utf-8").decode(bytes);
}
function parseNamedValues(text) {
  const entries = [];
  const lines = new Lines(text);
  for (let line = lines.next(); line !== void 0; line = lines.next()) {
    if (line.text === "") continue;
    if (entries.length === mostNamedValues)
      return { entries, problem: `line ${lines.at} is beyond the ${String(mostNamedValues)} values that are taken` };
    const equals = line.text.indexOf("=");
    const block = line.text.indexOf("<<");
    if (equals < 0 && block < 0) return { entries, problem: `line ${lines.at} has neither = nor <<` };
    if (block < 0 || equals >= 0 && equals < block) {
      if (equals === 0) return { entries, problem: `line ${lines.at} has no name before =` };
      entries.push({ name: line.text.slice(0, equals), value: line.text.slice(equals + 1) });
      continue;
    }
    const name = line.text.slice(0, block);
    const delimiter = line.text.slice(block + 2);
    if (name === "" || delimiter === "")
      return { entries, problem: `line ${lines.at} needs a name before << and a delimiter after it` };
    const opened = lines.at;
    const value = readBlock(lines, delimiter);
    if (value === void 0)
      return { entries, problem: `the value that starts in line ${opened} has no line that ends it` };
    entries.push({ name, value });
  }
  return { entries };
}
function parsePathLines(text) {
  return text.split(/\r\n|\r|\n/).filter((line) => line !== "");
}
function readBlock(lines, delimiter) {
  const start = lines.position;
  let end = start;
  for (let line = lines.next(); line !== void 0; line = lines.next()) {
    if (line.text === delimiter) return lines.textBetween(start, end);
    end = lines.position - 1;
  }
  return void 0;
}
var Lines = class {
  #text;
  position = 0;
  #number = 0;
  constructor(text) {
    this.#text = text;
  }
  /** The number of the line read last, from 1. */
  get at() {
    return String(this.#number);
  }
  next() {
    if (this.position >= this.#text.length) return void 0;
    const start = this.position;
    const end = this.#text.indexOf("\n", start);
    this.position = end < 0 ? this.#text.length : end + 1;
    this.#number += 1;
    return { text: this.#text.slice(start, end < 0 ? void 0 : end) };
  }
  textBetween(start, end) {
    return this.#text.slice(start, end);
  }
};

// action/file-commands/read.ts
async function readFileCommands(archive) {
  const { files, warnings } = await readFiles(archive);
  return {
    outputs: namedValues2(files, "output", warnings),
    env: namedValues2(files, "env", warnings),
    path: parsePathLines(decodeFile(files.get("path") ?? Buffer.alloc(0))),
    summary: files.get("summary"),
    warnings
  };
}
function namedValues2(files, file, warnings) {
  const { entries, problem } = parseNamedValues(decodeFile(files.get(file) ?? Buffer.alloc(0)));
  if (problem !== void 0) warnings.push(`${variableOf[file]}: ${problem}; what follows in it was not merged.`);
  return entries;
}
var TooMuch = class extends Error {
};
async function readFiles(archive) {
  const found = { files: /* @__PURE__ */ new Map(), warnings: [] };
  const seen = /* @__PURE__ */ new Set();
  const ignored = [];
  const bounded = new Bounded(archive);
  try {
    let entries = 0;
    for await (const entry of tarEntries(Readable.from(bounded.chunks()))) {
      entries += 1;
      if (entries > mostEntries) throw new TooMuch();
      const name = entry.name.replace(/^\.\//, "").replace(/\/$/, "");
      if (isOurs(name) && entry.type === "file" && !seen.has(name)) await readFile(name, entry, found);
      else if (name !== "" && name !== ".") ignored.push(name);
      if (isOurs(name) && entry.type === "file") seen.add(name);
    }
  } catch (error) {
    if (error instanceof TooMuch) found.warnings.push(notRead(seen));
    else if (!isOffshootError(error) || error.code !== "unsafe-archive") throw error;
    else if (bounded.bytes > 0) throw notWhole(error.message);
  }
  if (ignored.length > 0) found.warnings.push(`Not file commands, and left where they are: ${quoted(ignored)}.`);
  return found;
}
async function readFile(name, entry, { files, warnings }) {
  const most = fileLimits[name];
  if (entry.sizeBytes <= most) {
    files.set(name, Buffer.concat(await Array.fromAsync(entry.content())));
    return;
  }
  const why = `${String(entry.sizeBytes)} bytes, more than the ${String(most)} that are taken`;
  warnings.push(`${variableOf[name]} holds ${why}; nothing of it was merged.`);
}
var Bounded = class {
  bytes = 0;
  #archive;
  constructor(archive) {
    this.#archive = archive;
  }
  async *chunks() {
    for await (const chunk of this.#archive) {
      const bytes = Buffer.from(chunk);
      this.bytes += bytes.length;
      if (this.bytes > archiveBytes) throw new TooMuch();
      yield bytes;
    }
  }
};
function notRead(seen) {
  const missing = Object.entries(variableOf).filter(([name]) => isOurs(name) && !seen.has(name));
  const names3 = missing.map(([, variable]) => variable).join(", ");
  return `The folder of the file commands holds far more than its files may; not read: ${names3}.`;
}
function isOurs(name) {
  return Object.hasOwn(fileLimits, name);
}
function notWhole(reason) {
  return new OffshootError("guest-protocol", {
    message: `The archive of the step's file commands is not whole: ${reason}.`
  });
}
function quoted(names3) {
  const shown2 = names3.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 100)));
  return shown2.join(", ") + (names3.length > shown2.length ? ` and ${String(names3.length - shown2.length)} more` : "");
}

// action/log/guest-log.ts
import { randomBytes } from "node:crypto";

// action/log/line-cut.ts
var maxLineUnits = 32768;
var maxEscapeUnits = 2048;
var escapeSequence = new RegExp(
  [
    String.raw`\x1b\[[0-?]{0,256}[ -/]{0,16}[@-~]`,
    // colours, cursor
    String.raw`\x1b\][^\0-\x1f\x7f]{0,${String(maxEscapeUnits - 8)}}(?:\x07|\x1b\\)`,
    // links, titles
    String.raw`\x1b[ -/]{0,16}[0-Z\\^-~]`
  ].join("|"),
  "gy"
);
function windowUnits(protect) {
  return maxLineUnits + reach(protect) + Math.max(protect.longest, maxEscapeUnits);
}
function reach(protect) {
  return Math.max(protect.longest, maxEscapeUnits);
}
function findCut(window, protect) {
  const region = wholesAt(window, maxLineUnits, protect);
  if (region === void 0) return { at: maxLineUnits, masked: false };
  if (region.start > 0) return { at: region.start, masked: false };
  const furthest = maxLineUnits + reach(protect);
  if (region.end <= furthest) return { at: region.end, masked: false };
  let last;
  for (const whole of wholesNear(window, furthest, protect)) {
    if (whole.start < furthest && whole.end > furthest && (last === void 0 || whole.end > last.end)) last = whole;
  }
  return { at: last?.start ?? furthest, masked: true };
}
function wholesAt(window, place, protect) {
  const across = [...wholesNear(window, place, protect)].some((whole) => whole.start < place && whole.end > place);
  if (!across) return void 0;
  const all = [...wholesBetween(window, 0, window.length, protect)].sort((a, b) => a.start - b.start);
  let run;
  for (const whole of all) {
    if (run !== void 0 && whole.start < run.end) run.end = Math.max(run.end, whole.end);
    else if (run !== void 0 && run.end > place) break;
    else if (whole.start >= place) break;
    else run = { ...whole };
  }
  return run;
}
function wholesNear(window, place, protect) {
  const margin = Math.max(protect.longest, maxEscapeUnits);
  return wholesBetween(window, Math.max(0, place - margin), Math.min(window.length, place + margin), protect);
}
function* wholesBetween(window, from, to, protect) {
  const text = window.slice(from, to);
  for (const form of protect.forms) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
      yield { start: from + at, end: from + at + form.length };
    }
  }
  for (let at = text.indexOf("\x1B"); at >= 0; at = text.indexOf("\x1B", at + 1)) {
    escapeSequence.lastIndex = at;
    const found = escapeSequence.exec(text);
    if (found !== null) yield { start: from + at, end: from + at + found[0].length };
  }
  for (const pair of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) {
    yield { start: from + pair.index, end: from + pair.index + 2 };
  }
}

// action/log/guest-lines.ts
var GuestLines = class {
  #protect;
  #windowUnits;
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #unfinished = "";
  #afterCarriageReturn = false;
  constructor(protect) {
    this.#protect = protect;
    this.#windowUnits = windowUnits(protect);
  }
  /** The lines that these bytes complete, each with `\n` at its end. */
  push(bytes) {
    return this.#take(this.#decoder.decode(bytes, { stream: true }));
  }
  /** What is left, as a line. */
  end() {
    const lines = this.#take(this.#decoder.decode());
    const rest = this.#unfinished;
    this.#unfinished = "";
    return rest === "" ? lines : lines + this.#print(`${rest}
`);
  }
  #take(decoded) {
    const text = this.#withPlainLineEnds(decoded);
    const end = text.lastIndexOf("\n") + 1;
    if (end === 0) {
      this.#unfinished += text;
      return this.#cutUnfinished();
    }
    const lines = this.#print(this.#unfinished + text.slice(0, end));
    this.#unfinished = text.slice(end);
    return lines + this.#cutUnfinished();
  }
  /** The runner's reader ends a line at `\n`, `\r\n` and a lone `\r` (.NET's StreamReader.ReadLine); a `\r` is not kept waiting for its `\n`. */
  #withPlainLineEnds(text) {
    if (text === "") return text;
    const rest = this.#afterCarriageReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#afterCarriageReturn = text.endsWith("\r");
    return rest.includes("\r") ? rest.replace(/\r\n?/g, "\n") : rest;
  }
  #print(lines) {
    if (!hasLongLine(lines)) return cleanText(lines, this.#protect);
    let printed = "";
    for (let start = 0; start < lines.length; ) {
      const end = lines.indexOf("\n", start);
      let line = lines.slice(start, end);
      while (line.length > maxLineUnits) {
        const piece = this.#piece(line);
        printed += `${piece.text}
`;
        line = line.slice(piece.units);
      }
      printed += `${cleanText(line, this.#protect)}
`;
      start = end + 1;
    }
    return printed;
  }
  #cutUnfinished() {
    let printed = "";
    while (this.#unfinished.length >= this.#windowUnits) {
      const piece = this.#piece(this.#unfinished);
      printed += `${piece.text}
`;
      this.#unfinished = this.#unfinished.slice(piece.units);
    }
    return printed;
  }
  #piece(line) {
    const cut = findCut(line.slice(0, this.#windowUnits), this.#protect);
    return { text: cut.masked ? "***" : cleanText(line.slice(0, cut.at), this.#protect), units: cut.at };
  }
};
function hasLongLine(lines) {
  for (let start = 0; lines.length - start > maxLineUnits + 1; ) {
    const end = lines.lastIndexOf("\n", start + maxLineUnits);
    if (end < start) return true;
    start = end + 1;
  }
  return false;
}

// action/log/guest-log.ts
var sliceBytes = 256 * 1024;
var GuestLog = class _GuestLog {
  #sink;
  #token = randomBytes(20).toString("hex");
  #lines;
  #tail = Promise.resolve();
  #closing;
  constructor(sink, options) {
    this.#sink = sink;
    const protect = protectedForms(options.protectedValues ?? []);
    this.#lines = { stdout: new GuestLines(protect), stderr: new GuestLines(protect) };
  }
  /** Stops the runner's commands. The sink has to be at the start of a line. */
  static async open(sink, options = {}) {
    const log = new _GuestLog(sink, options);
    await log.#print(`::stop-commands::${log.#token}
`);
    return log;
  }
  /** Resolves when the sink has taken what these bytes complete. Calls without waiting keep their order; their bytes wait in memory. */
  async write(stream, bytes) {
    if (this.#closing !== void 0) throw new Error("The log of the guest is closed.");
    return this.#afterAll(async () => {
      for (let at = 0; at < bytes.length; at += sliceBytes) {
        await this.#print(this.#lines[stream].push(bytes.subarray(at, at + sliceBytes)));
      }
    });
  }
  /** Prints what is left of both streams and lets the runner take commands again. Can be called again. */
  close() {
    this.#closing ??= this.#afterAll(async () => {
      try {
        await this.#print(this.#lines.stdout.end() + this.#lines.stderr.end());
      } finally {
        await this.#print(`::${this.#token}::
`);
      }
    });
    return this.#closing;
  }
  #afterAll(work) {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => void 0);
    return done;
  }
  async #print(text) {
    if (text !== "") await this.#sink.write(Buffer.from(text));
  }
};

// action/step/shell-command.ts
var known = {
  bash: { extension: ".sh", argv: (script) => ["bash", "--noprofile", "--norc", "-eo", "pipefail", script] },
  sh: { extension: ".sh", argv: (script) => ["sh", "-e", script] },
  python: { extension: ".py", argv: (script) => ["python3", script] }
};
function shellCommand(shell) {
  const found = known[shell];
  if (found !== void 0) return found;
  return { extension: "", argv: (script) => words(shell).map((word) => word.replaceAll("{0}", script)) };
}
function words(line) {
  return [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(
    ([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single ?? "")
  );
}

// action/step/guest-step.ts
var shortAnswerMs = 6e4;
var endPatienceMs = 2e3;
async function placeScript(sandbox, script, shell, signal) {
  const folder = `${guestTempFolder}/_steps/${randomUUID()}`;
  const { extension, argv } = shellCommand(shell);
  const file = `${folder}/script${extension}`;
  await sandbox.files.write(file, script, { mode: 448, signal: within(shortAnswerMs, signal) });
  return { folder, argv: argv(file) };
}
var prelude = 'for name in output env path summary; do : >>"$1/$name"; done; shift; exec "$@"';
async function runGuestStep(sandbox, { folder, argv }, step) {
  const handle = await sandbox.spawn(["/bin/sh", "-c", prelude, "offshoot", folder, ...argv], {
    cwd: step.cwd,
    env: step.env(folder),
    ...step.timeoutMs === void 0 ? {} : { timeoutMs: step.timeoutMs }
  });
  const over = new AbortController();
  const ended = () => {
    if (step.onSignal === "leave") over.abort();
    else void endScript(handle, over);
  };
  step.signal.addEventListener("abort", ended, { once: true });
  if (step.signal.aborted) ended();
  const log = await GuestLog.open(step.sink, { protectedValues: step.protectedValues });
  try {
    const { exec, lostBytes } = await follow(handle, log, step, over.signal);
    return { exec, lostBytes, fileCommands: await fetchFileCommands(sandbox, folder, exec, step) };
  } finally {
    step.signal.removeEventListener("abort", ended);
    await log.close();
  }
}
async function follow(handle, log, step, signal) {
  let [nextOffset, lostBytes] = [0, 0];
  const chunks = handle.output({ signal });
  for (; ; ) {
    const next = await chunks.next();
    if (next.done === true) {
      await log.close();
      return { exec: next.value ?? await handle.info(), lostBytes };
    }
    const { stream, offset, bytes } = next.value;
    if (nextOffset === 0) step.onFirstOutput?.();
    lostBytes += offset - nextOffset;
    nextOffset = offset + bytes.length;
    await log.write(stream, bytes);
  }
}
async function endScript(handle, over) {
  const patient = () => handle.wait({ signal: AbortSignal.timeout(endPatienceMs) });
  try {
    await handle.kill("SIGTERM");
    await patient().catch(async () => {
      await handle.kill("SIGKILL");
      await patient();
    });
  } catch {
    over.abort();
  }
}
var nothing = { outputs: [], env: [], path: [], summary: void 0, warnings: [] };
async function fetchFileCommands(sandbox, folder, exec, { signal }) {
  if (exec.failure !== null && exec.exitCode !== 0) return nothing;
  const bound = signal.aborted ? AbortSignal.timeout(endPatienceMs) : within(shortAnswerMs, signal);
  try {
    return await readFileCommands(await sandbox.files.downloadArchive(folder, { exclude: ["script*"], signal: bound }));
  } catch (error) {
    if (isOffshootError(error) && error.code === "guest-file-not-found") return nothing;
    throw error;
  }
}

// action/job/keep.ts
async function keepSandbox(sandbox, host, minutes) {
  const snapshot = `kept-${sandbox.id.replace(/^sbx_/, "").toLowerCase()}`;
  try {
    await sandbox.snapshot({ name: snapshot, retentionDays: minutes / 1440 });
  } catch (error) {
    warn(`The sandbox could not be kept: ${explain(error).message}`);
    return void 0;
  }
  return { snapshot, minutes, command: `offshoot sandbox shell --host ${host} --snapshot ${snapshot}` };
}
async function checkSnapshotName(host, name) {
  var _stack = [];
  try {
    const client = __using(_stack, new HostClient({ host }), true);
    const found = (await client.snapshots.list()).find((snapshot) => snapshot.name === name);
    if (found === void 0 || found.usedBy.length === 0) return;
    throw new OffshootError("snapshot-in-use", {
      message: `save-snapshot: ${name} is there, and ${String(found.usedBy.length)} sandboxes stand on it.`,
      details: { usedBy: found.usedBy }
    });
  } catch (_) {
    var _error = _, _hasError = true;
  } finally {
    var _promise = __callDispose(_stack, _error, _hasError);
    _promise && await _promise;
  }
}
async function saveSnapshot(sandbox, host, name) {
  try {
    await sandbox.snapshot({ name });
  } catch (error) {
    var _stack = [];
    try {
      if (!isOffshootError(error) || error.code !== "snapshot-exists") throw error;
      const client = __using(_stack, new HostClient({ host }), true);
      await client.snapshots.remove(name);
      await sandbox.snapshot({ name });
    } catch (_) {
      var _error = _, _hasError = true;
    } finally {
      var _promise = __callDispose(_stack, _error, _hasError);
      _promise && await _promise;
    }
  }
}

// action/job/furnish.ts
import { mkdir as mkdir3, mkdtemp as mkdtemp2, rm as rm2, symlink } from "node:fs/promises";
import { tmpdir as tmpdir2 } from "node:os";
import path5 from "node:path";

// hostd/client/pack-names.ts
import { spawn as spawn2 } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
var vanished = /: Cannot (?:stat|open|readlink)[^:]*: No such file or directory$/;
var changed = /: (?:file changed as we read it|File shrank by \d+ bytes?; padding with zeros|File removed before we read it)$/;
var saysNothing = /: socket ignored$|^tar: Exiting with failure status due to previous errors$/;
function packNames(parts, { scratch, onNotice }) {
  const lists = parts.flatMap(({ folder, names: names3 }, index) => {
    const list = path.join(path.resolve(scratch), String(index));
    writeFileSync(list, names3.map((name) => `${name}\0`).join(""), "latin1");
    return ["-C", path.resolve(folder), "-T", list];
  });
  const style = ["--format=pax", "--sparse", "--numeric-owner", "--quoting-style=c"];
  const child = spawn2("tar", [...style, "--no-recursion", "--null", "--verbatim-files-from", ...lists, "-cf", "-"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, LC_ALL: "C", TAR_OPTIONS: "" }
  });
  const archive = new PassThrough({ highWaterMark: 256 * 1024 });
  const fail = (message) => {
    archive.destroy(new OffshootError("local-file-error", { message }));
  };
  child.on("error", (error) => {
    fail(`tar could not be started: ${error.message}`);
  });
  const complaints = createInterface({ input: child.stderr });
  complaints.on("line", (line) => {
    if (saysNothing.test(line)) return;
    const about = line.replace(/^tar: /, "");
    if (vanished.test(line) || changed.test(line)) onNotice(about);
    else fail(`Packing failed: ${about.slice(0, 500)}`);
  });
  const readToEnd = new Promise((resolve) => complaints.once("close", resolve));
  child.stdout.pipe(archive, { end: false });
  child.on("close", (code) => {
    void readToEnd.then(() => {
      if (code !== null && code <= 2) archive.end();
      else fail(`tar ended with ${String(code ?? child.signalCode)}.`);
    });
  });
  archive.on("close", () => {
    if (child.exitCode === null) child.kill("SIGKILL");
  });
  return archive;
}

// action/workspace/send-workspace.ts
import { mkdir as mkdir2, mkdtemp, rm, stat as stat2 } from "node:fs/promises";
import { tmpdir } from "node:os";
import path4 from "node:path";

// action/workspace/excludes.ts
var Excludes = class {
  #rules;
  /** Throws `usage` when braces stand for too many patterns. */
  constructor(patterns) {
    this.#rules = patterns.filter((pattern) => pattern !== "" && !pattern.startsWith("#")).flatMap(expandBraces).map(parseRule);
  }
  get root() {
    return this.#rules.map(({ glob }) => globStart(glob));
  }
  /** About the entry of this name in a folder at this place. */
  ask(place, name, isFolder2) {
    let excluded = false;
    const below = this.#rules.map((rule, index) => {
      const positions = globAdvance(rule.glob, place[index] ?? [], name);
      if (globIsMet(rule.glob, positions) && (isFolder2 || !rule.folderOnly)) excluded = !rule.reincludes;
      return positions;
    });
    return { excluded, place: below };
  }
};
function parseRule(pattern) {
  const reincludes = pattern.startsWith("!");
  const text = reincludes ? pattern.slice(1) : pattern;
  const folderOnly = text.endsWith("/");
  const path8 = folderOnly ? text.slice(0, -1) : text;
  return { glob: parseGlob(path8.includes("/") ? path8 : `**/${path8}`), reincludes, folderOnly };
}

// action/workspace/scan.ts
import { lstat, readdir, realpath } from "node:fs/promises";
import path2 from "node:path";

// action/workspace/git-roles.ts
var configName = /^config(?:\.worktree)?(?:\.lock|\.bak|\.orig|\.old|\.save|~)?$/;
var textPlace = /(?:^|\/)logs\/(?:HEAD|refs\/.+)$|(?:^|(?<!\brefs)\/)(?:remotes|branches)\/[^/]+$/;
var secretName = /^(?:\.git-credentials|[._]netrc|git-credentials-.*\.config)$/;
function isGitFolder(names3) {
  if (!names3.includes("HEAD")) return false;
  return ["objects", "refs", "commondir", "packed-refs", "reftable"].some((name) => names3.includes(name));
}
function gitRole(name, inGit) {
  const base = name.slice(name.lastIndexOf("/") + 1);
  if (secretName.test(base)) return "secret";
  if (!inGit) return void 0;
  if (base === "credentials") return "secret";
  if (configName.test(base)) return "config";
  return base === "FETCH_HEAD" || textPlace.test(name) ? "text" : void 0;
}

// action/workspace/scan.ts
async function scanWorkspace(root, excludes) {
  const scan = { names: ["."], git: /* @__PURE__ */ new Map(), warnings: [] };
  const open2 = [{ name: "", place: excludes.root, inGit: path2.basename(root) === ".git" }];
  for (let folder = open2.pop(); folder !== void 0; folder = open2.pop()) {
    const entries = await readFolder(root, folder.name, scan.warnings);
    const inGit = folder.inGit || isGitFolder(entries.map(({ name }) => name.toString("latin1")));
    for (const entry of entries) {
      const isFolder2 = entry.isDirectory();
      const { excluded, place } = excludes.ask(folder.place, entry.name.toString("utf8"), isFolder2);
      if (excluded) continue;
      const base = entry.name.toString("latin1");
      const name = folder.name === "" ? base : `${folder.name}/${base}`;
      if (isFolder2) open2.push({ name, place, inGit: inGit || base === ".git" });
      else if (!await takeFile(root, name, entry, inGit, scan)) continue;
      scan.names.push(name);
    }
  }
  await addOtherNames(root, scan);
  return scan;
}
async function takeFile(root, name, entry, inGit, scan) {
  if (entry.isSocket()) return false;
  if (!entry.isFile() && !entry.isSymbolicLink()) {
    scan.warnings.push(`${shownBytes(name)} is neither a file nor a folder nor a link and was not sent.`);
    return false;
  }
  const role = gitRole(name, inGit);
  if (role === void 0) return true;
  if (entry.isFile() || role === "secret") scan.git.set(name, role);
  else await followLink(root, name, role, scan);
  return true;
}
async function followLink(root, name, role, scan) {
  const inside = await insideName(root, name);
  if (inside !== void 0) scan.git.set(inside, role);
}
async function insideName(root, name) {
  const real = await realpath(bytePath(root, name), { encoding: "buffer" }).catch(() => void 0);
  const realRoot = await realpath(Buffer.from(root), { encoding: "buffer" });
  const prefix = `${realRoot.toString("latin1")}/`;
  const text = real?.toString("latin1");
  return text?.startsWith(prefix) === true ? text.slice(prefix.length) : void 0;
}
async function addOtherNames(root, scan) {
  const inodes = /* @__PURE__ */ new Map();
  for (const [name, role] of scan.git) {
    const found = await lstat(bytePath(root, name), { bigint: true }).catch(() => void 0);
    if (found?.isFile() === true && found.nlink > 1n) inodes.set(`${String(found.dev)}:${String(found.ino)}`, role);
  }
  if (inodes.size === 0) return;
  for (const name of scan.names) {
    if (scan.git.has(name)) continue;
    const found = await lstat(bytePath(root, name), { bigint: true }).catch(() => void 0);
    const role = found?.isFile() === true ? inodes.get(`${String(found.dev)}:${String(found.ino)}`) : void 0;
    if (role !== void 0) scan.git.set(name, role);
  }
}
async function readFolder(root, name, warnings) {
  try {
    return await readdir(bytePath(root, name), { withFileTypes: true, encoding: "buffer" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : void 0;
    if (code !== "ENOENT" || name === "") {
      throw new OffshootError("local-file-error", {
        message: `The folder ${name === "" ? shown(root) : shownBytes(name)} of the workspace can't be read (${String(code)}).`,
        cause: error
      });
    }
    warnings.push(`The folder ${shownBytes(name)} vanished while the workspace was read.`);
    return [];
  }
}
function bytePath(root, name) {
  return Buffer.concat([Buffer.from(root), Buffer.from("/"), Buffer.from(name, "latin1")]);
}
function shownBytes(name) {
  return shown(Buffer.from(name, "latin1").toString("utf8"));
}

// action/workspace/scrub-tree.ts
import { chmod, mkdir, readFile as readFile2, stat, utimes, writeFile } from "node:fs/promises";
import path3 from "node:path";

// action/workspace/git-config.ts
var escapes = { n: "\n", t: "	", b: "\b", "\\": "\\", '"': '"' };
function parseGitConfig(text) {
  if (text.includes("\0")) return void 0;
  const parser = new Parser(text.replace(/^\xef\xbb\xbf/, "").replaceAll("\r\n", "\n"));
  return parser.parse();
}
function writeGitConfig(entries) {
  let header = "";
  let text = "";
  for (const { section, subsection, key, value } of entries) {
    const quoted2 = subsection === void 0 ? "" : ` "${subsection.replaceAll(/[\\"]/g, "\\$&")}"`;
    const next = `[${section}${quoted2}]
`;
    if (next !== header) text += next;
    header = next;
    text += value === void 0 ? `	${key}
` : `	${key} = "${escapeValue(value)}"
`;
  }
  return text;
}
function escapeValue(value) {
  return value.replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("	", "\\t").replaceAll("\b", "\\b");
}
var Parser = class {
  #text;
  #entries = [];
  #at = 0;
  #section;
  constructor(text) {
    this.#text = text;
  }
  parse() {
    for (; ; ) {
      this.#match(/[ \t\n\r]*/y);
      if (this.#at >= this.#text.length) return this.#entries;
      if (this.#match(/[#;][^\n]*/y) !== void 0) continue;
      const read = this.#text[this.#at] === "[" ? this.#readHeader() : this.#readEntry();
      if (!read) return void 0;
    }
  }
  #readHeader() {
    const plain = this.#match(/\[([a-zA-Z0-9.-]+)\]/y);
    if (plain?.[1] !== void 0) {
      const [section = "", ...rest] = plain[1].toLowerCase().split(".");
      this.#section = { section, subsection: rest.length === 0 ? void 0 : rest.join(".") };
      return section !== "";
    }
    const quoted2 = this.#match(/\[([a-zA-Z0-9.-]+)[ \t]+"((?:[^"\\\n]|\\[^\n])*)"\]/y);
    if (quoted2?.[1] === void 0 || quoted2[2] === void 0) return false;
    if (quoted2[1].includes(".")) return false;
    this.#section = { section: quoted2[1].toLowerCase(), subsection: quoted2[2].replaceAll(/\\(.)/g, "$1") };
    return true;
  }
  #readEntry() {
    const key = this.#match(/([a-zA-Z][a-zA-Z0-9-]*)[ \t]*/y)?.[1];
    if (key === void 0 || this.#section === void 0) return false;
    const entry = { ...this.#section, key: key.toLowerCase() };
    if (this.#at === this.#text.length || this.#text[this.#at] === "\n") {
      this.#entries.push({ ...entry, value: void 0 });
      return true;
    }
    if (this.#match(/=/y) === void 0) return false;
    const value = this.#readValue();
    if (value === void 0) return false;
    this.#entries.push({ ...entry, value });
    return true;
  }
  #readValue() {
    let value = "";
    let spaces = "";
    let isQuoted = false;
    for (; this.#at < this.#text.length; this.#at += 1) {
      let character = this.#text[this.#at] ?? "";
      if (character === "\n") break;
      if (!isQuoted && /[ \t\r]/.test(character)) {
        if (value !== "") spaces += character;
        continue;
      }
      if (!isQuoted && /[#;]/.test(character)) {
        this.#match(/[^\n]*/y);
        break;
      }
      if (character === "\\") {
        this.#at += 1;
        const escaped = this.#text[this.#at] ?? "\n";
        if (escaped === "\n") {
          value += spaces;
          spaces = "";
          continue;
        }
        const meant = escapes[escaped];
        if (meant === void 0) return void 0;
        character = meant;
      } else if (character === '"') {
        isQuoted = !isQuoted;
        character = "";
      }
      value += spaces + character;
      spaces = "";
    }
    return isQuoted ? void 0 : value;
  }
  #match(pattern) {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return void 0;
    this.#at = pattern.lastIndex;
    return found;
  }
};

// action/workspace/scrub-git.ts
var secretKey = /token|secret|passw(?:or)?d|passphrase|api-?key|(?:access|private)-?key|extraheader|askpass|oauth|cookie|credential|^auth(?:orization)?$|^sshcommand$|^smtppass$|^pass$|^key$/;
var secretHttpKey = /^(?:savecookies|(?:proxy)?ssl(?:key|cert).*)$/;
var secretValue = new RegExp(
  [
    String.raw`\bauthorization:`,
    String.raw`\b[\w-]*-?(?:token|api-?key|access-?key|secret|password|cookie)["']?\s*[:=]\s*["']?[^\s&;#"']`,
    String.raw`--[\w-]*(?:token|secret|password|passwd|api-?key|access-?key|private-?key)\b`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
    `-----BEGIN [A-Z ]*PRIVATE KEY`
  ].join("|"),
  "i"
);
var userInfo = /([a-z][a-z0-9+.-]*):\/\/([^\s/]*)@/gi;
var brokenUserInfo = /([a-z][a-z0-9+.-]*):\/\/([^\s/@:]*):([^\s@]*)@/gi;
var parameters = /([?&;#])([\w.%-]+)=([^\s&;#"'<>]*)/g;
var secretParameter = /token|secret|passw(?:or)?d|passphrase|pwd|(?:api|access|private|account)[_-]?key|credential|signature|^(?:auth|authorization|sig|key|pass|jwt|code)$/i;
function scrubConfig(text, { isInside }) {
  const entries = parseGitConfig(text);
  if (entries === void 0) return void 0;
  const kept = [];
  for (const written of entries) {
    if (isInclude(written) && !isInside(written.value ?? "")) continue;
    const { subsection, value } = written;
    const entry = {
      ...written,
      subsection: subsection === void 0 ? void 0 : withoutCredentials(subsection),
      value: value === void 0 ? void 0 : cleanValue(written.key, value)
    };
    if (!isCredential(entry)) kept.push(entry);
  }
  const cleaned = writeGitConfig(kept);
  const isClean = cleaned === writeGitConfig(entries) && !suspicious(text);
  return isClean ? text : cleaned;
}
function includedPaths(text) {
  return (parseGitConfig(text) ?? []).filter(isInclude).flatMap(({ value }) => value ?? []);
}
function withoutCredentials(text) {
  return text.replaceAll(userInfo, (_whole, scheme, user) => withName(scheme, user.split(":")[0] ?? "")).replaceAll(
    brokenUserInfo,
    (whole, scheme, name, rest) => isHostAndPort(name, rest) ? whole : withName(scheme, name)
  ).replaceAll(
    parameters,
    (whole, mark, name) => secretParameter.test(name) ? `${mark}${name}=` : whole
  );
}
function withName(scheme, name) {
  return /^(?:git\+)?ssh(?:\+git)?$/i.test(scheme) && name !== "" ? `${scheme}://${name}@` : `${scheme}://`;
}
function isHostAndPort(name, rest) {
  return /^\d{0,5}[/?#]/.test(rest) && (/^localhost$|\./i.test(name) || name.startsWith("["));
}
function cleanValue(key, value) {
  const blanks = /^((?:[\w-]+::)?[a-z][a-z0-9+.-]*:\/\/)[^/@]*:[^/@]*\s[^@]*@/i.exec(value);
  const text = blanks === null ? value : `${blanks[1] ?? ""}${value.slice(blanks[0].length)}`;
  return withoutCredentials(key.endsWith("proxy") && !text.includes("://") ? text.replace(/^.*@/s, "") : text);
}
function isInclude({ section, key }) {
  return (section === "include" || section === "includeif") && key === "path";
}
function isCredential({ section, subsection, key, value }) {
  if (section === "credential" || secretKey.test(key)) return true;
  if (section === "http" && secretHttpKey.test(key)) return true;
  return secretValue.test(value ?? "") || secretValue.test(subsection ?? "");
}
function suspicious(text) {
  const comments = text.split("\n").filter((line) => /[#;]/.test(line));
  return comments.some(
    (line) => secretValue.test(line) || /extraheader|askpass|passw(?:or)?d|token|secret|proxy\s*=.*@|\b(?:auth|pass|\w+key)\s*=/i.test(line) || withoutCredentials(line) !== line
  );
}

// action/workspace/scrub-tree.ts
var maxScrubbedBytes = 16 * 1024 * 1024;
var ref = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|ref: \S+)\n?$/;
var reflog = /^(?:[0-9a-f]{40,64} [0-9a-f]{40,64} [^\n]*\n)*$/;
async function scrubTree(root, scan, copies) {
  const scrubbing = new Scrubbing(root, scan, copies);
  for (const [name, role] of scan.git) await scrubbing.scrub(name, role);
  return scrubbing.finish();
}
var Scrubbing = class {
  #root;
  #names;
  #copies;
  #done = /* @__PURE__ */ new Set();
  #copied = [];
  #dropped = /* @__PURE__ */ new Set();
  #warnings = [];
  #scan;
  constructor(root, scan, copies) {
    this.#root = root;
    this.#scan = scan;
    this.#names = new Set(scan.names);
    this.#copies = copies;
  }
  async scrub(name, role) {
    if (this.#done.has(name) || !this.#names.has(name)) return;
    this.#done.add(name);
    if (role === "secret") {
      this.#drop(name, "holds credentials");
      return;
    }
    const text = await this.#read(name);
    if (text === void 0) return;
    const kind = role === "config" && (ref.test(text) || reflog.test(text)) ? "text" : role;
    const cleaned = kind === "text" ? withoutCredentials(text) : await this.#scrubConfig(name, text);
    if (cleaned === void 0) this.#drop(name, "is a git config that can not be read, so it may hold credentials");
    else if (cleaned !== text) await this.#copy(name, cleaned);
  }
  finish() {
    const changed2 = new Set(this.#copied);
    return {
      asIs: this.#scan.names.filter((name) => !changed2.has(name) && !this.#dropped.has(name)),
      copied: this.#copied,
      scrubbed: [...this.#dropped, ...changed2].map(shownBytes).sort(),
      warnings: this.#warnings
    };
  }
  /** Undefined when it is not sent, which has been told then. */
  async #read(name) {
    const file = bytePath(this.#root, name);
    try {
      const found = await stat(file);
      if (found.isFile() && found.size <= maxScrubbedBytes) return (await readFile2(file)).toString("latin1");
      this.#drop(name, found.isFile() ? "is too large to be searched for credentials" : "changed while it was read");
      return void 0;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : void 0;
      if (code !== "ENOENT") {
        throw new OffshootError("local-file-error", {
          message: `${shownBytes(name)} can't be read (${String(code)}), so nothing was sent.`,
          cause: error
        });
      }
      this.#drop(name, "vanished while the workspace was read");
      return void 0;
    }
  }
  async #scrubConfig(name, text) {
    const inside = /* @__PURE__ */ new Map();
    for (const included of includedPaths(text)) {
      const target = await this.#included(name, included);
      inside.set(included, target);
      if (target !== void 0) await this.scrub(target, "config");
    }
    return scrubConfig(text, { isInside: (included) => inside.get(included) !== void 0 });
  }
  /** The file that a config includes, when that is a part of what is sent. */
  async #included(config, included) {
    if (included === "" || included.startsWith("~") || included.startsWith("%(")) return void 0;
    const absolute = path3.posix.isAbsolute(included) ? included : path3.posix.join("/", path3.posix.dirname(config), included);
    const relative = path3.posix.isAbsolute(included) ? withinRoot(this.#root, absolute) : absolute.slice(1);
    const target = relative === void 0 ? void 0 : await insideName(this.#root, relative);
    const isSecret = target !== void 0 && gitRole(target, false) === "secret";
    return target !== void 0 && !isSecret && this.#names.has(target) ? target : void 0;
  }
  async #copy(name, content) {
    const copy = bytePath(this.#copies, name);
    const { mode, atime, mtime } = await stat(bytePath(this.#root, name));
    const folder = name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
    await mkdir(bytePath(this.#copies, folder), { recursive: true });
    await writeFile(copy, Buffer.from(content, "latin1"), { mode: 384 });
    await utimes(copy, atime, mtime);
    await chmod(copy, mode & 511);
    this.#copied.push(name);
  }
  #drop(name, why) {
    this.#dropped.add(name);
    this.#warnings.push(`${shownBytes(name)} was not sent: it ${why}.`);
  }
};
function withinRoot(root, absolute) {
  const path8 = Buffer.from(root).toString("latin1");
  return absolute.startsWith(`${path8}/`) ? absolute.slice(path8.length + 1) : void 0;
}

// action/workspace/send-workspace.ts
var maxWarnings = 20;
async function sendWorkspace(sandbox, options) {
  const root = path4.resolve(options.folder);
  const excludes = new Excludes(options.exclude ?? []);
  const scratch = await mkdtemp(path4.join(tmpdir(), "offshoot-scrubbed-"));
  const copies = path4.join(scratch, "copies");
  try {
    await mkdir2(copies);
    const isThere = await isFolder(root);
    const scan = isThere ? await scanWorkspace(root, excludes) : { names: ["."], git: /* @__PURE__ */ new Map(), warnings: [] };
    const tree = await scrubTree(root, scan, copies);
    return await upload(sandbox, isThere ? root : copies, scratch, tree, scan, options);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
async function upload(sandbox, root, scratch, { asIs, copied, scrubbed, warnings }, scan, { remote, signal }) {
  const notices = [];
  const parts = [
    { folder: root, names: asIs.map(dotted) },
    { folder: path4.join(scratch, "copies"), names: copied.map(dotted) }
  ].filter(({ names: names3 }) => names3.length > 0);
  const lists = path4.join(scratch, "lists");
  await mkdir2(lists);
  const onNotice = (notice) => {
    notices.push(`The workspace changed while it was read: ${notice}`);
  };
  const archive = packNames(parts, { scratch: lists, onNotice });
  try {
    const owner = "0:0";
    const result = await sandbox.files.uploadArchive(archive, remote, {
      owner,
      ...signal === void 0 ? {} : { signal }
    });
    const missing = asIs.length + copied.length - result.entries;
    if (result.skipped > 0 || missing > notices.length) throw partial(result.skipped + Math.max(missing, 0));
    return {
      entries: result.entries,
      bytes: result.bytes,
      scrubbed,
      warnings: few([...scan.warnings, ...warnings, ...notices])
    };
  } finally {
    archive.destroy();
  }
}
function partial(missing) {
  return new OffshootError("protocol-mismatch", {
    message: `${String(missing)} entries of the workspace did not arrive in the sandbox.`,
    hint: "Run the step again; if it stays, report it with the output of: offshoot doctor --json"
  });
}
function dotted(name) {
  return name === "." ? name : `./${name}`;
}
function few(lines) {
  const more = lines.length - maxWarnings;
  return more <= 0 ? [...lines] : [...lines.slice(0, maxWarnings), `${String(more)} more warnings of this kind.`];
}
async function isFolder(folder) {
  return stat2(folder).then(
    (found) => found.isDirectory(),
    () => false
  );
}

// action/job/furnish.ts
var usualFolder = "/workspace";
var sendAttempts = 3;
async function furnish(sandbox, furnishing) {
  const { workspace, sync, syncExclude, signal } = furnishing;
  if (sandbox.info.snapshot !== null) await moveWorkspace(sandbox, workspace, signal);
  await Promise.all([
    sync ? send(sandbox, workspace, syncExclude, signal) : makeFolder(sandbox, workspace, signal),
    workspace === usualFolder ? void 0 : leadTo(sandbox, workspace, signal)
  ]);
}
async function moveWorkspace(sandbox, workspace, signal) {
  const link = await sandbox.files.stat(usualFolder).catch(() => void 0);
  const earlier = link?.type === "symlink" ? link.target : void 0;
  if (earlier === void 0 || earlier === workspace) return;
  const move = '[ ! -d "$1" ] || [ -e "$2" ] || { mkdir -p "${2%/*}" && mv -T "$1" "$2"; }';
  await sandbox.exec(["/bin/sh", "-c", move, "offshoot", earlier, workspace], { cwd: "/", check: true, signal });
  say(`the snapshot's workspace ${earlier} is now at ${workspace}`);
}
async function send(sandbox, workspace, exclude, signal) {
  const sent = await sendPatiently(sandbox, workspace, exclude, signal);
  say(`synced ${String(sent.entries)} entries, ${(sent.bytes / 1e6).toFixed(1)} MB`);
  if (sent.scrubbed.length > 0) say(`without their credentials: ${sent.scrubbed.join(", ")}`);
  for (const warning of sent.warnings) warn(warning);
}
async function sendPatiently(sandbox, workspace, exclude, signal) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendWorkspace(sandbox, { folder: workspace, remote: workspace, exclude, signal });
    } catch (error) {
      const mayPass = isOffshootError(error) && error.retryable && !signal.aborted;
      if (!mayPass || attempt === sendAttempts) throw error;
      say(`the workspace is sent again: ${error.message}`);
      await sandbox.refresh();
    }
  }
}
async function makeFolder(sandbox, folder, signal) {
  await withScratch(async (scratch) => {
    await sendWorkspace(sandbox, { folder: path5.join(scratch, "nothing"), remote: folder, signal });
  });
}
async function leadTo(sandbox, workspace, signal) {
  await withScratch(async (scratch) => {
    const name = path5.basename(usualFolder);
    const [folder, lists] = [path5.join(scratch, "content"), path5.join(scratch, "lists")];
    await Promise.all([mkdir3(folder), mkdir3(lists)]);
    await symlink(workspace, path5.join(folder, name));
    const archive = packNames([{ folder, names: [name] }], { scratch: lists, onNotice: say });
    await sandbox.files.uploadArchive(archive, path5.dirname(usualFolder), { owner: "0:0", signal });
  }).catch((error) => {
    if (!isOffshootError(error) || error.code !== "guest-file-error") throw error;
    say(`${usualFolder} has content of its own and stays as it is`);
  });
}
async function withScratch(use) {
  const folder = await mkdtemp2(path5.join(tmpdir2(), "offshoot-furnish-"));
  try {
    await use(folder);
  } finally {
    await rm2(folder, { recursive: true, force: true });
  }
}

// action/job/script.ts
import path7 from "node:path";

// action/file-commands/merge.ts
import { randomBytes as randomBytes2 } from "node:crypto";
import { appendFile, open, stat as stat3 } from "node:fs/promises";

// action/file-commands/refusals.ts
var Refusals = class {
  #warn;
  #names = /* @__PURE__ */ new Map();
  constructor(warn2) {
    this.#warn = warn2;
  }
  /** Returns `fine`, and notes the name when it is not. */
  unless(fine, name, reason, kind) {
    if (fine) return true;
    const sentence = `${kind} ${reason}`;
    const names3 = this.#names.get(sentence) ?? /* @__PURE__ */ new Set();
    this.#names.set(sentence, names3.add(JSON.stringify(name.slice(0, 100))));
    return false;
  }
  tell() {
    for (const [sentence, names3] of this.#names) {
      const shown2 = [...names3].slice(0, 10).join(", ");
      const more = names3.size > 10 ? ` and ${String(names3.size - 10)} more` : "";
      this.#warn(`Not passed on to the runner, because such a ${sentence}: ${shown2}${more}.`);
    }
  }
};

// action/file-commands/refused-words.ts
var riskyWords = new Set(
  words2(`
    ARG BIN BINARY BINARIES EXE EXEC EXECUTABLE INTERPRETER COMPILER DEBUGGER LINKER RUNNER PRELOAD PREFIX INIT STARTUP ENVIRON
    PLUGIN MODULE MODULES LIB LIBS LIBRARY LIBRARIES HOOK HOOKS AGENT AGENTS EXTENSION EXTENSIONS PROVIDER PROVIDERS TOOLCHAIN TOOLCHAINS
    SSH PROXY PROXIES REGISTRY REGISTRIES MIRROR MIRRORS ENDPOINT ENDPOINTS HOST HOSTS CA CERT CERTS CREDENTIAL CREDENTIALS LOADER IMPORT
    ROOT DRIVER RSH SHELL OPTION SOCK SOCKET INCLUDE
  `)
);
var riskySuffixes = words2(`
  OPTIONS OPTS OPT ADDOPTS FLAGS ARGS WRAPPER LAUNCHER COMMAND COMMANDS CMD PROG PROGRAM PAGER EDITOR BROWSER ASKPASS RSH PROXY
  PATH PATHS HOME DIR DIRS DIRECTORY PLUGINS CONFIG CONF SHELL PRELOAD WEBDRIVER MAKEFILES
`);
var locationWords = new Set(words2("PATH PATHS DIR DIRS DIRECTORY CONFIG ROOT PREFIX ARGS MODULE MODULES"));
var ordinaryWords = new Set(
  words2(`
    APP ARTIFACT ARTIFACTS BACKEND BUILD CACHE CHANGED COVERAGE DATA DEPLOY DIST DOCS DOWNLOAD FRONTEND IMAGE INPUT LOG LOGS OUT OUTPUT PACKAGE PACKAGES
    PROJECT PUBLISH RELEASE REPORT REPORTS RESULT RESULTS SITE SOURCE SRC TAG TARGET TEST TESTS UPLOAD WEB WORK WORKING
  `)
);
var families = new Set(
  words2(`
    GITHUB RUNNER ACTIONS INPUT STATE OFFSHOOT
    LD DYLD GLIBC MALLOC GCONV OPENSSL SSL TLS BASH ZSH SSH SVN CVS RSYNC CURL WGET GPG GNUPG SUDO XDG DBUS GTK QT SYSTEMD LESS MAN FZF RIPGREP
    PYTEST PYENV PIP PIPX PIPENV UV POETRY PDM CONDA MAMBA VIRTUALENV TOX NOX TWINE HATCH RYE SETUPTOOLS DISTUTILS
    GEM BUNDLE BUNDLER RBENV RVM RAKE NODE YARN PNPM BUN DENO VOLTA NVM FNM COREPACK ESBUILD ELECTRON PLAYWRIGHT PUPPETEER CYPRESS TURBO NX
    JAVA JDK MAVEN MVN GRADLE SBT ANT LEIN KOTLIN SCALA JVM GROOVY GIT GH GLAB GITLAB HUB
    CARGO RUSTUP RUST GO CMAKE CTEST CPACK MAKE NINJA MESON BAZEL BAZELISK CCACHE SCCACHE DISTCC ICECC PKG GCC CLANG LLVM LIBTOOL ACLOCAL AUTOCONF
    AUTOMAKE DOTNET NUGET MSBUILD COR COMPLUS PHP COMPOSER ERL ELIXIR MIX HEX REBAR JULIA R GUILE TCL GHC CABAL STACK GHCUP SWIFT
    AWS AZURE ARM AZ GOOGLE GCLOUD CLOUDSDK GCP BOTO ALICLOUD OCI DIGITALOCEAN TF TERRAFORM TOFU TG TERRAGRUNT PULUMI ANSIBLE VAGRANT PACKER VAULT
    CONSUL NOMAD DOCKER BUILDKIT BUILDX BUILDAH CONTAINER CONTAINERS COMPOSE PODMAN SKOPEO COSIGN SIGSTORE KUBE KUBECTL KUBERNETES HELM KUSTOMIZE
    VERCEL NETLIFY WRANGLER CLOUDFLARE FIREBASE HEROKU FLY APT DPKG DEB RPM BREW HOMEBREW NIX SNAP MISE ASDF DIRENV PRE KRB SNYK SONAR
  `)
);
var neutralTails = new Set(
  words2(`
    VERSION VERSIONS TAG TAGS SHA COMMIT BRANCH IMAGE IMAGES DIGEST NUMBER COUNT DATE REGION RESULT RESULTS STATUS NAME EMAIL ENV ENVIRONMENT
  `)
);
var names = new Set(
  words2(`
    USER LOGNAME PWD OLDPWD TMP TEMP TMPDIR PATH ENV BASH_ENV MISE_ENV SHELLOPTS BASHOPTS PS4 IFS GLOBIGNORE EXECIGNORE ZDOTDIR
    HOSTALIASES LOCALDOMAIN TERMINFO TERMCAP TAPE TAR TAR_OPTIONS UNZIP ZIP GZIP BZIP BZIP2 XZ_DEFAULTS ZSTD_CLEVEL POSIXLY_CORRECT
    NODE JAVA GIT SSH SH MAKE CC CXX CPP LD AR AS NM RANLIB STRIP OBJCOPY FC F77 LEX YACC BISON FLEX M4 AWK SED GREP CARGO RUSTC RUSTDOC GCC CLANG
    GO111MODULE VIRTUAL_ENV PSEXECUTIONPOLICYPREFERENCE LUA_INIT LESSOPEN LESSCLOSE LESSKEY VISUAL DIFF MERGE PATCH
    SSLKEYLOGFILE CLASSPATH REQUESTS_CA_BUNDLE INDEX_URL EXTRA_INDEX_URL KUBECONFIG NETRC AGENT_TOOLSDIRECTORY CONFIG_SITE CONFIG_SHELL
    GOOGLE_APPLICATION_CREDENTIALS GIT_EXEC_PATH
  `)
);
function words2(text) {
  return text.trim().split(/\s+/);
}

// action/file-commands/refused-names.ts
function isRefusedOnRunner(name) {
  const upper = name.toUpperCase();
  if (names.has(upper) || /^(GO(?!AL)[A-Z0-9]+|CUSTOM(BEFORE|AFTER).*|[A-QS-Z][A-Z0-9]+RC)$/.test(upper)) return true;
  const words4 = upper.split(/[^A-Z0-9]+/).filter((word) => word !== "");
  if (words4.some(isRisky) && !isOrdinaryLocation(words4)) return true;
  return isOfFamily(words4) && !neutralTails.has(words4.at(-1) ?? "");
}
function isSetByRunner(name) {
  return /^(GITHUB_|RUNNER_)/i.test(name);
}
function isBlockedByRunner(name) {
  return name.toUpperCase() === "NODE_OPTIONS";
}
function isRisky(word) {
  return riskyWords.has(word) || riskySuffixes.some((suffix) => word.endsWith(suffix));
}
function isOrdinaryLocation(words4) {
  return locationWords.has(words4.at(-1) ?? "") && words4.slice(0, -1).every((word) => ordinaryWords.has(word));
}
function isOfFamily([first = "", ...rest]) {
  const family = first.replace(/[0-9]+$/, "");
  if (/^(PYTHON|RUBY|PERL|LUA|RUSTC|RUSTDOC|NPM|GOROOT|GOPATH|COMPLUS|CORECLR)/.test(family)) return true;
  return (rest.length > 0 || first !== family) && (families.has(first) || families.has(family));
}

// action/file-commands/runner-path.ts
import { lstatSync, readlinkSync } from "node:fs";
import { homedir } from "node:os";
import path6 from "node:path";
var mostLinks = 40;
var writableByAll = ["/proc", "/dev", "/sys", "/run", "/tmp", "/var/tmp"];
var writableByJob = ["GITHUB_WORKSPACE", "RUNNER_TEMP", "RUNNER_WORKSPACE", "HOME", "TMPDIR"];
var RunnerPath = class {
  #closed;
  /** `env`: the step's; `guestFilled`: further folders. */
  constructor(env, guestFilled) {
    const ofJob = writableByJob.flatMap((name) => env[name] ?? []).filter((folder) => folder.startsWith("/"));
    const all = [...writableByAll, ...ofJob, homedir(), ...guestFilled.map((folder) => path6.resolve(folder))];
    this.#closed = all.flatMap((folder) => [path6.resolve(folder), ...visited(folder)?.slice(-1) ?? []]);
  }
  /** Of one entry of GITHUB_PATH, which may hold several folders with `:` between them. */
  allows(entry) {
    return entry.split(":").every((folder) => {
      if (!folder.startsWith("/")) return false;
      const folders = visited(folder);
      return folders !== void 0 && !folders.some((each) => this.#isClosed(each));
    });
  }
  #isClosed(folder) {
    return this.#closed.some((closed) => folder === closed || folder.startsWith(closed === "/" ? "/" : `${closed}/`));
  }
};
function visited(absolute) {
  const rest = absolute.split("/").reverse();
  const folders = ["/"];
  let links = 0;
  for (let name = rest.pop(); name !== void 0; name = rest.pop()) {
    if (name === "" || name === ".") continue;
    const here = folders.at(-1) ?? "/";
    const next = name === ".." ? path6.dirname(here) : path6.join(here, name);
    try {
      if (name === ".." || lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink() !== true) {
        folders.push(next);
        continue;
      }
      links += 1;
      if (links > mostLinks) return void 0;
      const target = readlinkSync(next);
      if (target.startsWith("/")) folders.push("/");
      rest.push(...target.split("/").reverse());
    } catch {
      return void 0;
    }
  }
  return folders;
}

// action/file-commands/merge.ts
var actionOutputs = [
  "sandbox-id",
  "snapshot-id",
  "exit-code",
  "timings",
  "egress-denied-count",
  "egress-report",
  "artifacts"
];
async function mergeBack(commands, env, warn2, options = {}) {
  for (const warning of commands.warnings) warn2(warning);
  const reserved = new Set((options.reservedOutputs ?? actionOutputs).map((name) => name.toLowerCase()));
  const refused = new Refusals(warn2);
  const outputs = commands.outputs.filter(
    ({ name }, index) => refused.unless(index < mostNamedValues, name, `is beyond the ${String(mostNamedValues)} taken`, "output") && refused.unless(!reserved.has(name.toLowerCase()), name, "is an output of the action itself", "output") && refused.unless(!name.endsWith("<"), name, "is no name that can be passed on", "output")
  );
  const { env: earlierEnv, path: earlierPath } = options.sessionBytes ?? { env: 0, path: 0 };
  const room = new Room(Math.min(envLimits.stepBytes, envLimits.sessionBytes - earlierEnv));
  const guestEnv = commands.env.filter(
    ({ name, value }) => refused.unless(!isSetByRunner(name), name, "is set by the runner alone", "variable") && refused.unless(!isBlockedByRunner(name), name, "is taken from no step by any runner", "variable") && refused.unless(
      !name.includes("\0") && !value.includes("\0") && !name.endsWith("<"),
      name,
      "can be no variable",
      "variable"
    ) && refused.unless(fitsOneVariable(name, value), name, "is longer than the 128 KiB Linux takes", "variable") && refused.unless(
      room.take(variableBytes(name, value)),
      name,
      "would make the environment too large (256 KiB in a step, 512 KiB in a sandbox)",
      "variable"
    )
  );
  const runnerEnv = guestEnv.filter(
    ({ name }) => refused.unless(!isRefusedOnRunner(name), name, "could take over the runner's own programs", "variable")
  );
  const pathRoom = new Room(envLimits.sessionPathBytes - earlierPath);
  const guestPath = commands.path.filter(
    (entry) => refused.unless(!entry.includes("\0"), entry, "can be no folder", "folder for PATH") && refused.unless(
      pathRoom.take(Buffer.byteLength(entry) + 1),
      entry,
      "would make PATH too long (64 KiB in a sandbox)",
      "folder for PATH"
    )
  );
  const machine = new RunnerPath(env, options.guestFilledFolders ?? []);
  const runnerPath = guestPath.filter(
    (entry) => refused.unless(
      machine.allows(entry),
      entry,
      "is not absolute, or lies where this job or a sandbox can write",
      "folder for PATH"
    )
  );
  refused.tell();
  await append(env, "output", namedValuesText(outputs));
  await append(env, "env", namedValuesText(runnerEnv));
  for (const { name, value } of runnerEnv) env[name] = value;
  await append(env, "path", runnerPath.map((entry) => `${entry}
`).join(""));
  await appendSummary(commands.summary, env, options.summaryReserveBytes ?? 64 * 1024, warn2);
  return { env: guestEnv, path: guestPath };
}
function namedValuesText(entries) {
  if (entries.length === 0) return "";
  let delimiter;
  do {
    delimiter = `offshoot_${randomBytes2(16).toString("hex")}`;
  } while (entries.some(({ value }) => value.includes(delimiter)));
  return entries.map(({ name, value }) => `${name}<<${delimiter}
${value}
${delimiter}
`).join("");
}
async function append(env, file, content) {
  if (content.length === 0) return;
  const target = env[variableOf[file]] ?? "";
  try {
    if (target === "") throw new Error("the variable is not set");
    if (file !== "summary" && await endsUnfinished(target)) await appendFile(target, "\n");
    await appendFile(target, content);
  } catch (error) {
    throw new OffshootError("local-file-error", {
      message: `The runner's ${variableOf[file]} could not be written: ${error instanceof Error ? error.message : String(error)}`,
      cause: error
    });
  }
}
async function endsUnfinished(file) {
  const handle = await open(file).catch(() => void 0);
  if (handle === void 0) return false;
  try {
    const { size } = await handle.stat();
    const last = await handle.read({ buffer: Buffer.alloc(1), position: size - 1, length: size === 0 ? 0 : 1 });
    return last.bytesRead === 1 && last.buffer[0] !== 10;
  } finally {
    await handle.close();
  }
}
async function appendSummary(summary, env, reserveBytes, warn2) {
  if (summary === void 0 || summary.length === 0) return;
  const present = await stat3(env[variableOf.summary] ?? "").then(
    ({ size }) => size,
    () => 0
  );
  const room = fileLimits.summary - reserveBytes - present;
  if (summary.length <= room) return append(env, "summary", summary);
  warn2(
    `GITHUB_STEP_SUMMARY holds ${String(summary.length)} bytes, and the runner has room for ${String(Math.max(0, room))} more; nothing of it was merged.`
  );
}
var Room = class {
  #leftBytes;
  constructor(leftBytes) {
    this.#leftBytes = leftBytes;
  }
  take(bytes) {
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }
};

// action/guest-env/tokens.ts
var tokenName = /^(GITHUB_TOKEN|GH_TOKEN|GITHUB_PAT|GH_PAT|GH_ENTERPRISE_TOKEN|GITHUB_ENTERPRISE_TOKEN|GITHUB_.*(TOKEN|SECRET|PASSWORD))$/i;
var tokenValue = /\b(gh[pousr]_[A-Za-z0-9_.-]{16,}|github_pat_[A-Za-z0-9_]{16,})/;
function isGitHubToken(name, value) {
  return tokenName.test(name) || tokenValue.test(value);
}
function looksSecret(name, value) {
  return isGitHubToken(name, value) || /(TOKEN|SECRET|PASSW(OR)?D|PASSPHRASE|CREDENTIALS?|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY)/i.test(name);
}

// action/guest-env/context-env.ts
var fromGitHub = `
  ACTION ACTION_REPOSITORY ACTOR ACTOR_ID API_URL BASE_REF EVENT_NAME GRAPHQL_URL HEAD_REF JOB REF REF_NAME REF_PROTECTED REF_TYPE REPOSITORY REPOSITORY_ID
  REPOSITORY_OWNER REPOSITORY_OWNER_ID RETENTION_DAYS RUN_ATTEMPT RUN_ID RUN_NUMBER SERVER_URL SHA TRIGGERING_ACTOR WORKFLOW WORKFLOW_REF WORKFLOW_SHA ACTION_REF
`.trim().split(/\s+/).map((name) => `GITHUB_${name}`);
var fromRunner = [
  "RUNNER_OS",
  "RUNNER_ARCH",
  "RUNNER_NAME",
  "RUNNER_ENVIRONMENT",
  "RUNNER_DEBUG",
  "RUNNER_WORKSPACE"
];
function contextEnv(env, workspace, guestEventPath) {
  const context = { CI: env["CI"] ?? "true", GITHUB_ACTIONS: "true" };
  for (const name of [...fromGitHub, ...fromRunner]) {
    const value = env[name];
    if (value !== void 0 && !isGitHubToken(name, value)) context[name] = value;
  }
  if (guestEventPath !== void 0) context["GITHUB_EVENT_PATH"] = guestEventPath;
  return {
    ...context,
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: guestTempFolder,
    RUNNER_TOOL_CACHE: guestToolCacheFolder
  };
}

// action/guest-env/machine-env.ts
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
var maxEnvironBytes = 8 * 1024 * 1024;
var maxAncestors = 8;
function readMachineEnv(options = {}) {
  const { env = process.env, parentPid = process.ppid, procFolder = "/proc" } = options;
  let pid = parentPid;
  for (let generation = 0; generation < maxAncestors && pid > 0; generation++) {
    const found = readEnviron(`${procFolder}/${String(pid)}/environ`);
    if (found === void 0) return void 0;
    if (!isOfTheStep(found, env)) return found;
    pid = parentOf(`${procFolder}/${String(pid)}/stat`);
  }
  return void 0;
}
function isOfTheStep(found, env) {
  return ["GITHUB_OUTPUT", "GITHUB_ENV"].some((name) => found[name] !== void 0 && found[name] === env[name]);
}
function readEnviron(file) {
  const bytes = readBounded(file);
  if (bytes === void 0 || bytes.length === 0) return void 0;
  const found = {};
  for (const entry of bytes.toString("utf8").split("\0")) {
    const equals = entry.indexOf("=");
    if (equals > 0) found[entry.slice(0, equals)] = entry.slice(equals + 1);
  }
  return found;
}
function readBounded(file) {
  let fd;
  try {
    fd = openSync(file, "r");
    const chunks = [];
    for (let total = 0; ; ) {
      const chunk = Buffer.alloc(64 * 1024);
      const length = readSync(fd, chunk);
      if (length === 0) return Buffer.concat(chunks);
      total += length;
      if (total > maxEnvironBytes) return void 0;
      chunks.push(chunk.subarray(0, length));
    }
  } catch {
    return void 0;
  } finally {
    if (fd !== void 0) closeSync(fd);
  }
}
function parentOf(statFile) {
  try {
    const fields = readFileSync(statFile, "utf8").replace(/^.*\) /s, "").split(" ");
    return Number(fields[1] ?? 0);
  } catch {
    return 0;
  }
}

// action/guest-env/machine-names.ts
var prefixes = words3(`
  ANDROID_ HOMEBREW_ BOOTSTRAP_HASKELL_ SUDO_ SYSTEMD_ MEMORY_PRESSURE_ STATS_ XDG_ LC_ DBUS_ SSH_ KUBERNETES_ PIPX_ DOTNET_ GOROOT_
  JAVA_HOME_ POWERSHELL_ NPM_ npm_
`);
var names2 = new Set(
  words3(`
    ACCEPT_EULA AGENT_TOOLSDIRECTORY ANT_HOME AZURE_EXTENSION_DIR CHROME_BIN CHROMEWEBDRIVER CONDA DEBIAN_FRONTEND DISPLAY EDGEWEBDRIVER
    ENABLE_RUNNER_TRACING GECKOWEBDRIVER GHCUP_INSTALL_BASE_PREFIX GRADLE_HOME HOSTTYPE ImageOS ImageVersion INVOCATION_ID JAVA_HOME
    JOURNAL_STREAM LANG LANGUAGE LEIN_HOME LEIN_JAR LS_COLORS MACHTYPE NVM_DIR OSTYPE PERFLOG_LOCATION_SETTING PSModulePath SELENIUM_JAR_PATH
    SGX_AESM_ADDR SWIFT_PATH TERM TZ USE_BAZEL_FALLBACK_VERSION VCPKG_INSTALLATION_ROOT WSLENV
  `)
);
function isWellKnownMachineName(name) {
  return names2.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
var neverNames = new Set(
  words3(`
    PATH HOME USER LOGNAME SHELL PWD OLDPWD SHLVL _ TMPDIR TMP TEMP HOSTNAME MAIL INIT_CWD NODE NODE_CHANNEL_FD
    NODE_CHANNEL_SERIALIZATION_MODE NODE_UNIQUE_ID
  `)
);
function isOfThisProcess(name) {
  if (neverNames.has(name)) return true;
  return /^(INPUT_|STATE_|ACTIONS_|OFFSHOOT_|LD_|BASH_FUNC_|npm_(lifecycle_|package_|command$|execpath$|node_execpath$))/.test(
    name
  );
}
function words3(text) {
  return text.trim().split(/\s+/);
}

// action/guest-env/select-guest-env.ts
var shortestProtected = 4;
var shortestSecret = 6;
function selectGuestEnv(request) {
  const env = request.env ?? process.env;
  const machineEnv = request.machineEnv ?? readMachineEnv({ env });
  const { chosen: author, withheld } = authorEnv(env, machineEnv === "unreadable" ? void 0 : machineEnv);
  const requested = requestedEnv(request.requested, env);
  const added = Object.fromEntries(request.added.map(({ name, value }) => [name, value]));
  const own = { ...added, ...author, ...requested };
  const selected = { ...contextEnv(env, request.workspace, request.guestEventPath), ...own };
  const path8 = pathOf(own["PATH"], request);
  if (path8 !== void 0) selected["PATH"] = path8;
  refuseTooLong(selected);
  const values = Object.values(own);
  const secrets = Object.entries(requested).filter(
    ([name, value]) => value.length >= shortestSecret && looksSecret(name, value)
  );
  return {
    env: (stepFolder) => ({
      ...selected,
      GITHUB_OUTPUT: `${stepFolder}/output`,
      GITHUB_ENV: `${stepFolder}/env`,
      GITHUB_PATH: `${stepFolder}/path`,
      GITHUB_STEP_SUMMARY: `${stepFolder}/summary`
    }),
    protectedValues: [...new Set(values.flatMap(protectedLines))],
    secrets: [...new Set(secrets.map(([, value]) => value))],
    withheld: withheld.filter((name) => requested[name] === void 0)
  };
}
function authorEnv(env, machineEnv) {
  const chosen = {};
  const withheld = [];
  const toolCache = env["RUNNER_TOOL_CACHE"];
  for (const [name, value = ""] of Object.entries(env)) {
    if (isOfThisProcess(name) || name.startsWith("RUNNER_")) continue;
    if (machineEnv === void 0 ? isWellKnownMachineName(name) : machineEnv[name] === value) continue;
    if (isGitHubToken(name, value)) withheld.push(name);
    else if (name.startsWith("GITHUB_") || name === "CI")
      continue;
    else if (toolCache !== void 0 && toolCache !== "" && value.startsWith(`${toolCache}/`))
      continue;
    else chosen[name] = value;
  }
  return { chosen, withheld };
}
function requestedEnv(input, env) {
  const given = parseEnvInput(input).flatMap(
    ({ name, value }) => value === void 0 ? [] : [[name, value]]
  );
  return { ...namedValues(input, env), ...Object.fromEntries(given) };
}
function pathOf(given, request) {
  const entries = request.pathEntries.filter((entry, index, all) => all.lastIndexOf(entry) === index);
  if (given === void 0 && entries.length === 0 && request.defaultPath === void 0) return void 0;
  return [...entries.reverse(), given ?? request.defaultPath ?? guestDefaultPath].join(":");
}
function refuseTooLong(selected) {
  const issues = Object.entries(selected).flatMap(([name, value]) => {
    const bytes = Buffer.byteLength(name) + 1 + Buffer.byteLength(value);
    if (bytes <= maxEnvStringBytes) return [];
    const limit = `Linux takes at most ${String(maxEnvStringBytes)} for one variable; write it to a file of the workspace instead`;
    return [{ path: "env", message: `${name} is ${String(bytes)} bytes with its name, and ${limit}` }];
  });
  if (issues.length > 0) throw envInputError(issues);
}
function protectedLines(value) {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  return [value.includes("\n") ? "" : value, ...lines].filter((line) => line.length >= shortestProtected);
}

// action/log/stdout-sink.ts
var quietened = /* @__PURE__ */ new WeakSet();
function stdoutSink() {
  return streamSink(process.stdout);
}
function streamSink(stream) {
  if (!quietened.has(stream)) {
    quietened.add(stream);
    stream.on("error", () => void 0);
  }
  return {
    write: (text) => new Promise((resolve, reject) => {
      stream.write(text, (error) => {
        if (error == null || nobodyReads(error)) resolve();
        else reject(error);
      });
    })
  };
}
function nobodyReads(error) {
  const code = "code" in error ? error.code : void 0;
  return code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || code === "ERR_STREAM_WRITE_AFTER_END";
}

// action/job/script.ts
async function runScript(sandbox, session, request) {
  const selected = selectGuestEnv({
    env: { ...session.named, ...process.env },
    requested: session.env,
    added: session.envEntries,
    workspace: session.workspace,
    pathEntries: session.pathEntries
  });
  for (const secret of selected.secrets) setSecret(secret);
  if (selected.withheld.length > 0) say(`not passed on: ${selected.withheld.join(", ")} (the input env can name them)`);
  const { exec, fileCommands: fileCommands2, lostBytes } = await runGuestStep(sandbox, request.script, {
    cwd: path7.posix.resolve(session.workspace, request.workingDirectory),
    env: selected.env,
    timeoutMs: request.timeoutMs,
    protectedValues: selected.protectedValues,
    sink: stdoutSink(),
    ...request.onFirstOutput === void 0 ? {} : { onFirstOutput: request.onFirstOutput },
    signal: request.signal,
    onSignal: request.onSignal
  });
  if (lostBytes > 0 || exec.truncated) warn("The output was longer than the host keeps; a part of it is missing here.");
  const merged = await mergeBack(fileCommands2, process.env, warn, {
    reservedOutputs: request.reservedOutputs,
    guestFilledFolders: [session.artifactsFolder],
    summaryReserveBytes: request.summaryReserveBytes,
    sessionBytes: sessionBytesOf(session.envEntries, session.pathEntries)
  });
  session.pathEntries.push(...merged.path);
  session.envEntries.push(...merged.env);
  return exec;
}

// action/job/verdict.ts
async function judge(name, exec, sandbox, timeoutMs) {
  if (isLost(exec)) throw await lost(name, exec, sandbox);
  return judgeExec(exec, { name, memoryMiB: sandbox.info.memoryMiB, timeoutMs });
}
function judgeExec(exec, { name, memoryMiB, timeoutMs }) {
  const code = `exit code ${String(exec.exitCode)}`;
  const failed = (message) => ({
    ok: false,
    exitCode: exec.exitCode === 0 || exec.exitCode === null ? 1 : exec.exitCode,
    title: `Offshoot: ${name} failed`,
    message
  });
  if (exec.timedOut) {
    const minutes = String(Math.round(timeoutMs / 600) / 100);
    return failed(`${name} ran longer than timeout-minutes (${minutes}) and was ended.`);
  }
  if (exec.oomKilled) {
    return failed(
      `${name} ran out of memory and was killed (${code}). The sandbox has ${String(memoryMiB)} MiB; ask for more with the input memory.`
    );
  }
  if (exec.failure !== null) return failed(`${name} could not be started: ${exec.failure.message}`);
  if (exec.exitCode === 0) return { ok: true, exitCode: 0 };
  if (exec.signal !== null) return failed(`${name} was ended by ${exec.signal} (${code}).`);
  return failed(`${name} failed with ${code}.`);
}
function isLost({ exitCode, timedOut, failure }) {
  if (exitCode !== null || timedOut) return false;
  return failure === null || ["stream-lost", "sandbox-ended", "forked"].includes(failure.code);
}
async function lost(name, exec, sandbox) {
  const info = await sandbox.refresh().catch(() => sandbox.info);
  const why = info.end?.message ?? exec.failure?.message ?? "nothing tells why";
  return new OffshootError("sandbox-gone", {
    message: `The sandbox ended while ${name} ran: ${why}`,
    hint: "If it ran out of memory, ask for more with the input memory; offshoot events on the host tells more.",
    details: { end: info.end }
  });
}

export {
  namedValues,
  placeScript,
  keepSandbox,
  checkSnapshotName,
  saveSnapshot,
  furnish,
  send,
  startHeartbeat,
  beat,
  actionOutputs,
  runScript,
  judge
};
