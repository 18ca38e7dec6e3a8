import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  cleanText,
  protectedForms,
  say
} from "./chunk-ZXQHXA2X.mjs";
import {
  Sandbox
} from "./chunk-RIRAJAZO.mjs";
import {
  maxEnvStringBytes
} from "./chunk-DBUO72CA.mjs";
import {
  OffshootError,
  isOffshootError
} from "./chunk-WXIR43AS.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";
import {
  error,
  warning
} from "./chunk-JJB4RBM6.mjs";

// action/annotations.ts
var shown = 10;
var longestMessage = 4096;
var told = { error: 0, warning: 0 };
function tell(kind, title, message) {
  told[kind] += 1;
  const text = message.slice(0, longestMessage);
  if (told[kind] > shown) say(`${kind}: ${title}: ${text}`);
  else if (kind === "error") error(text, { title });
  else warning(text, { title });
}
function warn(message) {
  tell("warning", "Offshoot", message);
}
function tellFailure(failure) {
  const { title, message } = explain(failure);
  tell("error", title, message);
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

// action/step/guest-step.ts
import { randomUUID } from "node:crypto";

// action/guest-env/guest-folders.ts
var guestTempFolder = "/var/tmp/runner-temp";
var guestToolCacheFolder = "/opt/hostedtoolcache";
var guestDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// action/file-commands/read.ts
import { once } from "node:events";

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
function sessionBytesOf(env, path2) {
  const values = new Map(env.map(({ name, value }) => [name, value]));
  const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);
  return {
    env: sum([...values].map(([name, value]) => variableBytes(name, value))),
    path: sum([...new Set(path2)].map((entry) => Buffer.byteLength(entry) + 1))
  };
}
function variableBytes(name, value) {
  return Buffer.byteLength(name) + Buffer.byteLength(value) + 10;
}
function fitsOneVariable(name, value) {
  return Buffer.byteLength(name) + 1 + Buffer.byteLength(value) <= maxEnvStringBytes;
}

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
    outputs: namedValues(files, "output", warnings),
    env: namedValues(files, "env", warnings),
    path: parsePathLines(decodeFile(files.get("path") ?? Buffer.alloc(0))),
    summary: files.get("summary"),
    warnings
  };
}
function namedValues(files, file, warnings) {
  const { entries, problem } = parseNamedValues(decodeFile(files.get(file) ?? Buffer.alloc(0)));
  if (problem !== void 0) warnings.push(`${variableOf[file]}: ${problem}; what follows in it was not merged.`);
  return entries;
}
async function readFiles(archive) {
  const tar = await import("./chunk-AG7H43XJ.mjs");
  const files = /* @__PURE__ */ new Map();
  const warnings = [];
  const seen = /* @__PURE__ */ new Set();
  const settled = /* @__PURE__ */ new Set();
  const ignored = [];
  const broken = [];
  let entries = 0;
  const parser = new tar.Parser({
    brotli: false,
    zstd: false,
    onwarn: (code, message) => {
      if (code !== "TAR_ENTRY_INFO" && code !== "TAR_ENTRY_UNSUPPORTED") broken.push(String(message));
    },
    onReadEntry: (entry) => {
      entries += 1;
      const name = entry.path.replace(/^\.\//, "");
      if (isOurs(name) && entry.type === "File" && !seen.has(name)) {
        seen.add(name);
        if (entry.size <= fileLimits[name]) {
          const chunks = [];
          entry.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
          entry.on("end", () => {
            files.set(name, Buffer.concat(chunks));
            settled.add(name);
          });
          return;
        }
        const most = `${String(entry.size)} bytes, more than the ${String(fileLimits[name])} that are taken`;
        settled.add(name);
        warnings.push(`${variableOf[name]} holds ${most}; nothing of it was merged.`);
      } else if (name !== "" && name !== ".") {
        ignored.push(name);
      }
      entry.resume();
    }
  });
  const how = await feed(archive, parser, () => entries > mostEntries);
  if (broken.length > 0 && how === "whole") throw notWhole(broken[0] ?? "");
  if (how === "given-up") {
    const missing = Object.entries(variableOf).filter(([name]) => isOurs(name) && !settled.has(name));
    const names = missing.map(([, variable]) => variable).join(", ");
    warnings.push(`The folder of the file commands holds far more than its files may; not read: ${names}.`);
  }
  if (ignored.length > 0) warnings.push(`Not file commands, and left where they are: ${quoted(ignored)}.`);
  return { files, warnings };
}
async function feed(archive, parser, tooMany) {
  let total = 0;
  let isBlank = true;
  for await (const chunk of archive) {
    const bytes = Buffer.from(chunk);
    if (total === 0 && bytes[0] === 31) throw notWhole("it is compressed");
    total += bytes.length;
    isBlank &&= bytes.every((byte) => byte === 0);
    if (total > archiveBytes || tooMany()) return "given-up";
    parser.write(bytes);
  }
  if (isBlank) return "blank";
  const ended = once(parser, "end");
  parser.end();
  await ended;
  return "whole";
}
function isOurs(name) {
  return Object.hasOwn(fileLimits, name);
}
function notWhole(reason) {
  return new OffshootError("guest-protocol", {
    message: `The archive of the step's file commands is not whole: ${reason}.`
  });
}
function quoted(names) {
  const shown2 = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 100)));
  return shown2.join(", ") + (names.length > shown2.length ? ` and ${String(names.length - shown2.length)} more` : "");
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
  } catch (error2) {
    if (isOffshootError(error2) && error2.code === "guest-file-not-found") return nothing;
    throw error2;
  }
}
function within(timeoutMs, signal) {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
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
var reconnectTimeoutMs = 1e4;
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
  timings.restart();
  const { isolation, cpus, memoryMiB } = sandbox.info;
  say(`${sandbox.id}: ${String(cpus)} CPU, ${String(memoryMiB)} MiB, ${isolation.tier}`);
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
    ...inputs["egress-mode"] === void 0 ? {} : { egress: { mode: inputs["egress-mode"] } },
    labels: { ...context.labels, ...inputs.labels },
    timeoutSeconds: leaseSeconds,
    waitSeconds,
    signal,
    connection: { host, reconnectTimeoutMs }
  });
}
function explained(error2, waitedMs) {
  if (!isOffshootError(error2) || error2.code !== "capacity-exhausted") return error2;
  return new OffshootError("capacity-exhausted", {
    message: `The host had no room for ${String(Math.round(waitedMs / 1e3))} s: ${error2.message}`,
    hint: "Run fewer jobs at once on this host, ask for less memory, or give the host more.",
    details: error2.details
  });
}

// action/session.ts
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
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
  return path.join(tempFolder, "offshoot");
}
function sessionFile(tempFolder, sandboxId) {
  return path.join(sessionFolder(tempFolder), `${sandboxId}.json`);
}
async function writeSession(file, session) {
  await mkdir(path.dirname(file), { recursive: true, mode: 448 });
  const partial = `${file}.${String(process.pid)}`;
  await writeFile(partial, JSON.stringify(session), { mode: 384 });
  await rename(partial, file);
}
async function readSession(file) {
  const text = await readFile(file, "utf8").catch(() => void 0);
  if (text !== void 0) return parseSession(text, file);
  throw new OffshootError("usage", {
    message: `There is no sandbox ${path.basename(file, ".json")} of this job for the shell offshoot {0}.`,
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
  await rm(file, { force: true });
}

export {
  tell,
  warn,
  tellFailure,
  explain,
  Cancellation,
  guestTempFolder,
  guestToolCacheFolder,
  guestDefaultPath,
  fileLimits,
  variableOf,
  mostNamedValues,
  envLimits,
  sessionBytesOf,
  variableBytes,
  fitsOneVariable,
  placeScript,
  runGuestStep,
  within,
  leaseSeconds,
  reconnectTimeoutMs,
  createSandbox,
  sessionVariable,
  sessionFolder,
  sessionFile,
  writeSession,
  readSession,
  removeSession
};
