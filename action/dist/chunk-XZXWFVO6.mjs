import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  helperFiles,
  maxControlLineBytes,
  parseLine,
  protocolVersion,
  readLines,
  writeLine
} from "./chunk-DMNCN2ZG.mjs";
import {
  identifyProcess
} from "./chunk-LTHL2XHT.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";

// hostd/net/egress/gate/run-helper.ts
import { statSync } from "node:fs";
import { writeFile, rename } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

// hostd/net/egress/gate/control-server.ts
import { chmod, rm } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
var requestSchema = external_exports.strictObject({ id: external_exports.int().min(0), method: external_exports.string(), params: external_exports.unknown() });
function operation(schema, work) {
  return async (params) => await work(schema.parse(params));
}
async function openControlServer(path, operations, maxLineBytes) {
  return openLineServer(path, maxLineBytes, (line, socket) => {
    void answer(operations, line).then((reply) => {
      writeLine(socket, reply);
    });
  });
}
async function openLineServer(path, maxLineBytes, onLine) {
  const open = /* @__PURE__ */ new Set();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    readLines(socket, maxLineBytes, (line) => {
      onLine(line, socket);
    });
  });
  await rm(path, { force: true });
  const before = process.umask(127);
  try {
    server.listen(path);
    await once(server, "listening");
  } finally {
    process.umask(before);
  }
  await chmod(path, 384);
  server.on("error", () => void 0);
  return {
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(() => resolve()));
    }
  };
}
async function answer(operations, line) {
  const request = requestSchema.safeParse(parseLine(line));
  if (!request.success) return { id: null, error: { message: `no request: ${external_exports.prettifyError(request.error)}` } };
  const { id, method, params } = request.data;
  const known = Object.hasOwn(operations, method) ? operations[method] : void 0;
  if (known === void 0) return { id, error: { message: `there is no ${method.slice(0, 100)}` } };
  try {
    return { id, result: await known(params) ?? null };
  } catch (error) {
    return { id, error: { message: messageOf(error) } };
  }
}
function messageOf(error) {
  const text = error instanceof external_exports.ZodError ? external_exports.prettifyError(error) : String(error);
  return text.slice(0, 2e3);
}

// hostd/net/egress/gate/start-over.ts
import { flushCompileCache, getCompileCacheDir } from "node:module";
var mark = "OFFSHOOT_STARTED_OVER";
var typeStripper = "NativeModule internal/deps/amaro/dist/index";
var loadedSchema = external_exports.object({ moduleLoadList: external_exports.array(external_exports.string()) });
function startOverFromCache() {
  const isSecond = process.env[mark] !== void 0;
  Reflect.deleteProperty(process.env, mark);
  if (isSecond || !hasStrippedTypes() || getCompileCacheDir() === void 0) return;
  flushCompileCache();
  const [program, ...args] = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(program, [program, ...args], { ...process.env, [mark]: "1" });
}
function hasStrippedTypes() {
  const loaded = loadedSchema.safeParse(process);
  return loaded.success && loaded.data.moduleLoadList.includes(typeStripper);
}

// hostd/net/egress/gate/run-helper.ts
var lookMs = 1e3;
var lockPatienceMs = 5e3;
async function runHelper(role, folder, open) {
  startOverFromCache();
  const files = helperFiles(folder, role);
  const lock = await takeLock(files.lock);
  if (lock === void 0) {
    console.error(`another ${role} serves ${folder}`);
    process.exitCode = 3;
    return;
  }
  const self = await ownIdentity();
  await writeWhole(files.identity, { ...self, role });
  const ended = Promise.withResolvers();
  const end = () => ended.resolve(void 0);
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, end);
  process.on("SIGHUP", () => void 0);
  const service = await open();
  const health = () => ({
    role,
    protocolVersion,
    ...self,
    ...service.health(),
    rssMiB: Math.round(process.memoryUsage.rss() / 1024 / 1024)
  });
  const own = { health: () => Promise.resolve(health()), end: operation(external_exports.unknown(), end) };
  const control = await openControlServer(files.controlSocket, { ...service.operations, ...own }, maxControlLineBytes);
  await Promise.race([ended.promise, untilGone(files)]);
  await service.close();
  await control.close();
  lock.close();
  process.exit(0);
}
async function takeLock(path) {
  const deadlineMs = performance.now() + lockPatienceMs;
  for (; ; ) {
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;");
      return database;
    } catch (error) {
      database.close();
      if (!(error instanceof Error) || !error.message.includes("locked")) throw error;
      if (performance.now() > deadlineMs) return void 0;
      await sleep(50);
    }
  }
}
async function ownIdentity() {
  const self = await identifyProcess(process.pid);
  if (self === void 0) throw new Error("/proc does not tell about this process");
  return self;
}
async function writeWhole(path, content) {
  await writeFile(`${path}.new`, JSON.stringify(content), { mode: 384 });
  await rename(`${path}.new`, path);
}
async function untilGone(files) {
  const inode = () => statSync(files.lock, { throwIfNoEntry: false })?.ino;
  const first = inode();
  while (first !== void 0 && inode() === first) await sleep(lookMs);
}

// hostd/net/egress/gate/report-log.ts
import { randomUUID } from "node:crypto";
var defaultLimits = { rowsPerSandbox: 1e3, rowsInAll: 1e5 };
var defaultPage = 2e3;
var once2 = { count: 1, bytesIn: 0, bytesOut: 0 };
var ReportLog = class {
  epoch = randomUUID();
  #limits;
  #wallMs;
  #sandboxes = /* @__PURE__ */ new Map();
  #seq = 0;
  #size = 0;
  constructor(wallMs, limits = defaultLimits) {
    this.#wallMs = wallMs;
    this.#limits = limits;
  }
  get size() {
    return this.#size;
  }
  /** Adds to the row of this; to add nothing is no change. */
  count(what, amounts = once2) {
    if (amounts.count === 0 && amounts.bytesIn === 0 && amounts.bytesOut === 0) return;
    const kept = this.#row(what);
    kept.row.count += amounts.count;
    kept.row.bytesIn += amounts.bytesIn;
    kept.row.bytesOut += amounts.bytesOut;
    kept.row.lastMs = this.#wallMs();
    kept.seq = this.#seq += 1;
  }
  /** For a sandbox that is gone. What its id counts from now on are new totals of the same rows. */
  drop(sandboxId) {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox !== void 0) sandbox.isDropped = true;
  }
  page(since, limit = defaultPage) {
    const from = since?.epoch === this.epoch ? since.seq : 0;
    this.#forgetFetched(from);
    const changed = [...this.#sandboxes.values()].flatMap(({ rows: rows2 }) => [...rows2.values()]).filter(({ seq: seq2 }) => seq2 > from).toSorted((one, other) => one.seq - other.seq);
    const rows = changed.slice(0, limit);
    const seq = rows.at(-1)?.seq ?? Math.min(from, this.#seq);
    return {
      cursor: { epoch: this.epoch, seq },
      rows: rows.map(({ row }) => ({ ...row })),
      more: rows.length < changed.length
    };
  }
  #row(what) {
    const sandbox = this.#sandboxes.get(what.sandboxId) ?? { rows: /* @__PURE__ */ new Map(), isDropped: false };
    this.#sandboxes.set(what.sandboxId, sandbox);
    const own = sandbox.rows.get(keyOf(what));
    if (own !== void 0) return own;
    const named = this.#roomFor(sandbox.rows, what);
    const key = keyOf(named);
    const known = sandbox.rows.get(key);
    if (known !== void 0) return known;
    const nowMs = this.#wallMs();
    const row = { ...named, count: 0, bytesIn: 0, bytesOut: 0, firstMs: nowMs, lastMs: nowMs };
    const kept = { row, seq: this.#seq };
    sandbox.rows.set(key, kept);
    this.#size += 1;
    return kept;
  }
  #roomFor(rows, what) {
    const isFull = this.#size >= this.#limits.rowsInAll && !this.#makeRoom();
    if (!isFull && rows.size < this.#limits.rowsPerSandbox) return what;
    const { address: _address, port: _port, name, ...common } = what;
    const domain = { ...common, name: name === void 0 ? "*" : `*.${name.split(".").slice(-2).join(".")}` };
    if (rows.has(keyOf(domain)) || !isFull && rows.size < 2 * this.#limits.rowsPerSandbox) return domain;
    return { ...common, name: "*" };
  }
  /** Takes rows of a sandbox that is gone, though no one fetched them. */
  #makeRoom() {
    for (const [sandboxId, { rows, isDropped }] of this.#sandboxes) {
      if (!isDropped) continue;
      this.#sandboxes.delete(sandboxId);
      this.#size -= rows.size;
      return true;
    }
    return false;
  }
  #forgetFetched(seq) {
    for (const [sandboxId, { rows, isDropped }] of this.#sandboxes) {
      if (!isDropped) continue;
      for (const [key, kept] of rows) if (kept.seq <= seq && rows.delete(key)) this.#size -= 1;
      if (rows.size === 0) this.#sandboxes.delete(sandboxId);
    }
  }
};
function keyOf({ outcome, reason, failure, name, address, port, transport }) {
  return JSON.stringify([outcome, reason, failure, name, address, port, transport]);
}

export {
  operation,
  openLineServer,
  ReportLog,
  runHelper
};
