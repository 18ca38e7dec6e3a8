import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  FreshRun
} from "./chunk-VYSSIG4O.mjs";
import {
  InFlight,
  exchangeOverTcp,
  exchangeOverUdp,
  hostResolver,
  lastingSets,
  loadRules,
  openDnsListener,
  parseQuery,
  pinSets,
  pinnedHostsSet,
  pinnedSet
} from "./chunk-4VJ64A2N.mjs";
import {
  runChecked,
  systemRunner
} from "./chunk-CIXUOV6D.mjs";
import "./chunk-LTWX3RIA.mjs";
import {
  ReportLog,
  openLineServer,
  operation,
  runHelper
} from "./chunk-XZXWFVO6.mjs";
import {
  InTurn,
  PolicyTable,
  dnsListenSchema,
  maxPinMs,
  minPinMs,
  nameRequestSchema,
  namesSocket,
  parseLine,
  pinDocumentSchema,
  pinsFile,
  policyDocumentSchema,
  reportRequestSchema,
  restorePinsSchema,
  sandboxRequestSchema,
  systemClock,
  writeLine
} from "./chunk-DMNCN2ZG.mjs";
import {
  hostBootId
} from "./chunk-LTHL2XHT.mjs";
import "./chunk-DPK6MB3H.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// hostd/net/egress/gate/nft-pin-writer.ts
import { access } from "node:fs/promises";

// hostd/net/egress/firewall/pin-writer.ts
import { isIPv4 } from "node:net";

// hostd/net/egress/firewall/tracked-flows.ts
var lifelessStates = /* @__PURE__ */ new Set(["TIME_WAIT", "CLOSE", "SYN_SENT", "SYN_SENT2", "LAST_ACK"]);
async function trackedFlows(runner, netnsPath) {
  const args = [`--net=${netnsPath}`, "--", "cat", "/proc/net/nf_conntrack"];
  const { stdout } = await runChecked(runner, "nsenter", args);
  return stdout.split("\n").flatMap((line) => parseTrackedFlow(line) ?? []);
}
function parseTrackedFlow(line) {
  const [family, , transport, , , state] = line.split(/\s+/);
  if (family !== "ipv4" || transport !== "tcp" && transport !== "udp") return void 0;
  if (transport === "tcp" && (state === void 0 || lifelessStates.has(state))) return void 0;
  const [address] = valuesOf(line, "dst");
  const [port, seenPort] = valuesOf(line, "dport").map(Number);
  const answeringPort = Number(valuesOf(line, "sport")[1]);
  if (address === void 0 || port === void 0 || seenPort === void 0 || Number.isNaN(answeringPort))
    return void 0;
  return { transport, address, port, seenPort, answeringPort };
}
function valuesOf(line, key) {
  return [...line.matchAll(new RegExp(` ${key}=([\\d.]+)(?= )`, "g"))].flatMap(([, value]) => value ?? []);
}

// hostd/net/egress/firewall/pin-writer.ts
var batchSize = 512;
var maxWaitingPerSandbox = 8192;
var PinWriter = class {
  #runner;
  #netnsPathOf;
  #queues = /* @__PURE__ */ new Map();
  /** `netnsPathOf`: undefined for a sandbox that is gone. */
  constructor(runner, netnsPathOf) {
    this.#runner = runner;
    this.#netnsPathOf = netnsPathOf;
  }
  /** Rejects for IPv6, which sandboxes don't have, for a sandbox that is gone, or when nft fails. */
  add(sandboxId, pin, lifetimeMs) {
    const life = `timeout ${String(Math.max(1, Math.round(lifetimeMs)))}ms`;
    return this.#change(sandboxId, pin, (element) => `${removal(element)}${addition(element, life)}`);
  }
  /** Rejects like `add`. Connections that used the pin end with their next packet. */
  remove(sandboxId, pin) {
    return this.#change(sandboxId, pin, removal);
  }
  async inUse(sandboxId, pins) {
    const used = /* @__PURE__ */ new Set();
    for (const { transport, address, port } of await this.flows(sandboxId)) {
      used.add(`${transport} ${address} ${String(port)}`).add(`${transport} ${address} any`);
    }
    return pins.filter(({ transport, address, port }) => used.has(`${transport} ${address} ${String(port)}`));
  }
  /** The open connections of a sandbox; none of one that is gone. Rejects when they can't be read. */
  async flows(sandboxId) {
    const netnsPath = this.#netnsPathOf(sandboxId);
    return netnsPath === void 0 ? [] : trackedFlows(this.#runner, netnsPath);
  }
  /** Resolves when nothing is being written for a sandbox; what waits of one that is gone fails by itself. Never rejects. */
  async idle(sandboxId) {
    await this.#queues.get(sandboxId)?.running;
  }
  #change(sandboxId, pin, textOf) {
    if (!isIPv4(pin.address)) return Promise.reject(new TypeError(`not an IPv4 address: ${pin.address}`));
    const queue = this.#queues.get(sandboxId) ?? { waiting: [], running: void 0 };
    if (queue.waiting.length >= maxWaitingPerSandbox) {
      return Promise.reject(new Error(`more than ${String(maxWaitingPerSandbox)} changes of pins wait`));
    }
    this.#queues.set(sandboxId, queue);
    const done = new Promise((resolve, reject) => {
      queue.waiting.push({ text: textOf(elementOf(pin)), resolve, reject });
    });
    queue.running ??= this.#work(sandboxId, queue);
    return done;
  }
  async #work(sandboxId, queue) {
    await Promise.resolve();
    while (queue.waiting.length > 0) await this.#apply(sandboxId, queue.waiting.splice(0, batchSize));
    this.#queues.delete(sandboxId);
  }
  /** A batch that fails is tried change by change: one that can't be made must not fail those beside it. */
  async #apply(sandboxId, batch) {
    try {
      await this.#load(sandboxId, batch.map(({ text }) => text).join(""));
    } catch (error) {
      const [first] = batch;
      if (batch.length === 1) first?.reject(error);
      else for (const change of batch) await this.#apply(sandboxId, [change]);
      return;
    }
    for (const { resolve } of batch) resolve();
  }
  async #load(sandboxId, document) {
    const netnsPath = this.#netnsPathOf(sandboxId);
    if (netnsPath === void 0) throw new Error(`the sandbox ${sandboxId} has no network`);
    await loadRules(this.#runner, netnsPath, document);
  }
};
function elementOf({ address, port, transport }) {
  if (port === "any") return { set: pinnedHostsSet(transport), key: address };
  return { set: pinnedSet(transport), key: `${address} . ${String(port)}` };
}
function addition({ set, key }, life) {
  return `add element inet offshoot ${set} { ${key} ${life} }
`;
}
function removal(element) {
  const { set, key } = element;
  return `${addition(element, "timeout 1m")}delete element inet offshoot ${set} { ${key} }
`;
}

// hostd/net/egress/gate/nft-pin-writer.ts
var NftPinWriter = class extends PinWriter {
  #runner;
  #netnsPathOf;
  constructor(runner, netnsPathOf) {
    super(runner, netnsPathOf);
    this.#runner = runner;
    this.#netnsPathOf = netnsPathOf;
  }
  async replaceAll(sandboxId, pins) {
    const netnsPath = this.#netnsPathOf(sandboxId);
    if (netnsPath === void 0 || !await exists(netnsPath)) return;
    await loadRules(this.#runner, netnsPath, replacement(pins));
  }
};
function replacement(pins) {
  const definitions = lastingSets.filter(({ name }) => pinSets.includes(name));
  const elements = /* @__PURE__ */ new Map();
  for (const { pin, lifetimeMs } of pins) {
    const element = pin.port === "any" ? `${pinnedHostsSet(pin.transport)} { ${pin.address}` : `${pinnedSet(pin.transport)} { ${pin.address} . ${String(pin.port)}`;
    elements.set(element, Math.max(lifetimeMs, elements.get(element) ?? 1));
  }
  return [
    "add table inet offshoot\n",
    ...definitions.map(({ name, definition }) => `add set inet offshoot ${name} ${definition}
`),
    ...pinSets.map((name) => `flush set inet offshoot ${name}
`),
    ...[...elements].map(
      ([element, ms]) => `add element inet offshoot ${element} timeout ${String(Math.round(ms))}ms }
`
    )
  ].join("");
}
async function exists(path) {
  return access(path).then(
    () => true,
    () => false
  );
}

// hostd/net/egress/dns/opening.ts
var maxNamesPerOpening = 20;
function holdFor({ names }, name, endMs) {
  names.delete(name);
  const leaving = [...names].slice(0, Math.max(0, names.size + 1 - maxNamesPerOpening));
  for (const [left] of leaving) names.delete(left);
  names.set(name, Math.max(endMs, ...leaving.map(([, leftMs]) => leftMs)));
}
function endOf(names) {
  return Math.max(...names.values());
}

// hostd/net/egress/dns/pin-table.ts
var spareMs = 6e4;
var lateMs = 1e4;
var renewalWindowMs = 5e4;
var graceMs = 5e3;
var maxOpeningsPerSandbox = 4096;
var PinTable = class {
  #sink;
  #now;
  #sandboxes = /* @__PURE__ */ new Map();
  #order = /* @__PURE__ */ new Map();
  /** `now` in monotonic milliseconds. */
  constructor(sink, now2) {
    this.#sink = sink;
    this.#now = now2;
  }
  /** Resolves when all of them are in force for at least so long as a client may use an answer with this TTL. Rejects when one can't be. */
  async pin(sandboxId, pins, ttlMs) {
    const neededMs = Math.min(maxPinMs, Math.max(minPinMs, ttlMs + lateMs));
    await Promise.all(pins.map((pin) => this.#hold(sandboxId, pin, neededMs)));
  }
  /** After a change of policy: closes what the new one does not support. Rejects when something could not be closed; calling again tries again. */
  async retain(sandboxId, view) {
    const closing = [...this.#openings(sandboxId).values()].filter((opening) => {
      for (const name of opening.names.keys())
        if (!supports(view, { ...opening.pin, name })) opening.names.delete(name);
      return opening.names.size === 0;
    });
    await Promise.all(closing.map((opening) => this.#close(sandboxId, opening)));
  }
  /** To be called every 20 seconds or so: pins that a flow uses live on, others end when their time is up. Rejects with an AggregateError when the sink failed for a sandbox; the others are renewed. */
  async renewInUse() {
    const results = await Promise.allSettled([...this.#sandboxes.keys()].map((sandboxId) => this.#renew(sandboxId)));
    const failures = results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
    if (failures.length > 0) throw new AggregateError(failures, "Pins of some sandboxes could not be renewed");
  }
  /** All that is pinned now, as JSON. */
  documentOf(sandboxId) {
    const nowMs = this.#now();
    const pins = [...this.#openings(sandboxId).values()].flatMap(
      ({ pin, names }) => [...names].filter(([, expiresMs]) => expiresMs > nowMs).map(([name, expiresMs]) => ({ ...pin, name, remainingMs: expiresMs - nowMs }))
    );
    return { version: 1, pins };
  }
  /** Takes up a document of this or another sandbox: after a restart, a fork or a restore. What the policy does not support stays closed. Throws a ZodError for what is no such document; rejects when the sink fails. */
  async restore(sandboxId, document, view) {
    const { pins } = pinDocumentSchema.parse(document);
    const supported = pins.filter((pin) => supports(view, pin));
    await Promise.all(
      supported.map(({ remainingMs, ...pin }) => this.#hold(sandboxId, pin, Math.max(minPinMs, remainingMs)))
    );
  }
  /** For a sandbox that is gone with its packet filter. */
  forget(sandboxId) {
    this.#sandboxes.delete(sandboxId);
  }
  #openings(sandboxId) {
    return this.#sandboxes.get(sandboxId) ?? /* @__PURE__ */ new Map();
  }
  async #hold(sandboxId, pin, neededMs) {
    const openings = this.#openings(sandboxId);
    this.#sandboxes.set(sandboxId, openings);
    const key = keyOf(pin);
    const opening = openings.get(key) ?? { key, pin, names: /* @__PURE__ */ new Map() };
    openings.delete(key);
    openings.set(key, opening);
    const nowMs = this.#now();
    const endMs = opening.names.get(pin.name) ?? 0;
    if (endMs - nowMs >= neededMs) return this.#settled(sandboxId, key);
    const lifetimeMs = Math.min(maxPinMs, neededMs + spareMs);
    holdFor(opening, pin.name, nowMs + lifetimeMs);
    this.#makeRoom(sandboxId, openings);
    await this.#open(sandboxId, opening, pin, endOf(opening.names) - nowMs);
  }
  async #open(sandboxId, opening, pin, lifetimeMs) {
    try {
      await this.#inOrder(sandboxId, opening.key, () => this.#sink.add(sandboxId, pin, lifetimeMs));
    } catch (cause) {
      opening.names.clear();
      await this.#close(sandboxId, opening).catch(() => void 0);
      throw cause;
    }
  }
  async #close(sandboxId, opening) {
    await this.#inOrder(sandboxId, opening.key, () => this.#sink.remove(sandboxId, opening.pin));
    const openings = this.#openings(sandboxId);
    if (opening.names.size === 0 && openings.get(opening.key) === opening) openings.delete(opening.key);
  }
  async #renew(sandboxId) {
    const openings = this.#openings(sandboxId);
    const nowMs = this.#now();
    const ending = [...openings.values()].filter(
      ({ names }) => names.size > 0 && endOf(names) - nowMs < renewalWindowMs
    );
    if (ending.length === 0) return;
    const pins = ending.map(({ pin }) => pin);
    const used = new Set((await this.#sink.inUse(sandboxId, pins)).map(keyOf));
    const lifetimeMs = minPinMs + spareMs;
    const renewed = ending.flatMap((opening) => {
      if (!used.has(opening.key) || opening.names.size === 0) return [];
      for (const name of opening.names.keys()) opening.names.set(name, nowMs + lifetimeMs);
      return [this.#open(sandboxId, opening, opening.pin, lifetimeMs)];
    });
    for (const opening of ending) forgetEnded(openings, opening, nowMs - graceMs);
    await Promise.all(renewed);
  }
  /** A guest that makes names lead to ever new addresses loses the pins asked for longest ago. */
  #makeRoom(sandboxId, openings) {
    if (openings.size <= maxOpeningsPerSandbox) return;
    const held = [...openings.values()].filter(({ names }) => names.size > 0);
    for (const opening of held.slice(0, Math.max(0, held.length - maxOpeningsPerSandbox))) {
      opening.names.clear();
      void this.#close(sandboxId, opening).catch(() => void 0);
    }
  }
  #settled(sandboxId, key) {
    return this.#order.get(`${sandboxId} ${key}`) ?? Promise.resolve();
  }
  async #inOrder(sandboxId, key, operation2) {
    const orderKey = `${sandboxId} ${key}`;
    const before = this.#order.get(orderKey) ?? Promise.resolve();
    const mine = before.catch(() => void 0).then(operation2);
    this.#order.set(orderKey, mine);
    try {
      await mine;
    } finally {
      if (this.#order.get(orderKey) === mine) this.#order.delete(orderKey);
    }
  }
};
function keyOf(pin) {
  return `${pin.transport} ${pin.address} ${String(pin.port)}`;
}
function forgetEnded(openings, opening, beforeMs) {
  for (const [name, expiresMs] of opening.names) if (expiresMs < beforeMs) opening.names.delete(name);
  if (opening.names.size === 0 && openings.get(opening.key) === opening) openings.delete(opening.key);
}
function supports(view, pin) {
  const isNamed2 = view.rawPorts(pin.name).some(({ port, transport }) => port === pin.port && transport === pin.transport);
  return isNamed2 && isPinnable(view, pin);
}
function isPinnable(view, pin) {
  return view.mayUseAddress(pin.name, pin.address, pin.port === "any" ? 0 : pin.port).allowed;
}

// hostd/net/egress/dns/answer-cache.ts
var minTtlSeconds = 5;
var maxTtlSeconds = 3570;
var maxNegativeTtlSeconds = 300;
var bytesPerEntry = 160;
var bytesPerAddress = 48;
var AnswerCache = class {
  #now;
  #limits;
  #entries = /* @__PURE__ */ new Map();
  #bytes = 0;
  constructor(now2, limits) {
    this.#now = now2;
    this.#limits = limits;
  }
  get size() {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }
  /** With the time left as TTL, and each time with the next address in front. */
  get(name) {
    const entry = this.#entries.get(name);
    if (entry === void 0) return void 0;
    const leftMs = entry.expiresMs - this.#now();
    this.#delete(name, entry);
    if (leftMs <= 0) return void 0;
    this.#insert(name, { ...entry, turns: entry.turns + 1 });
    return aged(entry.resolution, Math.ceil(leftMs / 1e3), entry.turns);
  }
  /** Gives back what clients may be told, its TTL within bounds. Failures are not kept: the next query may fare better. */
  set(name, resolution) {
    const before = this.#entries.get(name);
    if (before !== void 0) this.#delete(name, before);
    if (resolution.kind === "failed") return resolution;
    const cap = resolution.kind === "none" ? maxNegativeTtlSeconds : maxTtlSeconds;
    const ttlSeconds = Math.min(cap, Math.max(minTtlSeconds, resolution.ttlSeconds));
    const kept = { ...resolution, ttlSeconds };
    const addresses = resolution.kind === "addresses" ? resolution.addresses.length : 0;
    const bytes = bytesPerEntry + 2 * name.length + bytesPerAddress * addresses;
    this.#insert(name, { resolution: kept, expiresMs: this.#now() + ttlSeconds * 1e3, bytes, turns: 1 });
    this.#makeRoom();
    return kept;
  }
  #makeRoom() {
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#limits.entries && this.#bytes <= this.#limits.bytes) return;
      this.#delete(oldest, entry);
    }
  }
  #insert(name, entry) {
    this.#entries.set(name, entry);
    this.#bytes += entry.bytes;
  }
  #delete(name, entry) {
    this.#entries.delete(name);
    this.#bytes -= entry.bytes;
  }
};
function aged(resolution, ttlSeconds, turns) {
  if (resolution.kind === "failed") return resolution;
  if (resolution.kind === "none") return { ...resolution, ttlSeconds };
  const { addresses } = resolution;
  const first = turns % addresses.length;
  return { kind: "addresses", addresses: [...addresses.slice(first), ...addresses.slice(0, first)], ttlSeconds };
}

// hostd/net/egress/dns/reply.ts
import { Buffer as Buffer2 } from "node:buffer";

// hostd/net/egress/dns/wire.ts
import { Buffer } from "node:buffer";
var headerBytes = 12;
var maxNameBytes = 255;
var maxLabelBytes = 63;
var recordHeadBytes = 10;
var classIn = 1;
var types = {
  a: 1,
  ns: 2,
  cname: 5,
  soa: 6,
  null: 10,
  ptr: 12,
  mx: 15,
  txt: 16,
  aaaa: 28,
  srv: 33,
  naptr: 35,
  opt: 41,
  ds: 43,
  dnskey: 48,
  tlsa: 52,
  svcb: 64,
  https: 65,
  ixfr: 251,
  axfr: 252,
  any: 255,
  caa: 257
};
var rcodes = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  noSuchName: 3,
  notImplemented: 4,
  refused: 5,
  badVersion: 16
};
function readName(message, start, pointers) {
  const labels = [];
  let offset = start;
  let lowest = start;
  let end;
  let nameBytes = 1;
  while (offset < message.length) {
    const length = message.readUInt8(offset);
    if (length === 0) return { labels, end: end ?? offset + 1 };
    if (length >= 192) {
      if (pointers === "refuse" || offset + 2 > message.length) return void 0;
      const target = message.readUInt16BE(offset) & 16383;
      if (target >= lowest) return void 0;
      end ??= offset + 2;
      lowest = target;
      offset = target;
      continue;
    }
    nameBytes += 1 + length;
    if (length > maxLabelBytes || nameBytes > maxNameBytes || offset + 1 + length > message.length) return void 0;
    labels.push(message.subarray(offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return void 0;
}
function plainName(labels) {
  const name = labels.map((label) => label.toString("latin1").toLowerCase()).join(".");
  return isPlainName(name) && labels.every((label) => !label.includes(46)) ? name : void 0;
}
function isPlainName(name) {
  return name.length <= maxNameBytes - 2 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name);
}
function printableName(labels) {
  if (labels.length === 0) return ".";
  return labels.map((label) => [...label].map(printableByte).join("")).join(".");
}
function printableByte(byte) {
  const character = String.fromCharCode(byte).toLowerCase();
  return /[a-z0-9_-]/.test(character) ? character : `\\${String(byte).padStart(3, "0")}`;
}
function writeName(name) {
  const labels = name.split(".").filter((label) => label !== "");
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, "latin1")]),
    Buffer.alloc(1)
  ]);
}
function readRecord(message, start) {
  const name = readName(message, start, "follow");
  if (name === void 0 || name.end + recordHeadBytes > message.length) return void 0;
  const dataStart = name.end + recordHeadBytes;
  const dataEnd = dataStart + message.readUInt16BE(name.end + 8);
  if (dataEnd > message.length) return void 0;
  return {
    name: plainName(name.labels),
    isRoot: name.labels.length === 0,
    type: message.readUInt16BE(name.end),
    class: message.readUInt16BE(name.end + 2),
    ttl: message.readUInt32BE(name.end + 4),
    dataStart,
    dataEnd
  };
}
function readRecords(message, start, count) {
  const records = [];
  let offset = start;
  while (records.length < count) {
    const record = readRecord(message, offset);
    if (record === void 0) return void 0;
    records.push(record);
    offset = record.dataEnd;
  }
  return { records, end: offset };
}

// hostd/net/egress/dns/query.ts
var smallestUdpBytes = 512;
var largestUdpBytes = 1232;
function parseGuestQuery(bytes) {
  if (bytes.length < headerBytes) return { kind: "ignore" };
  const flags = bytes.readUInt8(2);
  if ((flags & 128) !== 0) return { kind: "ignore" };
  const head = { id: bytes.readUInt16BE(0), recursionDesired: (flags & 1) !== 0 };
  const reject = (rcode, query2) => ({
    kind: "reject",
    rcode,
    ...head,
    ...query2 === void 0 ? {} : { query: query2 }
  });
  if ((flags >> 3 & 15) !== 0) return reject(rcodes.notImplemented);
  if (bytes.readUInt16BE(4) !== 1) return reject(rcodes.formatError);
  const name = readName(bytes, headerBytes, "refuse");
  if (name === void 0 || name.end + 4 > bytes.length) return reject(rcodes.formatError);
  const questionEnd = name.end + 4;
  const extension = readExtension(bytes, questionEnd);
  if (extension === "broken") return reject(rcodes.formatError);
  const query = {
    ...head,
    question: bytes.subarray(headerBytes, questionEnd),
    name: plainName(name.labels),
    printable: printableName(name.labels),
    isRoot: name.labels.length === 0,
    type: bytes.readUInt16BE(name.end),
    maxUdpBytes: udpBytes(extension),
    hasEdns: extension !== void 0
  };
  if (extension !== void 0 && ednsVersion(extension) !== 0) return reject(rcodes.badVersion, query);
  if (bytes.readUInt16BE(name.end + 2) !== classIn) return reject(rcodes.refused, query);
  return { kind: "query", query };
}
function readExtension(bytes, questionEnd) {
  const before = bytes.readUInt16BE(6) + bytes.readUInt16BE(8);
  const read = readRecords(bytes, questionEnd, before + bytes.readUInt16BE(10));
  if (read?.end !== bytes.length) return "broken";
  const options = read.records.filter((record) => record.type === types.opt);
  const [option] = options;
  if (option === void 0) return void 0;
  const isWellPlaced = read.records.indexOf(option) >= before && option.isRoot;
  return options.length === 1 && isWellPlaced ? option : "broken";
}
function udpBytes(extension) {
  return Math.min(largestUdpBytes, Math.max(smallestUdpBytes, extension?.class ?? 0));
}
function ednsVersion(extension) {
  return extension.ttl >>> 16 & 255;
}

// hostd/net/egress/dns/reply.ts
var maxTcpBytes = 65535;
var isResponse = 128;
var truncated = 2;
var recursionAvailable = 128;
function buildReply(query, reply, transport) {
  const answers = reply.answers ?? [];
  const option = query.hasEdns ? [optionRecord(reply.rcode)] : [];
  const build = (records, flags) => {
    const head = header(query, reply.rcode, flags);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt16BE(option.length, 10);
    return Buffer2.concat([head, query.question, ...records, ...option]);
  };
  const whole = build(answers, 0);
  const limit = transport === "udp" ? query.maxUdpBytes : maxTcpBytes;
  return whole.length <= limit ? whole : build([], truncated);
}
function bareReply(query, rcode) {
  return header(query, rcode, 0);
}
function addressRecords(addresses, ttlSeconds) {
  return addresses.map((address) => {
    const record = Buffer2.alloc(16);
    record.writeUInt16BE(49152 | headerBytes, 0);
    record.writeUInt16BE(types.a, 2);
    record.writeUInt16BE(classIn, 4);
    record.writeUInt32BE(ttlSeconds, 6);
    record.writeUInt16BE(4, 10);
    record.set(address.split(".").map(Number), 12);
    return record;
  });
}
function header(query, rcode, flags) {
  const head = Buffer2.alloc(headerBytes);
  head.writeUInt16BE(query.id, 0);
  head.writeUInt8(isResponse | flags | (query.recursionDesired ? 1 : 0), 2);
  head.writeUInt8(recursionAvailable | rcode & 15, 3);
  return head;
}
function optionRecord(rcode) {
  const record = Buffer2.alloc(11);
  record.writeUInt16BE(types.opt, 1);
  record.writeUInt16BE(largestUdpBytes, 3);
  record.writeUInt8(rcode >> 4, 5);
  return record;
}
var noSuchName = { rcode: rcodes.noSuchName };
var noData = { rcode: rcodes.noError };
var serverFailure = { rcode: rcodes.serverFailure };

// hostd/net/egress/dns/passed-on.ts
function passedOn(query, response) {
  if (response.length < headerBytes || response.readUInt16BE(4) !== 1) return serverFailure;
  const rcode = response.readUInt8(3) & 15;
  if (rcode !== rcodes.noError && rcode !== rcodes.noSuchName) return serverFailure;
  const asked = readName(response, headerBytes, "refuse");
  const isSame = asked !== void 0 && plainName(asked.labels) === query.name && asked.end + 4 - headerBytes === query.question.length && response.subarray(asked.end, asked.end + 4).equals(query.question.subarray(-4));
  if (!isSame) return serverFailure;
  const answers = readRecords(response, asked.end + 4, response.readUInt16BE(6));
  if (answers === void 0) return serverFailure;
  let start = asked.end + 4;
  const records = answers.records.map(({ dataEnd }) => {
    const record = response.subarray(start, dataEnd);
    start = dataEnd;
    return record;
  });
  return { rcode, answers: records };
}

// hostd/net/egress/dns/limits.ts
var queriesPerSecond = 500;
var queriesInFlight = 64;
var queriesInFlightOfAll = 1024;
var maxWildcardBytes = 120;
var maxWildcardLabels = 8;
var newNamesAtOnce = 100;
var newNamesPerSecond = 1;
var maxKnownNames = 256;
function fitsWildcard(rule, name) {
  const front = name.slice(0, -(rule.name.length + 1));
  return front.length <= maxWildcardBytes && front.split(".").length <= maxWildcardLabels;
}
var TokenBucket = class {
  #now;
  #capacity;
  #perSecond;
  #tokens;
  #filledMs;
  constructor(now2, capacity, perSecond) {
    this.#now = now2;
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#tokens = capacity;
    this.#filledMs = now2();
  }
  take() {
    const nowMs = this.#now();
    this.#tokens = Math.min(this.#capacity, this.#tokens + (nowMs - this.#filledMs) / 1e3 * this.#perSecond);
    this.#filledMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
};
var QueryLimits = class {
  #now;
  #sandboxes = /* @__PURE__ */ new Map();
  /** Queries being answered. */
  inFlight = new InFlight(queriesInFlight, queriesInFlightOfAll);
  constructor(now2) {
    this.#now = now2;
  }
  admitsQuery(sandboxId) {
    return this.#useOf(sandboxId).queries.take();
  }
  /** Called when a name that only a wildcard allows would be asked of its owner's servers. */
  admitsNewName(sandboxId, rule, name) {
    const { bucket, known } = this.#wildcardOf(sandboxId, rule);
    if (known.delete(name)) {
      known.add(name);
      return true;
    }
    if (!bucket.take()) return false;
    known.add(name);
    if (known.size > maxKnownNames) known.delete(known.values().next().value ?? name);
    return true;
  }
  /** For a sandbox that is gone. */
  forget(sandboxId) {
    this.#sandboxes.delete(sandboxId);
  }
  #useOf(sandboxId) {
    const use = this.#sandboxes.get(sandboxId) ?? {
      queries: new TokenBucket(this.#now, queriesPerSecond, queriesPerSecond),
      wildcards: /* @__PURE__ */ new Map()
    };
    this.#sandboxes.set(sandboxId, use);
    return use;
  }
  #wildcardOf(sandboxId, rule) {
    const { wildcards } = this.#useOf(sandboxId);
    const use = wildcards.get(rule.name) ?? {
      bucket: new TokenBucket(this.#now, newNamesAtOnce, newNamesPerSecond),
      known: /* @__PURE__ */ new Set()
    };
    wildcards.set(rule.name, use);
    return use;
  }
};

// hostd/net/egress/dns/permission.ts
function permissionFor(view, name) {
  if (view.policy.mode === "open") return { kind: "allowed" };
  const verdict = view.mayResolve(name);
  const unnamed = view.policy.mode === "audit" ? { kind: "audited" } : { kind: "denied" };
  if (!verdict.allowed) return unnamed;
  if (verdict.rule?.kind !== "name" || !verdict.rule.wildcard) return { kind: "allowed" };
  return fitsWildcard(verdict.rule, name) ? { kind: "allowed", wildcard: verdict.rule } : unnamed;
}
function passesData(view) {
  return view.policy.mode === "audit" || view.policy.mode === "open";
}

// hostd/net/egress/dns/query-types.ts
var absent = [types.aaaa, types.https, types.svcb];
var transfers = [types.axfr, types.ixfr];
var optional = [
  types.ns,
  types.cname,
  types.soa,
  types.ptr,
  types.mx,
  types.srv,
  types.naptr,
  types.ds,
  types.dnskey,
  types.tlsa,
  types.caa
];
function treatmentOf(type) {
  if (type === types.a) return "addresses";
  if (absent.includes(type)) return "absent";
  if (transfers.includes(type)) return "transfer";
  if (type === types.opt || type >= 128 && type <= 255) return "unsupported";
  return optional.includes(type) ? "optional" : "payload";
}
function judgedName(name, type) {
  const treatment = treatmentOf(type);
  if (treatment !== "absent" && treatment !== "optional") return name;
  const labels = name.split(".");
  const host = labels.findIndex((label) => !label.startsWith("_"));
  return host <= 0 ? name : labels.slice(host).join(".");
}
function isInfrastructureName(name) {
  return name === "arpa" || name.endsWith(".arpa");
}

// hostd/net/egress/dns/guest-answers.ts
var maxPinsPerAnswer = 1024;
var localhostTtlSeconds = 3600;
var GuestAnswers = class {
  #options;
  constructor(options) {
    this.#options = options;
  }
  /** Rejects when a pin can't be made. */
  async to({ sandboxId, view }, query, transport) {
    const { name } = query;
    if (query.isRoot) return noData;
    if (name === void 0) {
      const about = { sandboxId, name: query.printable, transport };
      this.#options.record({ ...about, outcome: "denied", reason: "dns-name" });
      return noSuchName;
    }
    const asked = { sandboxId, view, query, name, transport };
    if ((name === "localhost" || name.endsWith(".localhost")) && view.policy.mode !== "none") return localhost(query);
    return query.type === types.a ? this.#addresses(asked) : this.#otherData(asked);
  }
  async #addresses({ sandboxId, name, transport }) {
    const outcome = await this.#options.names.addressesOf(sandboxId, name, transport);
    if (outcome.kind === "failed") return serverFailure;
    if (outcome.kind === "none" && outcome.why === "no-data") return noData;
    if (outcome.kind !== "addresses") return noSuchName;
    const { ttlSeconds } = outcome;
    const view = this.#options.viewOfSandbox(sandboxId);
    if (view === void 0) return serverFailure;
    const ports = view.rawPorts(name);
    const addresses = outcome.addresses.slice(0, Math.max(1, Math.floor(maxPinsPerAnswer / Math.max(1, ports.length))));
    const pins = addresses.flatMap((address) => ports.map(({ port, transport: over }) => ({ address, port, transport: over, name }))).filter((pin) => isPinnable(view, pin));
    await this.#options.pins.pin(sandboxId, pins, ttlSeconds * 1e3);
    this.#options.answered(sandboxId, name, addresses);
    return { rcode: rcodes.noError, answers: addressRecords(addresses, ttlSeconds) };
  }
  async #otherData(asked) {
    const { view, query, name } = asked;
    const permission = permissionFor(view, judgedName(name, query.type));
    if (permission.kind === "denied") {
      if (!isInfrastructureName(name)) this.#record(asked, "denied", "dns-name");
      return noSuchName;
    }
    const treatment = treatmentOf(query.type);
    if (treatment === "absent") return noData;
    if (treatment === "transfer" || treatment === "unsupported") {
      this.#record(asked, "denied", "protocol");
      return { rcode: treatment === "transfer" ? rcodes.refused : rcodes.notImplemented };
    }
    if (passesData(view)) return this.#passOn(asked, permission);
    if (treatment === "payload") this.#record(asked, "denied", "protocol");
    return noData;
  }
  /** Other data than addresses, where no list is in force. A list would not let it through: that is recorded when there was some. */
  async #passOn(asked, permission) {
    const { sandboxId, query, name } = asked;
    const reply = passedOn(query, await this.#options.lookup.rawAnswer(name, query.type));
    const viewNow = this.#options.viewOfSandbox(sandboxId);
    if (viewNow === void 0 || !passesData(viewNow)) return serverFailure;
    const hasData = (reply.answers ?? []).length > 0;
    if (!hasData || isInfrastructureName(name) || viewNow.policy.mode === "open") return reply;
    this.#record(asked, "would-deny", permission.kind === "audited" ? "dns-name" : "protocol");
    return reply;
  }
  #record({ sandboxId, name, transport }, outcome, reason) {
    this.#options.record({ sandboxId, name, transport, outcome, reason });
  }
};
function localhost(query) {
  if (query.type !== types.a) return noData;
  return { rcode: rcodes.noError, answers: addressRecords(["127.0.0.1"], localhostTtlSeconds) };
}

// hostd/net/egress/dns/lookup.ts
import { Buffer as Buffer3 } from "node:buffer";

// hostd/net/egress/dns/upstream-answer.ts
var maxAddresses = 256;
var maxLinksPerAnswer = 16;
var defaultNegativeTtlSeconds = 5;
var bytesOfSmallestSoa = 22;
var failed = { kind: "failed" };
function readAddressAnswer(name, response) {
  const questionEnd = endOfMatchingQuestion(name, response);
  if (questionEnd === void 0) return failed;
  const rcode = response.readUInt8(3) & 15;
  if (rcode !== rcodes.noError && rcode !== rcodes.noSuchName) return failed;
  if ((response.readUInt8(2) & 2) !== 0) return { kind: "truncated" };
  const answers = readRecords(response, questionEnd, response.readUInt16BE(6));
  if (answers === void 0) return failed;
  const chain = followAliases(name, response, answers.records);
  if (chain === void 0) return failed;
  if (rcode === rcodes.noSuchName) return negative("no-such-name", response, answers.end);
  const found = answers.records.filter(
    (record) => record.type === types.a && record.class === classIn && record.name === chain.name && isFourBytes(record)
  );
  const ttlSeconds = Math.min(...[...chain.links, ...found].map(ttlOf));
  if (found.length > 0) return { kind: "addresses", addresses: addressesOf(response, found), ttlSeconds };
  if (chain.links.length > 0 && !hasSoa(response, answers.end))
    return { kind: "alias", target: chain.name, ttlSeconds };
  return negative("no-data", response, answers.end);
}
function endOfMatchingQuestion(name, response) {
  if (response.length < headerBytes || (response.readUInt8(2) & 128) === 0 || response.readUInt16BE(4) !== 1) {
    return void 0;
  }
  const asked = readName(response, headerBytes, "refuse");
  if (asked === void 0 || asked.end + 4 > response.length || plainName(asked.labels) !== name) return void 0;
  const isSame = response.readUInt16BE(asked.end) === types.a && response.readUInt16BE(asked.end + 2) === classIn;
  return isSame ? asked.end + 4 : void 0;
}
function followAliases(start, response, records) {
  const links = [];
  let name = start;
  for (; ; ) {
    const current = name;
    const link = records.find(
      (record) => record.type === types.cname && record.class === classIn && record.name === current
    );
    if (link === void 0) return { name, links };
    const target = readName(response, link.dataStart, "follow");
    const next = target?.end === link.dataEnd ? plainName(target.labels) : void 0;
    if (next === void 0 || links.length === maxLinksPerAnswer) return void 0;
    links.push(link);
    name = next;
  }
}
function addressesOf(response, records) {
  const addresses = records.map((record) => [...response.subarray(record.dataStart, record.dataEnd)].join("."));
  return [...new Set(addresses)].slice(0, maxAddresses);
}
function isFourBytes(record) {
  return record.dataEnd - record.dataStart === 4;
}
function ttlOf(record) {
  return record.ttl > 2147483647 ? 0 : record.ttl;
}
function negative(why, response, start) {
  const soa = soaOf(response, start);
  const ttlSeconds = soa === void 0 ? defaultNegativeTtlSeconds : Math.min(ttlOf(soa), response.readUInt32BE(soa.dataEnd - 4));
  return { kind: "none", why, ttlSeconds };
}
function hasSoa(response, start) {
  return soaOf(response, start) !== void 0;
}
function soaOf(response, start) {
  const authority = readRecords(response, start, response.readUInt16BE(8))?.records ?? [];
  return authority.find(
    (record) => record.type === types.soa && record.dataEnd - record.dataStart >= bytesOfSmallestSoa
  );
}

// hostd/net/egress/dns/lookup.ts
var maxQuestions = 8;
var budgetMs = 4500;
var Lookup = class {
  #options;
  #underWay = /* @__PURE__ */ new Map();
  constructor(options) {
    this.#options = options;
  }
  /** `mayAsk` is called only if a server has to be asked; undefined when it says no. Never rejects. */
  async addressesOf(name, mayAsk) {
    const known = this.#options.cache.get(name) ?? this.#underWay.get(name);
    if (known !== void 0) return known;
    if (!mayAsk()) return void 0;
    const asking = this.#ask(name);
    this.#underWay.set(name, asking);
    try {
      return await asking;
    } finally {
      this.#underWay.delete(name);
    }
  }
  /** The answer of a server to a question of any type, as it came; over TCP when it does not fit UDP. */
  async rawAnswer(name, type) {
    const query = newQuestion(name, type);
    if (query === void 0) return Buffer3.alloc(0);
    const answer = await this.#options.upstream.resolve(query, exchangeOverUdp);
    const isCut = answer.length > 2 && (answer.readUInt8(2) & 2) !== 0;
    return isCut ? this.#options.upstream.resolve(query, exchangeOverTcp) : answer;
  }
  async #ask(name) {
    return this.#options.cache.set(name, await this.#follow(name));
  }
  async #follow(start) {
    const { now: now2 } = this.#options;
    const deadlineMs = now2() + budgetMs;
    const asked = /* @__PURE__ */ new Set();
    let name = start;
    let chainTtlSeconds = Number.POSITIVE_INFINITY;
    while (!asked.has(name) && asked.size < maxQuestions && (asked.size === 0 || now2() < deadlineMs)) {
      asked.add(name);
      const answer = readAddressAnswer(name, await this.rawAnswer(name, types.a));
      if (answer.kind === "failed" || answer.kind === "truncated") break;
      chainTtlSeconds = Math.min(chainTtlSeconds, answer.ttlSeconds);
      if (answer.kind !== "alias") return { ...answer, ttlSeconds: chainTtlSeconds };
      name = answer.target;
    }
    return { kind: "failed" };
  }
};
function newQuestion(name, type) {
  const head = Buffer3.alloc(headerBytes);
  head.writeUInt8(1, 2);
  head.writeUInt16BE(1, 4);
  const tail = Buffer3.alloc(4);
  tail.writeUInt16BE(type, 0);
  tail.writeUInt16BE(classIn, 2);
  return parseQuery(Buffer3.concat([head, writeName(name), tail]));
}

// hostd/net/egress/dns/sandbox-names.ts
var SandboxNames = class {
  #options;
  constructor(options) {
    this.#options = options;
  }
  /** `name` in lower case without a trailing dot. */
  async addressesOf(sandboxId, name, transport) {
    const { lookup, viewOfSandbox } = this.#options;
    const before = viewOfSandbox(sandboxId);
    if (before === void 0) return { kind: "failed" };
    const permission = permissionFor(before, name);
    if (permission.kind === "denied") return this.#denied(sandboxId, name, transport);
    const wildcard = permission.kind === "allowed" ? permission.wildcard : void 0;
    const resolution = await lookup.addressesOf(name, () => this.#mayAsk(sandboxId, name, wildcard, transport));
    if (resolution === void 0 || resolution.kind === "failed") return { kind: "failed" };
    const view = viewOfSandbox(sandboxId);
    if (view === void 0) return { kind: "failed" };
    const permissionNow = permissionFor(view, name);
    if (permissionNow.kind === "denied") return this.#denied(sandboxId, name, transport);
    if (resolution.kind === "none") return { kind: "none", why: resolution.why };
    const { addresses, ttlSeconds } = resolution;
    const usable = addresses.filter((address) => view.mayUseAddress(name, address).allowed);
    const refused = addresses.find((address) => !usable.includes(address));
    const about = { sandboxId, name, transport };
    if (refused !== void 0) {
      this.#options.record({ ...about, outcome: "denied", reason: "rebind", address: refused });
    }
    if (usable.length === 0) return { kind: "rebind", addresses };
    if (transport !== "proxy") this.#passed(about, permissionNow);
    return { kind: "addresses", addresses: usable, ttlSeconds };
  }
  #passed(about, permission) {
    const { record } = this.#options;
    if (permission.kind === "audited") record({ ...about, outcome: "would-deny", reason: "dns-name" });
    else record({ ...about, outcome: "allowed" });
  }
  #denied(sandboxId, name, transport) {
    this.#options.record({ sandboxId, outcome: "denied", reason: "dns-name", name, transport });
    return { kind: "denied" };
  }
  /** Names under a wildcard carry what the guest writes into them to their owner's servers: only so many new ones go. */
  #mayAsk(sandboxId, name, wildcard, transport) {
    if (wildcard === void 0 || this.#options.limits.admitsNewName(sandboxId, wildcard, name)) return true;
    const about = { sandboxId, name: `*.${wildcard.name}`, transport };
    this.#options.record({ ...about, outcome: "denied", reason: "dns-name" });
    return false;
  }
};

// hostd/net/egress/dns/resolver.ts
var defaultCache = { entries: 2e4, bytes: 8 * 1024 * 1024 };
function createResolver(options) {
  const { viewOf, viewOfSandbox, upstream, record, now: now2 } = options;
  const limits = new QueryLimits(now2);
  const pins = new PinTable(options.pins, now2);
  const lookup = new Lookup({ upstream, cache: new AnswerCache(now2, options.cache ?? defaultCache), now: now2 });
  const names = new SandboxNames({ viewOfSandbox, lookup, limits, record });
  const answered = options.answered ?? (() => void 0);
  const answers = new GuestAnswers({ viewOfSandbox, names, lookup, pins, record, answered });
  async function admitted(sandboxId, work) {
    if (!limits.admitsQuery(sandboxId) || !limits.inFlight.enter(sandboxId)) return void 0;
    try {
      return await work();
    } catch {
      return void 0;
    } finally {
      limits.inFlight.leave(sandboxId);
    }
  }
  const resolver = {
    async answerQuery(sourceAddress, transport, bytes) {
      const sandbox = viewOf(sourceAddress);
      const parsed = parseGuestQuery(bytes);
      if (sandbox === void 0 || parsed.kind === "ignore") return void 0;
      if (parsed.kind === "reject") {
        const { query: query2, rcode } = parsed;
        return query2 === void 0 ? bareReply(parsed, rcode) : buildReply(query2, { rcode }, transport);
      }
      const { query } = parsed;
      const reply = await admitted(sandbox.sandboxId, () => answers.to(sandbox, query, transport));
      return buildReply(query, reply ?? serverFailure, transport);
    },
    async resolveForProxy(sandboxId, name) {
      const outcome = await resolver.resolveName(sandboxId, name);
      return outcome.kind === "addresses" ? [...outcome.addresses] : [];
    },
    async resolveName(sandboxId, name) {
      const plain = name.toLowerCase().replace(/\.$/, "");
      if (!isPlainName(plain)) return { kind: "denied" };
      const work = () => names.addressesOf(sandboxId, plain, "proxy");
      return await admitted(sandboxId, work) ?? { kind: "failed" };
    },
    async policyChanged(sandboxId) {
      const view = viewOfSandbox(sandboxId);
      if (view !== void 0) await pins.retain(sandboxId, view);
    },
    forget(sandboxId) {
      limits.forget(sandboxId);
      pins.forget(sandboxId);
    },
    pins
  };
  return resolver;
}

// hostd/net/egress/gate/dialled-addresses.ts
var DialledAddresses = class {
  #flowsOf;
  #reads = /* @__PURE__ */ new Map();
  constructor(flowsOf) {
    this.#flowsOf = flowsOf;
  }
  /** One, or none when there is no such connection any more. Rejects when connections can't be read. */
  async addresses(asked) {
    const { sandboxId, fromPort, listenerPort } = asked;
    const read = this.#reads.get(sandboxId) ?? new FreshRun(() => this.#flowsOf(sandboxId));
    this.#reads.set(sandboxId, read);
    const flow = (await read.run()).find(
      ({ transport, seenPort, answeringPort }) => transport === "tcp" && seenPort === fromPort && answeringPort === listenerPort
    );
    return flow === void 0 ? [] : [flow.address];
  }
  forget(sandboxId) {
    this.#reads.delete(sandboxId);
  }
};

// hostd/net/egress/gate/names-server.ts
var maxLineBytes = 4096;
function openNamesServer(path, addressesFor) {
  return openLineServer(path, maxLineBytes, (line, socket) => {
    const request = nameRequestSchema.safeParse(parseLine(line));
    if (!request.success) {
      socket.destroy();
      return;
    }
    const { id } = request.data;
    void addressesFor(request.data).catch(() => []).then((addresses) => {
      writeLine(socket, { id, addresses });
    });
  });
}

// hostd/net/egress/gate/pin-memory.ts
import { readFile, rename, writeFile } from "node:fs/promises";
var fileSchema = external_exports.strictObject({
  /** Monotonic milliseconds since the host booted. */
  savedMs: external_exports.number(),
  bootId: external_exports.string(),
  sandboxes: external_exports.record(external_exports.string(), pinDocumentSchema)
});
async function savePins(path, now2, sandboxes) {
  const content = { savedMs: now2.monotonicMs, bootId: now2.bootId, sandboxes };
  await writeFile(`${path}.new`, JSON.stringify(content), { mode: 384 });
  await rename(`${path}.new`, path);
}
async function loadPins(path, now2) {
  const text = await readFile(path, "utf8").catch(() => "");
  const read = fileSchema.safeParse(parse(text));
  if (!read.success || read.data.bootId !== now2.bootId) return /* @__PURE__ */ new Map();
  const ageMs = Math.max(0, now2.monotonicMs - read.data.savedMs);
  return new Map(
    Object.entries(read.data.sandboxes).map(([sandboxId, { version, pins }]) => {
      const left = pins.map((pin) => ({ ...pin, remainingMs: pin.remainingMs - ageMs }));
      return [sandboxId, { version, pins: left.filter(({ remainingMs }) => remainingMs > 0) }];
    })
  );
}
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return void 0;
  }
}

// hostd/net/egress/gate/remembered-pins.ts
var RememberedPins = class {
  #path;
  #earlier = /* @__PURE__ */ new Map();
  #isSavedEmpty = false;
  constructor(path) {
    this.#path = path;
  }
  async load() {
    this.#earlier = await loadPins(this.#path, await now());
  }
  of(sandboxId) {
    return this.#earlier.get(sandboxId);
  }
  /** Once: it has come back. */
  take(sandboxId) {
    const document = this.#earlier.get(sandboxId);
    this.#earlier.delete(sandboxId);
    return document;
  }
  /** Those of all sandboxes there are. Nothing is written while nobody came to say which of the earlier ones are still there. */
  async save(sandboxIds, documentOf) {
    if (sandboxIds.length === 0 && this.#earlier.size > 0) return;
    const documents = sandboxIds.map((sandboxId) => [sandboxId, documentOf(sandboxId)]);
    const pinned = documents.filter(([, { pins }]) => pins.length > 0);
    if (pinned.length === 0 && this.#isSavedEmpty) return;
    this.#isSavedEmpty = pinned.length === 0;
    await savePins(this.#path, await now(), Object.fromEntries(pinned));
  }
};
async function now() {
  return { monotonicMs: systemClock.monotonicMs(), bootId: await hostBootId() };
}

// hostd/net/egress/gate/told-answers.ts
var maxPerSandbox = 400;
var ToldAnswers = class {
  #pairs = /* @__PURE__ */ new Map();
  /** Whether it is to be told now; from then on it counts as told. */
  isNew(sandboxId, name, address) {
    const known = this.#pairs.get(sandboxId) ?? /* @__PURE__ */ new Set();
    this.#pairs.set(sandboxId, known);
    const pair = `${name} ${address}`;
    if (known.has(pair) || known.size >= maxPerSandbox) return false;
    known.add(pair);
    return true;
  }
  forget(sandboxId) {
    this.#pairs.delete(sandboxId);
  }
};

// hostd/net/egress/gate/resolver-service.ts
var renewPinsMs = 2e4;
var savePinsMs = 5e3;
async function openResolverService(folder2, openWriter) {
  const service = new ResolverService(folder2, openWriter);
  await service.open();
  return service;
}
var ResolverService = class {
  #folder;
  #writer;
  #dialled;
  #table = new PolicyTable();
  #report = new ReportLog(() => systemClock.wallMs());
  #resolver;
  #turn = new InTurn();
  #closers = [];
  /** Not yet in the table. */
  #arriving = /* @__PURE__ */ new Map();
  #told = new ToldAnswers();
  #remembered;
  #dns;
  #upstream;
  constructor(folder2, openWriter) {
    this.#folder = folder2;
    this.#remembered = new RememberedPins(pinsFile(folder2));
    this.#writer = openWriter((sandboxId) => (this.#table.of(sandboxId) ?? this.#arriving.get(sandboxId))?.netnsPath);
    this.#dialled = new DialledAddresses((sandboxId) => this.#writer.flows(sandboxId));
    this.#resolver = createResolver({
      viewOf: (address) => this.#table.atSource(address),
      viewOfSandbox: (sandboxId) => this.#table.of(sandboxId)?.view,
      upstream: { resolve: (query, exchange) => this.#servers().resolve(query, exchange) },
      pins: this.#writer,
      record: (observation) => {
        this.#record(observation);
      },
      answered: (sandboxId, name, addresses) => {
        for (const address of addresses) this.#answered(sandboxId, name, address);
      },
      now: () => systemClock.monotonicMs()
    });
  }
  async open() {
    await this.#remembered.load();
    const names = await openNamesServer(namesSocket(this.#folder), async (request) => {
      if ("fromPort" in request) {
        return this.#table.of(request.sandboxId) === void 0 ? [] : this.#dialled.addresses(request);
      }
      const outcome = await this.#resolver.resolveName(request.sandboxId, request.name);
      return outcome.kind === "addresses" || outcome.kind === "rebind" ? outcome.addresses : [];
    });
    const timers = [
      setInterval(() => void this.#resolver.pins.renewInUse().catch(complain), renewPinsMs),
      setInterval(() => void this.#save().catch(complain), savePinsMs)
    ];
    this.#closers.push(
      () => {
        for (const timer of timers) clearInterval(timer);
      },
      () => names.close()
    );
  }
  operations = {
    setPolicies: operation(policyDocumentSchema, (document) => this.#turn.do(() => this.#setPolicies(document))),
    dropSandbox: operation(sandboxRequestSchema, ({ sandboxId }) => this.#turn.do(() => this.#drop(sandboxId))),
    pins: operation(sandboxRequestSchema, ({ sandboxId }) => this.#resolver.pins.documentOf(sandboxId)),
    restorePins: operation(restorePinsSchema, ({ sandboxId, document }) => this.#restore(sandboxId, document)),
    rewritePins: operation(sandboxRequestSchema, ({ sandboxId }) => this.#rewrite(sandboxId)),
    listen: operation(dnsListenSchema, (spec) => this.#turn.do(() => this.#listen(spec))),
    report: operation(reportRequestSchema, ({ since, limit }) => this.#report.page(since, limit))
  };
  health() {
    const { epoch, size: reportRows } = this.#report;
    return { epoch, sandboxes: this.#table.size, listeners: this.#dns === void 0 ? 0 : 1, reportRows };
  }
  async close() {
    await this.#dns?.listener.close();
    for (const close of this.#closers) await close();
    await this.#save().catch(complain);
  }
  async #setPolicies(document) {
    const prepared = this.#table.prepare(document);
    this.#arriving = new Map(prepared.added.map((entry) => [entry.sandboxId, entry]));
    if (document.others === "drop") for (const entry of prepared.added) await this.#takeOver(entry);
    this.#table.commit(prepared);
    for (const sandboxId of prepared.dropped) this.#forget(sandboxId);
    for (const { sandboxId, view } of prepared.added) {
      const document2 = this.#remembered.take(sandboxId);
      if (document2 !== void 0) await this.#resolver.pins.restore(sandboxId, document2, view);
    }
    const closed = await Promise.allSettled(
      prepared.changed.map(({ sandboxId }) => this.#resolver.policyChanged(sandboxId))
    );
    const failure = closed.find((result) => result.status === "rejected");
    if (failure !== void 0) throw new Error(`pins could not be closed: ${String(failure.reason)}`);
    return { revisions: this.#table.revisions(document.sandboxes.map(({ sandboxId }) => sandboxId)), cut: 0 };
  }
  async #takeOver({ sandboxId, view }) {
    const { pins } = this.#remembered.of(sandboxId) ?? { pins: [] };
    const supported = pins.filter((pin) => isNamed(view, pin) && isPinnable(view, pin));
    await this.#writer.replaceAll(sandboxId, supported.map(living));
  }
  async #rewrite(sandboxId) {
    await this.#writer.replaceAll(sandboxId, this.#resolver.pins.documentOf(sandboxId).pins.map(living));
  }
  async #restore(sandboxId, document) {
    const entry = this.#table.of(sandboxId);
    if (entry === void 0) throw new Error(`no sandbox ${sandboxId}`);
    await this.#resolver.pins.restore(sandboxId, document, entry.view);
  }
  async #drop(sandboxId) {
    this.#table.drop(sandboxId);
    this.#forget(sandboxId);
    await this.#writer.idle(sandboxId);
  }
  #forget(sandboxId) {
    this.#told.forget(sandboxId);
    this.#dialled.forget(sandboxId);
    this.#resolver.forget(sandboxId);
    this.#report.drop(sandboxId);
  }
  async #listen(spec) {
    const text = JSON.stringify(spec);
    if (this.#dns?.spec === text) return;
    const { address, port, resolvConf, upstreams } = spec;
    await this.#dns?.listener.close();
    this.#dns = void 0;
    const servers = { address, port, resolvConf, ...upstreams === void 0 ? {} : { upstreams } };
    this.#upstream = hostResolver(servers, systemClock);
    const answer = this.#resolver.answerQuery.bind(this.#resolver);
    this.#dns = { spec: text, listener: await openDnsListener({ address, port, answer }) };
  }
  #servers() {
    if (this.#upstream === void 0) throw new Error("no one said yet which servers to ask");
    return this.#upstream;
  }
  #record({ sandboxId, outcome, reason, name, address, transport }) {
    if (transport === "proxy" && reason === "rebind") return;
    this.#report.count({ sandboxId, outcome, reason, name, address, transport });
  }
  /** For the packet filter's counts, which know addresses alone. */
  #answered(sandboxId, name, address) {
    if (this.#table.of(sandboxId) === void 0 || !this.#told.isNew(sandboxId, name, address)) return;
    this.#report.count({ sandboxId, outcome: "answered", name, address, transport: "udp" });
  }
  #save() {
    return this.#remembered.save(this.#table.sandboxIds(), (sandboxId) => this.#resolver.pins.documentOf(sandboxId));
  }
};
function living({ remainingMs: lifetimeMs, ...pin }) {
  return { pin, lifetimeMs };
}
function isNamed(view, pin) {
  return view.rawPorts(pin.name).some(({ port, transport }) => port === pin.port && transport === pin.transport);
}
function complain(error) {
  console.error(String(error));
}

// hostd/net/egress/gate/resolver-process.ts
var [folder] = process.argv.slice(2);
if (folder === void 0) throw new Error("which folder?");
await runHelper(
  "resolver",
  folder,
  () => openResolverService(folder, (netnsPathOf) => new NftPinWriter(systemRunner, netnsPathOf))
);
