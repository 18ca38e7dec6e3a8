import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  untilAborted
} from "./chunk-NSHEQX6A.mjs";
import {
  ReportLog,
  operation,
  runHelper
} from "./chunk-XZXWFVO6.mjs";
import {
  InTurn,
  PolicyTable,
  nameAnswerSchema,
  namesSocket,
  outcomeOf,
  parseLine,
  policyDocumentSchema,
  proxyListenSchema,
  readLines,
  reportRequestSchema,
  sandboxRequestSchema,
  systemClock,
  widenSchema,
  writeLine
} from "./chunk-DMNCN2ZG.mjs";
import "./chunk-LTHL2XHT.mjs";
import "./chunk-DPK6MB3H.mjs";
import "./chunk-RXM3SW5I.mjs";
import "./chunk-GCJLRCZB.mjs";

// hostd/net/egress/gate/proxy-service.ts
import { randomUUID } from "node:crypto";

// hostd/net/egress/proxy/dial.ts
import { once } from "node:events";
import { connect } from "node:net";
var bufferBytes = 16 * 1024;
async function dial(address, port, signal) {
  const options = {
    host: address,
    port,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    highWaterMark: bufferBytes
  };
  const socket = connect(options);
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.on("error", () => void 0);
    socket.destroy();
    throw error;
  }
}

// hostd/net/egress/proxy/start-proxy.ts
import { once as once2 } from "node:events";
import { createServer as createServer2 } from "node:net";

// hostd/net/egress/proxy/decision.ts
function decideDestination(view, to) {
  const decision = withReasonOf(to, soften(view, view.mayConnect({ name: to.host, port: to.port, layer: to.layer })));
  if (!to.literal || !decision.pass || decision.wouldDeny === void 0) return decision;
  return view.mayUseAddress(void 0, to.host, to.port).allowed ? decision : { pass: false, reason: "private-range" };
}
function decideAddress(view, to, address) {
  if (to.literal) return decideDestination(view, to);
  const verdict = view.mayUseAddress(to.host, address, to.port);
  return verdict.allowed ? { pass: true } : { pass: false, reason: verdict.reason };
}
function withReasonOf({ nameless }, decision) {
  if (nameless === void 0) return decision;
  if (decision.pass) return decision.wouldDeny === void 0 ? decision : { pass: true, wouldDeny: nameless };
  return decision.reason === "private-range" ? decision : { pass: false, reason: nameless };
}
function soften(view, verdict) {
  if (verdict.allowed) return { pass: true };
  const { reason } = verdict;
  return outcomeOf(view.policy.mode, verdict).passes ? { pass: true, wouldDeny: reason } : { pass: false, reason };
}

// hostd/net/egress/proxy/flow.ts
var flushMs = 3e4;
var Flow = class {
  sandboxId;
  source;
  spec;
  guest;
  #ended = new AbortController();
  /** What was decided last; undefined until a name is known. */
  destination;
  /** Dialled for the destination. */
  address;
  #upstream;
  constructor(sandboxId, source, spec, guest) {
    this.sandboxId = sandboxId;
    this.source = source;
    this.spec = spec;
    this.guest = guest;
    guest.on("error", () => void 0);
    guest.once("close", (hadError) => {
      this.#ended.abort();
      if (hadError || !guest.readableEnded) this.#upstream?.resetAndDestroy();
      else this.#finishUpstream();
    });
  }
  /** Aborts when the guest's side is closed. */
  get ended() {
    return this.#ended.signal;
  }
  /** A new decision begins: nothing is dialled for it yet. */
  heads(destination) {
    this.destination = destination;
    this.address = void 0;
  }
  /** Takes the connection over; the one before it is closed. */
  carry(upstream, address) {
    if (this.#upstream !== upstream) this.#upstream?.destroy();
    this.#upstream = upstream;
    this.address = address;
  }
  /** What the guest had sent before its end still goes out. */
  #finishUpstream() {
    const upstream = this.#upstream;
    upstream?.setTimeout(flushMs, () => upstream.destroy());
    upstream?.destroySoon();
  }
  /** Both ends get a reset, at once: not even what is buffered goes out. */
  cut() {
    this.#upstream?.resetAndDestroy();
    this.guest.resetAndDestroy();
  }
};

// hostd/net/egress/proxy/usage.ts
var Usage = class {
  #maxRows;
  #sandboxes = /* @__PURE__ */ new Map();
  constructor(maxRowsPerSandbox) {
    this.#maxRows = maxRowsPerSandbox;
  }
  /** Counts what goes over an upstream connection from now to its end. */
  add(place, upstream) {
    const row = this.#row(place);
    row.connections += 1;
    row.open.add(upstream);
    upstream.once("close", () => {
      row.open.delete(upstream);
      row.bytesIn += upstream.bytesRead;
      row.bytesOut += upstream.bytesWritten;
    });
  }
  rows() {
    return [...this.#sandboxes.values()].flatMap((rows) => [...rows.values()].map(summed));
  }
  forget(sandboxId) {
    this.#sandboxes.delete(sandboxId);
  }
  #row({ sandboxId, name, port, wouldDeny }) {
    const rows = this.#sandboxes.get(sandboxId) ?? /* @__PURE__ */ new Map();
    this.#sandboxes.set(sandboxId, rows);
    const own = JSON.stringify([port, wouldDeny, name]);
    const shared = JSON.stringify([port, wouldDeny]);
    const key = rows.has(own) || rows.size < this.#maxRows ? own : shared;
    const row = rows.get(key) ?? {
      sandboxId,
      name: key === own ? name : void 0,
      port,
      wouldDeny,
      connections: 0,
      bytesIn: 0,
      bytesOut: 0,
      open: /* @__PURE__ */ new Set()
    };
    rows.set(key, row);
    return row;
  }
};
function summed({ open, ...row }) {
  for (const socket of open) {
    row.bytesIn += socket.bytesRead;
    row.bytesOut += socket.bytesWritten;
  }
  return row;
}

// hostd/net/egress/proxy/waiting-room.ts
var bytesPerRequest = 4096;
var bytesPerString = 40;
var WaitingRoom = class {
  #bytesPerSandbox;
  #taken = /* @__PURE__ */ new Map();
  constructor(bytesPerSandbox) {
    this.#bytesPerSandbox = bytesPerSandbox;
  }
  /** Room for one more request, until what it gives is called; undefined when the sandbox has none left. */
  take(sandboxId, request) {
    const bytes = bytesPerRequest + bytesOf([request.url ?? "", ...request.rawHeaders]);
    const taken = this.#of(sandboxId) + bytes;
    if (taken > this.#bytesPerSandbox) return void 0;
    this.#taken.set(sandboxId, taken);
    return () => {
      const left = this.#of(sandboxId) - bytes;
      if (left > 0) this.#taken.set(sandboxId, left);
      else this.#taken.delete(sandboxId);
    };
  }
  #of(sandboxId) {
    return this.#taken.get(sandboxId) ?? 0;
  }
};
function bytesOf(texts) {
  return texts.reduce((sum, text) => sum + text.length + bytesPerString, 0);
}

// hostd/net/egress/proxy/flow-table.ts
var FlowTable = class {
  limits;
  options;
  usage;
  waitingRoom;
  #flows = /* @__PURE__ */ new Map();
  constructor(options, limits) {
    this.options = options;
    this.limits = limits;
    this.usage = new Usage(limits.usageRowsPerSandbox);
    this.waitingRoom = new WaitingRoom(limits.waitingBytesPerSandbox);
  }
  /** Takes a guest's connection in; undefined when it was reset: an unknown source, or one connection too many. */
  admit(guest, spec) {
    const source = plainAddress(guest.remoteAddress ?? "");
    const sandboxId = this.options.viewOf(source)?.sandboxId;
    if (sandboxId === void 0) {
      guest.on("error", () => void 0);
      guest.resetAndDestroy();
      return void 0;
    }
    const flow = new Flow(sandboxId, source, spec, guest);
    const flows = this.#flows.get(sandboxId) ?? /* @__PURE__ */ new Set();
    if (flows.size >= this.limits.connectionsPerSandbox) {
      this.failed(flow, "limit");
      guest.resetAndDestroy();
      return void 0;
    }
    flows.add(flow);
    this.#flows.set(sandboxId, flows);
    guest.once("close", () => {
      flows.delete(flow);
      if (flows.size === 0 && this.#flows.get(sandboxId) === flows) this.#flows.delete(sandboxId);
    });
    return flow;
  }
  /** The policy of now; undefined when the flow's sandbox is gone or its address is another one's. */
  viewOf(flow) {
    const now = this.options.viewOf(flow.source);
    return now?.sandboxId === flow.sandboxId ? now.view : void 0;
  }
  /** Resets what is no longer allowed, and says how many connections that were. */
  enforceAgain() {
    const noLonger = this.#all().filter((flow) => {
      const reason = this.objection(flow);
      if (reason !== void 0) this.#record(flow, { outcome: "cut", reason });
      return reason !== void 0 || this.viewOf(flow) === void 0;
    });
    for (const flow of noLonger) flow.cut();
    return noLonger.length;
  }
  /** Why the policy of now does not allow where the flow goes; undefined when it does, or the flow goes nowhere yet. */
  objection(flow) {
    const view = this.viewOf(flow);
    if (view === void 0 || flow.destination === void 0) return void 0;
    const named = decideDestination(view, flow.destination);
    if (!named.pass) return named.reason;
    if (flow.address === void 0) return void 0;
    const reached = decideAddress(view, flow.destination, flow.address);
    return reached.pass ? void 0 : reached.reason;
  }
  forget(sandboxId) {
    for (const flow of this.#flows.get(sandboxId) ?? []) flow.cut();
    this.usage.forget(sandboxId);
  }
  cutAll() {
    for (const flow of this.#all()) flow.cut();
  }
  passed(flow, wouldDeny) {
    this.#record(flow, wouldDeny === void 0 ? { outcome: "allowed" } : { outcome: "audited", reason: wouldDeny });
  }
  /** `seen`: what was refused, where it is not the flow's destination. */
  denied(flow, reason, seen) {
    this.#record(flow, { outcome: "denied", reason, ...seen });
  }
  failed(flow, failure) {
    this.#record(flow, { outcome: "failed", failure });
  }
  #all() {
    return [...this.#flows.values()].flatMap((flows) => [...flows]);
  }
  #record(flow, entry) {
    const { forPort: port, layer } = flow.spec;
    const { sandboxId, destination, address } = flow;
    this.options.record({ sandboxId, name: destination?.host, address, port, layer, transport: "tcp", ...entry });
  }
};
function plainAddress(address) {
  return address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
}

// hostd/net/egress/proxy/http-server.ts
import { createServer } from "node:http";

// hostd/net/egress/proxy/dialled-instead.ts
async function dialledInstead(table, flow) {
  const { remotePort, localPort } = flow.guest;
  if (!audits(table, flow) || remotePort === void 0 || localPort === void 0) return void 0;
  const address = await table.options.dialledAddress(flow.sandboxId, remotePort, localPort);
  return audits(table, flow) ? address : void 0;
}
function audits(table, flow) {
  return table.viewOf(flow)?.policy.mode === "audit";
}

// hostd/net/egress/proxy/dial-first.ts
import { setTimeout as sleep } from "node:timers/promises";
async function dialFirst(dial2, addresses, port, limits, signal) {
  const race = new AbortController();
  const ended = AbortSignal.any([race.signal, signal]);
  const attempts = /* @__PURE__ */ new Set();
  let winner;
  const attempt = async (address) => {
    const deadline = AbortSignal.any([ended, AbortSignal.timeout(limits.dialTimeoutMs)]);
    const dialling = (async () => await dial2(address, port, deadline))();
    const socket = await untilAborted(deadline, dialling, (late) => late.destroy()).catch(() => void 0);
    if (socket === void 0) return;
    socket.on("error", () => void 0);
    if (winner !== void 0 || ended.aborted || socket.destroyed) {
      socket.destroy();
      return;
    }
    winner = { socket, address };
    race.abort();
  };
  for (const address of addresses.slice(0, limits.dialledAddresses)) {
    if (ended.aborted) break;
    const running = attempt(address).finally(() => attempts.delete(running));
    attempts.add(running);
    await Promise.race([running, sleep(limits.dialStaggerMs, void 0, { signal: ended }).catch(() => void 0)]);
  }
  await Promise.all(attempts);
  return winner;
}

// hostd/net/egress/proxy/reach.ts
async function reach(table, flow, destination, open) {
  const view = table.viewOf(flow);
  if (view === void 0) return gone(flow);
  const connectedTo = flow.address;
  flow.heads(destination);
  const decision = decideDestination(view, destination);
  if (!decision.pass) return denied(table, flow, decision.reason);
  if (open !== void 0 && connectedTo !== void 0) {
    flow.carry(open, connectedTo);
    const reason2 = table.objection(flow);
    if (reason2 !== void 0) return denied(table, flow, reason2);
    table.passed(flow, decision.wouldDeny);
    return { kind: "connected", socket: open };
  }
  const addresses = await resolve(table, flow, destination, decision.wouldDeny !== void 0);
  const viewNow = table.viewOf(flow);
  if (flow.ended.aborted || viewNow === void 0) return gone(flow);
  if (addresses.length === 0) return failed(table, flow, "resolve");
  const decisions = addresses.map((address) => decideAddress(viewNow, destination, address));
  const usable = addresses.filter((_, index) => decisions[index]?.pass);
  const refused = decisions.find((one) => !one.pass);
  if (usable.length === 0 && refused?.pass === false) return denied(table, flow, refused.reason, addresses[0]);
  const dialled = await dialFirst(table.options.dial, usable, destination.port, table.limits, flow.ended);
  if (flow.ended.aborted || table.viewOf(flow) === void 0) {
    dialled?.socket.destroy();
    return gone(flow);
  }
  if (dialled === void 0) return failed(table, flow, "dial");
  flow.carry(dialled.socket, dialled.address);
  const reason = table.objection(flow);
  if (reason !== void 0) {
    dialled.socket.destroy();
    return denied(table, flow, reason);
  }
  const { host: name, port } = destination;
  table.usage.add({ sandboxId: flow.sandboxId, name, port, wouldDeny: decision.wouldDeny }, dialled.socket);
  table.passed(flow, decision.wouldDeny);
  return { kind: "connected", socket: dialled.socket };
}
async function resolve(table, flow, { host, literal }, onlyAudited) {
  if (literal) return [host];
  const addresses = await table.options.resolve(flow.sandboxId, host).catch(() => []);
  if (addresses.length > 0 || !onlyAudited) return addresses;
  const dialled = await dialledInstead(table, flow);
  return dialled === void 0 ? [] : [dialled];
}
function gone(flow) {
  flow.cut();
  return { kind: "gone" };
}
function denied(table, flow, reason, address) {
  table.denied(flow, reason, address === void 0 ? void 0 : { address });
  return { kind: "denied", reason };
}
function failed(table, flow, failure) {
  table.failed(flow, failure);
  return { kind: "failed", failure };
}

// hostd/net/egress/proxy/tunnel.ts
var keepAliveProbeMs = 6e4;
function tunnel(guest, upstream, idleMs) {
  for (const socket of [guest, upstream]) {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, keepAliveProbeMs);
  }
  breaksWith(guest, upstream);
  breaksWith(upstream, guest);
  guest.setTimeout(idleMs, () => {
    guest.resetAndDestroy();
  });
  guest.pipe(upstream);
  upstream.pipe(guest);
}
function breaksWith(socket, other) {
  socket.once("close", (hadError) => {
    if (hadError || !socket.readableEnded) other.resetAndDestroy();
  });
}

// hostd/net/egress/proxy/by-address.ts
async function passByAddress(table, flow, nameless, taken) {
  const host = await dialledInstead(table, flow);
  if (host === void 0) return false;
  const { forPort: port, layer } = flow.spec;
  const reached = await reach(table, flow, { host, literal: true, port, layer, nameless });
  if (reached.kind === "denied" || reached.kind === "failed") flow.guest.resetAndDestroy();
  if (reached.kind !== "connected") return true;
  if (taken.length > 0) reached.socket.write(taken);
  tunnel(flow.guest, reached.socket, table.limits.idleMs);
  return true;
}

// hostd/net/egress/proxy/first-bytes.ts
import { Buffer } from "node:buffer";
import { METHODS } from "node:http";
var starts = METHODS.filter((method) => method !== "CONNECT").map((method) => Buffer.from(`${method} `));
function firstBytes(guest, deadlineMs) {
  return new Promise((resolve2) => {
    let taken = Buffer.alloc(0);
    const finish = (found) => {
      clearTimeout(deadline);
      guest.off("data", onData).off("end", onEnd).off("close", onEnd);
      guest.pause();
      resolve2(found);
    };
    const onData = (chunk) => {
      taken = Buffer.concat([taken, chunk]);
      const possible = starts.filter((start) => beginAlike(start, taken));
      if (possible.length === 0) finish({ kind: "other", taken });
      if (!possible.some((start) => taken.length >= start.length)) return;
      finish({ kind: "http" });
      guest.unshift(taken);
    };
    const onEnd = () => {
      finish({ kind: "gone" });
    };
    const deadline = setTimeout(() => {
      finish({ kind: "other", taken });
    }, deadlineMs);
    guest.on("data", onData).on("end", onEnd).on("close", onEnd);
  });
}
function beginAlike(one, other) {
  const length = Math.min(one.length, other.length);
  return one.subarray(0, length).equals(other.subarray(0, length));
}

// hostd/net/egress/proxy/http-connection.ts
import { ServerResponse } from "node:http";

// hostd/net/egress/proxy/http-exchange.ts
import {
  Agent,
  request as httpRequest
} from "node:http";

// hostd/net/egress/proxy/http-headers.ts
var hopByHop = /* @__PURE__ */ new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "upgrade"
]);
var neverNamed = /* @__PURE__ */ new Set(["content-length", "expect", "host", "transfer-encoding"]);
function hasMoreLines(raw, most) {
  return raw.length > 2 * most;
}
function pairs(raw) {
  return Array.from({ length: Math.floor(raw.length / 2) }, (_, index) => [
    raw[index * 2] ?? "",
    raw[index * 2 + 1] ?? ""
  ]);
}
function valuesOf(raw, name) {
  return pairs(raw).flatMap(([key, value]) => key.toLowerCase() === name ? [value] : []);
}
function tokensOf(raw, name) {
  return valuesOf(raw, name).flatMap((value) => value.split(",")).map((token) => token.trim().toLowerCase()).filter((token) => token !== "");
}
function endToEnd(raw, ...alsoDropped) {
  const named = tokensOf(raw, "connection").filter((token) => !neverNamed.has(token));
  const dropped = /* @__PURE__ */ new Set([...hopByHop, ...named, ...alsoDropped]);
  return pairs(raw).flatMap(([name, value]) => dropped.has(name.toLowerCase()) ? [] : [name, value]);
}

// hostd/net/egress/proxy/http-exchange.ts
var OneSocketAgent = class extends Agent {
  #socket;
  constructor(socket) {
    super({ keepAlive: true, maxSockets: 1, maxFreeSockets: 1 });
    this.#socket = socket;
  }
  createConnection() {
    return this.#socket;
  }
};
function exchange(request, response, checked, agent, limits) {
  const { promise, resolve: resolve2 } = Promise.withResolvers();
  const closing = !response.shouldKeepAlive;
  const upstream = startRequest(request, checked, {
    agent,
    connection: closing ? ["close"] : ["keep-alive"],
    limits
  });
  if (upstream === void 0) return Promise.resolve("unanswered");
  let answered = false;
  upstream.on("error", () => {
    if (!answered) resolve2(upstream.reusedSocket ? "stale" : "unanswered");
  });
  upstream.on("upgrade", () => {
    upstream.destroy();
    resolve2("unanswered");
  });
  upstream.on("continue", () => {
    response.writeContinue();
  });
  upstream.on("response", (answer) => {
    answered = true;
    passAnswer(answer, response, closing, limits.headerLines).then(
      () => {
        resolve2("done");
      },
      () => {
        resolve2(response.headersSent ? "broken" : "unanswered");
      }
    );
  });
  request.on("error", () => upstream.destroy());
  if (checked.hasBody) {
    request.once("end", () => {
      if (hasMoreLines(request.rawTrailers, limits.headerLines)) upstream.destroy();
      else if (request.rawTrailers.length > 0) upstream.addTrailers(pairs(request.rawTrailers));
    });
    request.pipe(upstream);
  } else {
    request.resume();
    upstream.end();
  }
  return promise;
}
function startRequest(request, { destination, path, headers }, how) {
  const { agent, socket, connection, limits } = how;
  try {
    const started = httpRequest({
      host: destination.host,
      port: destination.port,
      method: request.method,
      path,
      headers: [...headers, "Connection", ...connection],
      setHost: false,
      maxHeaderSize: limits.bytesUntilName,
      ...agent === void 0 ? {} : { agent },
      ...socket === void 0 ? {} : { createConnection: () => socket }
    });
    started.maxHeadersCount = limits.headerLines + 1;
    return started;
  } catch {
    return void 0;
  }
}
function switchingHead(answer) {
  const lines = pairs(answer.rawHeaders).map(([name, value]) => `${name}: ${value}\r
`);
  return `HTTP/1.1 101 ${answer.statusMessage ?? ""}\r
${lines.join("")}\r
`;
}
function passAnswer(answer, response, closing, mostLines) {
  if (hasMoreLines(answer.rawHeaders, mostLines)) {
    answer.destroy();
    return Promise.reject(new Error("the answer has too many header lines"));
  }
  const toOldClient = response.req.httpVersion === "1.0";
  const lastOne = closing || tokensOf(answer.rawHeaders, "connection").includes("close") || !delimited(answer, toOldClient);
  const dropped = ["transfer-encoding", ...hasTrailers(answer, response) ? [] : ["trailer"]];
  const headers = [...endToEnd(answer.rawHeaders, ...dropped), "Connection", lastOne ? "close" : "keep-alive"];
  response.sendDate = false;
  return new Promise((resolve2, reject) => {
    answer.on("error", reject);
    response.once("finish", resolve2);
    response.once("close", () => {
      if (response.writableFinished) resolve2();
      else reject(new Error("the guest left"));
    });
    try {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
    } catch (error) {
      answer.destroy();
      throw error;
    }
    answer.once("end", () => {
      if (hasMoreLines(answer.rawTrailers, mostLines)) {
        response.destroy();
        reject(new Error("the answer has too many trailers"));
      } else if (answer.rawTrailers.length > 0) response.addTrailers(pairs(answer.rawTrailers));
    });
    answer.pipe(response);
  });
}
function hasTrailers(answer, { req }) {
  const hasBody = req.method !== "HEAD" && answer.statusCode !== 204 && answer.statusCode !== 304;
  return hasBody && req.httpVersion !== "1.0" && answer.headers["transfer-encoding"] !== void 0;
}
function delimited(answer, toOldClient) {
  if (answer.statusCode === 204 || answer.statusCode === 304) return true;
  if (answer.headers["content-length"] !== void 0) return true;
  return answer.headers["transfer-encoding"] !== void 0 && !toOldClient;
}

// hostd/net/egress/proxy/http-refusal.ts
import { Buffer as Buffer2 } from "node:buffer";
var failures = {
  resolve: "its address could not be looked up",
  dial: "it did not answer",
  upstream: "its answer broke off or was no HTTP",
  limit: "there are too many connections or requests"
};
function denialPage(reason, name, withBody) {
  const what = name === void 0 ? "this request" : name;
  return page("403 Forbidden", `Offshoot denied ${what}: ${reason}
`, withBody);
}
function failurePage(failure, name, withBody) {
  return page("502 Bad Gateway", `Offshoot could not reach ${name ?? "the server"}: ${failures[failure]}
`, withBody);
}
function page(status, text, withBody) {
  const head = [
    `HTTP/1.1 ${status}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${String(Buffer2.byteLength(text))}`,
    "Connection: close"
  ];
  return Buffer2.from(`${head.join("\r\n")}\r
\r
${withBody ? text : ""}`);
}

// hostd/net/egress/proxy/host-name.ts
import { isIPv4, isIPv6 } from "node:net";
var label = /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)$/;
var numericLabel = /^(\d+|0[xX][0-9a-fA-F]*)$/;
var maxNameLength = 253;
function readHostName(text) {
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  if (name.length === 0 || name.length > maxNameLength) return void 0;
  const labels = name.split(".");
  if (!labels.every((one) => label.test(one))) return void 0;
  if (numericLabel.test(labels.at(-1) ?? "")) return void 0;
  return name.toLowerCase();
}
function readAuthority(text) {
  const match = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/.exec(text);
  const host = match?.[1];
  if (host === void 0) return void 0;
  const port = match?.[2] === void 0 ? void 0 : Number(match[2]);
  if (port !== void 0 && (port < 1 || port > 65535)) return void 0;
  if (host.startsWith("[")) {
    const address = host.slice(1, -1);
    return isIPv6(address) && !address.includes("%") ? { host: address.toLowerCase(), literal: true, port } : void 0;
  }
  if (isIPv4(host)) return { host, literal: true, port };
  const name = readHostName(host);
  return name === void 0 ? void 0 : { host: name, literal: false, port };
}
var maxShownLength = 128;
function printable(text) {
  return text.slice(0, maxShownLength).replace(/[^\x21-\x7e]/g, "?");
}

// hostd/net/egress/proxy/http-request.ts
var withoutBody = /* @__PURE__ */ new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"]);
function checkRequest(request, forPort, mostLines, dialled) {
  const raw = request.rawHeaders;
  if (hasMoreLines(raw, mostLines)) return { kind: "refused", reason: "no-name" };
  const hosts = valuesOf(raw, "host");
  const shown = hosts.length === 0 ? void 0 : printable(hosts.join(","));
  if (request.httpVersion !== "1.1" && request.httpVersion !== "1.0")
    return { kind: "refused", reason: "protocol", shown };
  const coding = valuesOf(raw, "transfer-encoding");
  const lengths = valuesOf(raw, "content-length");
  const chunked = coding.length > 0;
  if (chunked && (request.httpVersion === "1.0" || coding.length > 1 || coding[0]?.toLowerCase() !== "chunked")) {
    return { kind: "refused", reason: "protocol", shown };
  }
  if (lengths.length > 1 || lengths.length > 0 && chunked) return { kind: "refused", reason: "protocol", shown };
  if (hosts.length > 1) return { kind: "refused", reason: "host-header", shown };
  const named = hosts[0]?.trim() ?? "";
  const nameless = named === "" ? "no-name" : void 0;
  const hostText = nameless === void 0 ? named : dialled ?? "";
  if (hostText === "") return { kind: "refused", reason: "no-name" };
  const host = readAuthority(hostText);
  if (host === void 0 || !isFor(host, forPort)) return { kind: "refused", reason: "host-header", shown };
  const path = originForm(request.url ?? "", host, forPort);
  if (typeof path !== "string") return { kind: "refused", ...path };
  const dropped = chunked ? [] : ["trailer"];
  const headers = nameless === void 0 ? endToEnd(raw, ...dropped) : ["Host", hostText, ...endToEnd(raw, "host", ...dropped)];
  const method = request.method ?? "GET";
  if (!chunked && lengths.length === 0 && !withoutBody.has(method)) headers.push("Content-Length", "0");
  const hasBody = chunked || lengths[0] !== void 0 && Number(lengths[0]) > 0;
  const destination = { host: host.host, literal: host.literal, port: forPort, layer: "http", nameless };
  return { kind: "request", destination, path, headers, hasBody };
}
function asksForTunnel(request) {
  const raw = request.rawHeaders;
  const protocols = tokensOf(raw, "upgrade");
  if (protocols.length === 0 || !tokensOf(raw, "connection").includes("upgrade")) return false;
  if (protocols.some((protocol) => protocol.startsWith("h2"))) return false;
  const length = valuesOf(raw, "content-length")[0] ?? "0";
  return valuesOf(raw, "transfer-encoding").length === 0 && Number(length) === 0;
}
function originForm(target, host, forPort) {
  if (target.startsWith("/") || target === "*") return target;
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(target);
  const [, scheme, authorityText, rest] = match ?? [];
  if (scheme?.toLowerCase() !== "http" || authorityText === void 0 || rest === void 0) {
    return { reason: "protocol", shown: printable(target) };
  }
  const authority = readAuthority(authorityText);
  if (authority?.host !== host.host || !isFor(authority, forPort)) {
    return { reason: "host-header", shown: printable(authorityText) };
  }
  return rest.startsWith("/") ? rest : `/${rest}`;
}
function isFor(authority, port) {
  return authority.port === void 0 || authority.port === port;
}

// hostd/net/egress/proxy/linger.ts
function endWith(guest, lastWords, lingerMs) {
  if (guest.destroyed) return;
  guest.end(lastWords);
  guest.resume();
  const timer = setTimeout(() => guest.resetAndDestroy(), lingerMs);
  guest.once("end", () => guest.destroy());
  guest.once("close", () => {
    clearTimeout(timer);
  });
}
function resetWith(guest, lastWords) {
  if (guest.destroyed) return;
  guest.write(lastWords, () => guest.resetAndDestroy());
}

// hostd/net/egress/proxy/http-connection.ts
var HttpConnection = class {
  #table;
  #flow;
  #upstream;
  #waiting = 0;
  #last = Promise.resolve();
  #over = false;
  #answering;
  constructor(table, flow) {
    this.#table = table;
    this.#flow = flow;
  }
  request(request, response) {
    if (this.#over) return;
    const leave = this.#enter(request);
    if (leave === void 0) {
      this.#table.failed(this.#flow, "limit");
      this.#cut();
      return;
    }
    this.#waiting += 1;
    this.#last = this.#last.then(async () => {
      leave();
      if (!this.#over) await this.#serve(request, response);
      this.#waiting -= 1;
    });
  }
  /** A request for another protocol; node has let go of the connection, `head` came behind the request. */
  upgrade(request, head) {
    if (this.#over) return;
    if (this.#waiting > 0) this.reject("protocol");
    else void this.#serveUpgrade(request, head);
  }
  /** What is no request at all, or none that a proxy for servers takes. */
  reject(reason, shown) {
    if (this.#over) return;
    this.#table.denied(this.#flow, reason, { name: shown, address: void 0 });
    if (this.#answering?.headersSent === true) this.#cut();
    else this.#end(void 0, denialPage(reason, shown, true));
  }
  /** A place to wait in, until what it gives is called; undefined when there is none left. */
  #enter(request) {
    const { limits, waitingRoom } = this.#table;
    if (this.#waiting === 0) return () => void 0;
    if (this.#waiting >= limits.pipelinedRequests) return void 0;
    return waitingRoom.take(this.#flow.sandboxId, request);
  }
  async #serve(request, response) {
    const checked = await this.#check(request);
    if (checked === void 0) return;
    const upstream = await this.#reach(request, checked, this.#upstream);
    if (upstream === void 0) return;
    this.#upstream = upstream;
    this.#answering = response;
    const end = await exchange(request, response, checked, upstream.agent, this.#table.limits);
    this.#answering = void 0;
    if (this.#over) return;
    if (end === "unanswered") this.#fail(request, "upstream");
    if (end === "stale" || end === "broken") this.#cut();
    if (end === "done" && upstream.socket.destroyed) this.#flow.guest.destroySoon();
  }
  async #serveUpgrade(request, head) {
    const { guest } = this.#flow;
    const { limits } = this.#table;
    this.#waiting += 1;
    guest.setTimeout(limits.idleMs, () => guest.resetAndDestroy());
    const checked = await this.#check(request);
    if (checked === void 0) return;
    const upstream = await this.#reach(request, checked, void 0);
    if (upstream === void 0) return;
    const [protocol = ""] = valuesOf(request.rawHeaders, "upgrade");
    const started = startRequest(request, checked, {
      socket: upstream.socket,
      connection: ["Upgrade", "Upgrade", protocol],
      limits
    });
    if (started === void 0) {
      this.#fail(request, "upstream");
      return;
    }
    started.on("error", () => {
      this.#fail(request, "upstream");
    });
    started.on("upgrade", (answer, socket, upstreamHead) => {
      if (hasMoreLines(answer.rawHeaders, limits.headerLines)) {
        this.#fail(request, "upstream");
        return;
      }
      this.#over = true;
      guest.write(switchingHead(answer), "latin1");
      guest.write(upstreamHead);
      socket.write(head);
      tunnel(guest, upstream.socket, limits.idleMs);
    });
    started.on("response", (answer) => {
      this.#over = true;
      const response = new ServerResponse(request);
      response.assignSocket(guest);
      passAnswer(answer, response, true, limits.headerLines).then(
        () => {
          guest.destroySoon();
        },
        () => {
          this.#cut();
        }
      );
    });
    started.end();
  }
  async #check(request) {
    const { forPort } = this.#flow.spec;
    let checked = checkRequest(request, forPort, this.#table.limits.headerLines);
    if (checked.kind === "refused" && checked.reason === "no-name") {
      const dialled = await dialledInstead(this.#table, this.#flow);
      checked = checkRequest(request, forPort, this.#table.limits.headerLines, dialled);
      if (this.#over) return void 0;
    }
    if (checked.kind === "request") return checked;
    this.#table.denied(this.#flow, checked.reason, { name: checked.shown, address: void 0 });
    this.#end(request, denialPage(checked.reason, checked.shown, request.method !== "HEAD"));
    return void 0;
  }
  async #reach(request, checked, open) {
    const { destination } = checked;
    const usable = open?.host === destination.host && !open.socket.destroyed ? open : void 0;
    if (usable === void 0) this.#upstream = void 0;
    const reached = await reach(this.#table, this.#flow, destination, usable?.socket);
    if (reached.kind === "denied") {
      this.#end(request, denialPage(reached.reason, destination.host, request.method !== "HEAD"));
    }
    if (reached.kind === "failed") {
      this.#end(request, failurePage(reached.failure, destination.host, request.method !== "HEAD"));
    }
    if (reached.kind !== "connected") return void 0;
    if (this.#over) {
      reached.socket.destroy();
      return void 0;
    }
    if (usable !== void 0) return usable;
    const { socket } = reached;
    const upstream = { host: destination.host, socket, agent: new OneSocketAgent(socket) };
    socket.once("close", () => {
      if (this.#upstream === upstream && this.#waiting === 0) this.#flow.guest.destroySoon();
    });
    return upstream;
  }
  #fail(request, failure) {
    if (this.#over || this.#flow.guest.destroyed) return;
    this.#table.failed(this.#flow, failure);
    this.#end(request, failurePage(failure, this.#flow.destination?.host, request.method !== "HEAD"));
  }
  #end(request, page2) {
    this.#over = true;
    request?.resume();
    this.#upstream?.socket.destroy();
    endWith(this.#flow.guest, page2, this.#table.limits.lingerMs);
  }
  #cut() {
    this.#over = true;
    this.#flow.cut();
  }
};

// hostd/net/egress/proxy/http-server.ts
var maxDeadlineCheckMs = 1e3;
function httpServer(table, spec) {
  const { limits } = table;
  const connections = /* @__PURE__ */ new WeakMap();
  const server = createServer({
    insecureHTTPParser: false,
    requireHostHeader: false,
    maxHeaderSize: limits.bytesUntilName,
    headersTimeout: limits.nameDeadlineMs,
    requestTimeout: 0,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(maxDeadlineCheckMs, limits.nameDeadlineMs),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveProbeMs,
    shouldUpgradeCallback: asksForTunnel
  });
  server.timeout = limits.idleMs;
  server.maxHeadersCount = limits.headerLines + 1;
  Object.assign(server, { httpAllowHalfOpen: true });
  const read = nodesReader(server);
  server.on("connection", (guest) => {
    const flow = table.admit(guest, spec);
    if (flow === void 0) return;
    connections.set(guest, new HttpConnection(table, flow));
    if (table.viewOf(flow)?.policy.mode === "audit") void readIfHttp(table, flow, read);
    else read(guest);
  });
  const serve = (request, response) => {
    connections.get(request.socket)?.request(request, response);
  };
  server.on("request", serve);
  server.on("checkContinue", serve);
  server.on("upgrade", (request, _stream, head) => {
    connections.get(request.socket)?.upgrade(request, head);
  });
  server.on("connect", (request) => {
    connections.get(request.socket)?.reject("protocol", printable(request.url ?? ""));
  });
  server.on("clientError", (error, stream) => {
    const guest = stream;
    const reason = reasonOf(error.code ?? "");
    if (reason === void 0) guest.destroy();
    else connections.get(guest)?.reject(reason);
  });
  return server;
}
function nodesReader(server) {
  const [listener] = server.listeners("connection");
  if (listener === void 0) throw new Error("node reads connections in another way");
  server.removeAllListeners("connection");
  return (guest) => {
    listener.call(server, guest);
  };
}
async function readIfHttp(table, flow, read) {
  const { guest } = flow;
  const first = await firstBytes(guest, table.limits.nameDeadlineMs);
  if (guest.destroyed) return;
  if (first.kind === "http") {
    read(guest);
    guest.resume();
    return;
  }
  if (first.kind === "other") {
    const reason = first.taken.length === 0 ? "no-name" : "protocol";
    if (await passByAddress(table, flow, reason, first.taken)) return;
    table.denied(flow, reason);
  }
  guest.resetAndDestroy();
}
function reasonOf(code) {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT" || code === "HPE_HEADER_OVERFLOW") return "no-name";
  if (code === "HPE_INVALID_EOF_STATE" || !code.startsWith("HPE_")) return void 0;
  return "protocol";
}

// hostd/net/egress/proxy/options.ts
var defaultLimits = {
  connectionsPerSandbox: 1024,
  nameDeadlineMs: 1e4,
  bytesUntilName: 64 * 1024,
  idleMs: 36e5,
  dialTimeoutMs: 1e4,
  dialledAddresses: 8,
  dialStaggerMs: 300,
  pipelinedRequests: 128,
  waitingBytesPerSandbox: 16 * 1024 * 1024,
  headerLines: 256,
  lingerMs: 1e3,
  usageRowsPerSandbox: 1024
};

// hostd/net/egress/proxy/client-hello-reader.ts
import { Buffer as Buffer4 } from "node:buffer";

// hostd/net/egress/proxy/client-hello.ts
import { Buffer as Buffer3 } from "node:buffer";
var extensionServerName = 0;
var nameTypeHostName = 0;
function readServerName(body) {
  const fields = new Fields(body);
  fields.skip(2 + 32);
  fields.vector(1);
  const suites = fields.vector(2);
  const compressions = fields.vector(1);
  if (suites.length < 2 || suites.length % 2 !== 0 || compressions.length === 0) return void 0;
  if (fields.atEnd) return fields.broken ? void 0 : { kind: "none" };
  const extensions = new Fields(fields.vector(2));
  if (fields.broken || !fields.atEnd) return void 0;
  const seen = /* @__PURE__ */ new Set();
  let serverName = { kind: "none" };
  while (!extensions.atEnd) {
    const type = extensions.number(2);
    const data = extensions.vector(2);
    if (extensions.broken || seen.has(type)) return void 0;
    seen.add(type);
    if (type === extensionServerName) serverName = readServerNameList(data);
  }
  return serverName;
}
function readServerNameList(data) {
  const outer = new Fields(data);
  const list = new Fields(outer.vector(2));
  if (outer.broken || !outer.atEnd) return void 0;
  const entries = [];
  while (!list.atEnd) {
    const type = list.number(1);
    entries.push({ type, text: list.vector(2).toString("latin1") });
    if (list.broken) return void 0;
  }
  const [entry] = entries;
  if (entry === void 0) return { kind: "none" };
  const name = entries.length === 1 && entry.type === nameTypeHostName ? readHostName(entry.text) : void 0;
  if (name !== void 0) return { kind: "name", name };
  return { kind: "odd", shown: printable(entries.map(({ text }) => text).join(",")) };
}
var Fields = class {
  #bytes;
  #at = 0;
  broken = false;
  constructor(bytes) {
    this.#bytes = bytes;
  }
  get atEnd() {
    return this.#at >= this.#bytes.length;
  }
  skip(length) {
    this.#take(length);
  }
  number(width) {
    const bytes = this.#take(width);
    return bytes.length === width ? bytes.readUIntBE(0, width) : 0;
  }
  vector(width) {
    return this.#take(this.number(width));
  }
  #take(length) {
    if (this.#at + length > this.#bytes.length) {
      this.broken = true;
      this.#at = this.#bytes.length;
      return Buffer3.alloc(0);
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
};

// hostd/net/egress/proxy/client-hello-reader.ts
var contentTypeHandshake = 22;
var handshakeTypeClientHello = 1;
var recordHeaderLength = 5;
var messageHeaderLength = 4;
var maxRecordLength = 2 ** 14;
var ClientHelloReader = class {
  #maxBytes;
  #raw = new GrowingBytes();
  #message = new GrowingBytes();
  #at = 0;
  #leftOfRecord = 0;
  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }
  /** Every byte taken so far, as it came. */
  get bytes() {
    return this.#raw.view();
  }
  push(chunk) {
    this.#raw.append(chunk);
    const progress = this.#read();
    if (progress.state === "more" && this.#raw.length > this.#maxBytes) return { state: "too-long" };
    return progress;
  }
  #read() {
    for (; ; ) {
      if (this.#leftOfRecord === 0) {
        const header = this.#readRecordHeader();
        if (header.state !== "header") return header;
      }
      const raw = this.#raw.view();
      const end = Math.min(raw.length, this.#at + this.#leftOfRecord);
      if (end === this.#at) return { state: "more" };
      this.#message.append(raw.subarray(this.#at, end));
      this.#leftOfRecord -= end - this.#at;
      this.#at = end;
      const message = this.#readMessage();
      if (message.state !== "more") return message;
    }
  }
  #readRecordHeader() {
    const header = this.#raw.view().subarray(this.#at, this.#at + recordHeaderLength);
    const [type, major] = header;
    const first = this.#at === 0;
    if (type !== void 0 && type !== contentTypeHandshake) return { state: first ? "not-tls" : "malformed" };
    if (major !== void 0 && major !== 3) return { state: first ? "not-tls" : "malformed" };
    if (header.length < recordHeaderLength) return { state: "more" };
    const length = header.readUInt16BE(3);
    if (length === 0 || length > maxRecordLength) return { state: "malformed" };
    this.#at += recordHeaderLength;
    this.#leftOfRecord = length;
    return { state: "header" };
  }
  #readMessage() {
    const message = this.#message.view();
    if (message[0] !== handshakeTypeClientHello) return { state: "malformed" };
    if (message.length < messageHeaderLength) return { state: "more" };
    const end = messageHeaderLength + message.readUIntBE(1, 3);
    if (end > this.#maxBytes) return { state: "too-long" };
    if (message.length < end) return { state: "more" };
    const serverName = readServerName(message.subarray(messageHeaderLength, end));
    return serverName === void 0 ? { state: "malformed" } : { state: "read", serverName };
  }
};
var GrowingBytes = class {
  #bytes = Buffer4.alloc(512);
  length = 0;
  append(chunk) {
    const length = this.length + chunk.length;
    if (length > this.#bytes.length) {
      const larger = Buffer4.alloc(Math.max(length, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.length);
    this.length = length;
  }
  view() {
    return this.#bytes.subarray(0, this.length);
  }
};

// hostd/net/egress/proxy/tls-alert.ts
import { Buffer as Buffer5 } from "node:buffer";
var descriptions = { accessDenied: 49, decodeError: 50, internalError: 80, unrecognizedName: 112 };
function tlsAlert(alert) {
  return Buffer5.from([21, 3, 3, 0, 2, 2, descriptions[alert]]);
}

// hostd/net/egress/proxy/tls-connection.ts
function serveTls(table, flow) {
  const { guest } = flow;
  const reader = new ClientHelloReader(table.limits.bytesUntilName);
  const deadline = setTimeout(() => {
    stopReading();
    void withoutName(table, flow, reader, { reason: "no-name", alert: "unrecognizedName" });
  }, table.limits.nameDeadlineMs);
  const onData = (chunk) => {
    const progress = reader.push(chunk);
    if (progress.state === "more") return;
    stopReading();
    void decide(table, flow, progress, reader);
  };
  const stopReading = () => {
    clearTimeout(deadline);
    guest.off("data", onData);
    guest.off("end", onEnd);
    guest.off("close", onClose);
    guest.pause();
  };
  const onEnd = () => {
    stopReading();
    guest.destroy();
  };
  const onClose = () => {
    clearTimeout(deadline);
  };
  guest.once("close", onClose);
  guest.on("data", onData);
  guest.on("end", onEnd);
}
async function decide(table, flow, hello, reader) {
  const trouble = troubleWith(hello);
  if (trouble !== void 0) return withoutName(table, flow, reader, trouble);
  if (hello.state !== "read" || hello.serverName.kind !== "name") return;
  const { name: host } = hello.serverName;
  const destination = { host, literal: false, port: flow.spec.forPort, layer: "tls" };
  const reached = await reach(table, flow, destination);
  if (reached.kind === "denied") resetWith(flow.guest, tlsAlert("accessDenied"));
  if (reached.kind === "failed") resetWith(flow.guest, tlsAlert("internalError"));
  if (reached.kind !== "connected") return;
  reached.socket.write(reader.bytes);
  tunnel(flow.guest, reached.socket, table.limits.idleMs);
}
function troubleWith(hello) {
  if (hello.state === "not-tls") return { reason: "protocol" };
  if (hello.state === "too-long") return { reason: "no-name", alert: "unrecognizedName" };
  if (hello.state !== "read") return { reason: "protocol", alert: "decodeError" };
  const { serverName } = hello;
  if (serverName.kind === "none") return { reason: "no-name", alert: "unrecognizedName" };
  if (serverName.kind === "odd") return { reason: "sni", shown: serverName.shown, alert: "unrecognizedName" };
  return void 0;
}
async function withoutName(table, flow, { bytes }, trouble) {
  const { reason, shown, alert } = trouble;
  if (flow.guest.destroyed || await passByAddress(table, flow, reason, bytes) || flow.guest.destroyed) return;
  table.denied(flow, reason, { name: shown });
  if (alert === void 0) flow.guest.resetAndDestroy();
  else resetWith(flow.guest, tlsAlert(alert));
}

// hostd/net/egress/proxy/start-proxy.ts
function startProxy(options) {
  return Promise.resolve(new TransparentProxy(options));
}
var TransparentProxy = class {
  #table;
  #servers = /* @__PURE__ */ new Set();
  constructor(options) {
    this.#table = new FlowTable(options, { ...defaultLimits, ...options.limits });
  }
  async listen(spec) {
    const server = spec.layer === "http" ? httpServer(this.#table, spec) : tlsServer(this.#table, spec);
    server.listen({ host: spec.address, port: spec.port, exclusive: true });
    await once2(server, "listening");
    server.on("error", () => void 0);
    const bound = server.address();
    const port = typeof bound === "object" && bound !== null ? bound.port : spec.port;
    this.#servers.add(server);
    server.once("close", () => this.#servers.delete(server));
    return {
      address: spec.address,
      port,
      close: () => {
        server.close();
      }
    };
  }
  enforceAgain() {
    return this.#table.enforceAgain();
  }
  usage() {
    return this.#table.usage.rows();
  }
  forget(sandboxId) {
    this.#table.forget(sandboxId);
  }
  async close() {
    const closed = [...this.#servers].map((server) => once2(server, "close"));
    for (const server of this.#servers) server.close();
    this.#table.cutAll();
    await Promise.all(closed);
  }
};
function tlsServer(table, spec) {
  return createServer2({ allowHalfOpen: true, highWaterMark: bufferBytes }, (guest) => {
    const flow = table.admit(guest, spec);
    if (flow !== void 0) serveTls(table, flow);
  });
}

// hostd/net/egress/gate/names-client.ts
import { once as once3 } from "node:events";
import { connect as connect2 } from "node:net";
var maxLineBytes = 256 * 1024;
var answerMs = 6e3;
var NamesClient = class {
  #path;
  #connection;
  #nextId = 0;
  constructor(path) {
    this.#path = path;
  }
  /** None when the resolver has none, is not there, or does not answer in time. Never rejects. */
  addressesOf(sandboxId, name) {
    return this.#answer({ sandboxId, name });
  }
  /** The address that a guest dialled in a connection that came from this port to that listener; undefined as above, or when it is over. Never rejects. */
  async dialledAddress(sandboxId, fromPort, listenerPort) {
    const [address] = await this.#answer({ sandboxId, fromPort, listenerPort });
    return address;
  }
  async close() {
    const connection = await this.#connection?.catch(() => void 0);
    connection?.socket.destroy();
  }
  async #answer(question) {
    try {
      const connection = await this.#connected();
      return await this.#ask(connection, question);
    } catch {
      return [];
    }
  }
  #ask({ socket, waiting }, question) {
    const id = this.#nextId += 1;
    return new Promise((resolve2) => {
      const finish = (addresses) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve2(addresses);
      };
      const timer = setTimeout(() => {
        finish([]);
      }, answerMs);
      waiting.set(id, finish);
      if (socket.destroyed) finish([]);
      else writeLine(socket, { id, ...question });
    });
  }
  #connected() {
    this.#connection ??= this.#connect().catch((error) => {
      this.#connection = void 0;
      throw error;
    });
    return this.#connection;
  }
  async #connect() {
    const socket = connect2(this.#path);
    await once3(socket, "connect");
    const waiting = /* @__PURE__ */ new Map();
    readLines(socket, maxLineBytes, (line) => {
      const answer = nameAnswerSchema.safeParse(parseLine(line));
      if (answer.success) waiting.get(answer.data.id)?.(answer.data.addresses);
    });
    socket.once("close", () => {
      this.#connection = void 0;
      for (const finish of [...waiting.values()]) finish([]);
    });
    return { socket, waiting };
  }
};

// hostd/net/egress/gate/proxy-listeners.ts
var ProxyListeners = class {
  #proxy;
  #open = [];
  constructor(proxy) {
    this.#proxy = proxy;
  }
  get size() {
    return this.#open.length;
  }
  /** Opens what is missing, closes what is not in the list, leaves the rest; gives the list back with the ports that were free for 0. Rejects when one can't be opened: then none is closed. */
  async set(wanted) {
    const kept = /* @__PURE__ */ new Set();
    const result = [];
    for (const spec of wanted) {
      const open = this.#open.find((one) => !kept.has(one) && isSame(one, spec)) ?? await this.#add(spec);
      kept.add(open);
      result.push({ ...spec, port: open.listener.port });
    }
    for (const one of this.#open) if (!kept.has(one)) one.listener.close();
    this.#open = this.#open.filter((one) => kept.has(one));
    return { listeners: result };
  }
  async #add(spec) {
    const open = { spec, listener: await this.#proxy.listen(spec) };
    this.#open.push(open);
    return open;
  }
};
function isSame({ spec, listener }, wanted) {
  return spec.address === wanted.address && spec.forPort === wanted.forPort && spec.layer === wanted.layer && (wanted.port === 0 || wanted.port === listener.port);
}

// hostd/net/egress/gate/usage-report.ts
var nothing = { count: 0, bytesIn: 0, bytesOut: 0 };
var UsageReport = class {
  #proxy;
  #report;
  /** By sandbox, then name, port and reason: what the report has of it. */
  #reported = /* @__PURE__ */ new Map();
  constructor(proxy, report) {
    this.#proxy = proxy;
    this.#report = report;
  }
  update() {
    for (const { sandboxId, name, port, wouldDeny, connections: count, bytesIn, bytesOut } of this.#proxy.usage()) {
      const reported = this.#reported.get(sandboxId) ?? /* @__PURE__ */ new Map();
      this.#reported.set(sandboxId, reported);
      const key = JSON.stringify([port, wouldDeny, name]);
      const before = reported.get(key) ?? nothing;
      reported.set(key, { count, bytesIn, bytesOut });
      this.#report.count(
        { sandboxId, outcome: "usage", reason: wouldDeny, name, port, transport: "tcp" },
        { count: count - before.count, bytesIn: bytesIn - before.bytesIn, bytesOut: bytesOut - before.bytesOut }
      );
    }
  }
  /** Ends what the sandbox has open in the proxy, whose totals of it begin anew; the report keeps what was counted. */
  forget(sandboxId) {
    this.update();
    this.#proxy.forget(sandboxId);
    this.#reported.delete(sandboxId);
  }
};

// hostd/net/egress/gate/proxy-service.ts
async function openProxyService(folder2) {
  const table = new PolicyTable();
  const report = new ReportLog(() => systemClock.wallMs());
  const names = new NamesClient(namesSocket(folder2));
  const turn = new InTurn();
  const proxy = await startProxy({
    viewOf: (source) => table.atSource(source),
    resolve: (sandboxId, name) => names.addressesOf(sandboxId, name),
    dialledAddress: (sandboxId, fromPort, listenerPort) => names.dialledAddress(sandboxId, fromPort, listenerPort),
    dial,
    record: (entry) => {
      report.count(countedOf(entry));
    }
  });
  const usage = new UsageReport(proxy, report);
  const listeners = new ProxyListeners(proxy);
  let narrowed;
  function setPolicies(document) {
    const prepared = table.prepare(document);
    table.commit(prepared);
    const cut = proxy.enforceAgain();
    prepared.dropped.forEach((sandboxId) => {
      forget(sandboxId, document.phase === "final");
    });
    narrowed = document.phase === "narrow" ? { id: randomUUID(), document } : void 0;
    const revisions = table.revisions(document.sandboxes.map(({ sandboxId }) => sandboxId));
    return { revisions, cut, ...narrowed === void 0 ? {} : { narrowed: narrowed.id } };
  }
  function widen(id) {
    return narrowed?.id === id ? setPolicies({ ...narrowed.document, phase: "final" }) : null;
  }
  function forget(sandboxId, isGone) {
    usage.forget(sandboxId);
    if (isGone) report.drop(sandboxId);
  }
  return {
    operations: {
      setPolicies: operation(policyDocumentSchema, setPolicies),
      widen: operation(widenSchema, (asked) => widen(asked.narrowed)),
      dropSandbox: operation(sandboxRequestSchema, ({ sandboxId }) => {
        narrowed = void 0;
        table.drop(sandboxId);
        forget(sandboxId, true);
      }),
      listen: operation(proxyListenSchema, (wanted) => turn.do(() => listeners.set(wanted.listeners))),
      report: operation(reportRequestSchema, ({ since, limit }) => {
        usage.update();
        return report.page(since, limit);
      })
    },
    health: () => ({
      epoch: report.epoch,
      sandboxes: table.size,
      listeners: listeners.size,
      reportRows: report.size
    }),
    close: async () => {
      await proxy.close();
      await names.close();
    }
  };
}
function countedOf({ sandboxId, outcome, reason, failure, name, address, port, transport }) {
  const word = outcome === "audited" ? "would-deny" : outcome;
  return { sandboxId, outcome: word, reason, failure, name, address, port, transport };
}

// hostd/net/egress/gate/proxy-process.ts
var [folder] = process.argv.slice(2);
if (folder === void 0) throw new Error("which folder?");
await runHelper("proxy", folder, () => openProxyService(folder));
