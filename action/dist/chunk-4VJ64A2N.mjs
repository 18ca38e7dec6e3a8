import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  runChecked
} from "./chunk-CIXUOV6D.mjs";
import {
  OffshootError
} from "./chunk-LTWX3RIA.mjs";
import {
  systemClock
} from "./chunk-DMNCN2ZG.mjs";

// hostd/net/dns/listener.ts
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

// hostd/net/dns/in-flight.ts
var InFlight = class {
  #perClient;
  #inAll;
  #counts = /* @__PURE__ */ new Map();
  #total = 0;
  constructor(perClient, inAll) {
    this.#perClient = perClient;
    this.#inAll = inAll;
  }
  /** False when the client, or all of them together, have too much open. */
  enter(client) {
    const count = this.#counts.get(client) ?? 0;
    if (count >= this.#perClient || this.#total >= this.#inAll) return false;
    this.#counts.set(client, count + 1);
    this.#total += 1;
    return true;
  }
  leave(client) {
    const count = this.#counts.get(client);
    if (count === void 0) return;
    this.#total -= 1;
    if (count === 1) this.#counts.delete(client);
    else this.#counts.set(client, count - 1);
  }
};

// hostd/net/dns/message.ts
import { Buffer } from "node:buffer";
var headerBytes = 12;
var maxNameBytes = 255;
var maxLabelBytes = 63;
var typeAndClassBytes = 4;
var rcodes = { noError: 0, formatError: 1, serverFailure: 2, notImplemented: 4, refused: 5 };
function parseQuery(bytes) {
  if (bytes.length < headerBytes) return void 0;
  const isResponse = (bytes.readUInt8(2) & 128) !== 0;
  const opcode = bytes.readUInt8(2) >> 3 & 15;
  if (isResponse || opcode !== 0 || bytes.readUInt16BE(4) !== 1) return void 0;
  const questionEnd = endOfQuestion(bytes);
  return questionEnd === void 0 ? void 0 : { id: bytes.readUInt16BE(0), bytes, questionEnd };
}
function endOfQuestion(bytes) {
  let offset = headerBytes;
  while (offset < bytes.length) {
    const labelBytes = bytes.readUInt8(offset);
    offset += 1 + labelBytes;
    if (labelBytes > maxLabelBytes || offset - headerBytes > maxNameBytes) return void 0;
    if (labelBytes === 0) return offset + typeAndClassBytes <= bytes.length ? offset + typeAndClassBytes : void 0;
  }
  return void 0;
}
function responseCode(query, sentId, response) {
  if (response.length < headerBytes || response.readUInt16BE(0) !== sentId) return void 0;
  if ((response.readUInt8(2) & 128) === 0) return void 0;
  const code = response.readUInt8(3) & 15;
  const questions = response.readUInt16BE(4);
  if (questions === 0) return code === rcodes.formatError || code === rcodes.notImplemented ? code : void 0;
  if (questions !== 1 || endOfQuestion(response) !== query.questionEnd) return void 0;
  return sameQuestion(query, response) ? code : void 0;
}
function sameQuestion(query, response) {
  const nameEnd = query.questionEnd - typeAndClassBytes;
  for (let offset = headerBytes; offset < query.questionEnd; offset += 1) {
    const asked = query.bytes.readUInt8(offset);
    const answered = response.readUInt8(offset);
    if (offset < nameEnd ? foldCase(asked) !== foldCase(answered) : asked !== answered) return false;
  }
  return true;
}
function foldCase(byte) {
  return byte >= 65 && byte <= 90 ? byte | 32 : byte;
}
function withId(message, id) {
  const copy = Buffer.from(message);
  copy.writeUInt16BE(id, 0);
  return copy;
}
function failureResponse(query, code) {
  const response = Buffer.from(query.bytes.subarray(0, query.questionEnd));
  const recursionDesired = response.readUInt8(2) & 1;
  response.writeUInt8(128 | recursionDesired, 2);
  response.writeUInt8(128 | code, 3);
  response.fill(0, 6, headerBytes);
  return response;
}
function framed(message) {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length, 0);
  return Buffer.concat([length, message]);
}
var FrameReader = class {
  #rest = Buffer.alloc(0);
  /** The messages that these bytes complete. */
  push(chunk) {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages = [];
    while (data.length >= 2 && data.length >= 2 + data.readUInt16BE(0)) {
      const end = 2 + data.readUInt16BE(0);
      messages.push(data.subarray(2, end));
      data = data.subarray(end);
    }
    this.#rest = data;
    return messages;
  }
};

// hostd/net/dns/listener.ts
var connectionsPerClient = 16;
var connectionsInAll = 512;
var pipelinedQueries = 16;
var idleConnectionMs = 1e4;
var maxUnsentBytes = 256 * 1024;
async function openDnsListener(options) {
  const listener = new Listener(options);
  await listener.listen();
  return listener;
}
var Listener = class {
  #options;
  #connections = new InFlight(connectionsPerClient, connectionsInAll);
  #open = /* @__PURE__ */ new Set();
  #udp = createSocket("udp4");
  #tcp = createServer((socket) => {
    this.#serve(socket);
  });
  constructor(options) {
    this.#options = options;
    this.#udp.on("message", (bytes, sender) => {
      void this.#answerDatagram(bytes, sender.address, sender.port);
    });
  }
  async listen() {
    const { address, port } = this.#options;
    try {
      this.#udp.bind({ address, port, exclusive: true });
      await once(this.#udp, "listening");
      this.#tcp.listen({ host: address, port, exclusive: true });
      await once(this.#tcp, "listening");
    } catch (cause) {
      await this.close();
      throw listenError(cause, address, port);
    }
    this.#udp.on("error", () => void 0);
    this.#tcp.on("error", () => void 0);
  }
  async close() {
    for (const socket of this.#open) socket.destroy();
    await Promise.all([
      new Promise((resolve) => {
        try {
          this.#udp.close(resolve);
        } catch {
          resolve();
        }
      }),
      new Promise((resolve) => {
        this.#tcp.close(() => {
          resolve();
        });
      })
    ]);
  }
  async #answerDatagram(bytes, client, clientPort) {
    const answer = await this.#options.answer(client, "udp", bytes);
    if (answer === void 0) return;
    try {
      this.#udp.send(answer, clientPort, client);
    } catch {
    }
  }
  #serve(socket) {
    const client = socket.remoteAddress ?? "";
    if (!this.#connections.enter(client)) {
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    const reader = new FrameReader();
    socket.setTimeout(idleConnectionMs, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#open.delete(socket);
      this.#connections.leave(client);
    });
    let unanswered = 0;
    const answer = async (message) => {
      unanswered += 1;
      if (unanswered >= pipelinedQueries) socket.pause();
      const bytes = await this.#options.answer(client, "tcp", message);
      unanswered -= 1;
      if (socket.destroyed) return;
      if (bytes === void 0 || socket.writableLength > maxUnsentBytes) {
        socket.destroy();
        return;
      }
      socket.write(framed(bytes));
      socket.resume();
    };
    socket.on("data", (chunk) => {
      for (const message of reader.push(chunk)) void answer(message);
    });
  }
};
function listenError(cause, address, port) {
  const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
  return new OffshootError("network-setup-failed", {
    message: isTaken ? `Another program answers DNS on ${address}:${String(port)}.` : `DNS can't be answered on ${address}:${String(port)}: ${String(cause)}`,
    ...isTaken ? { hint: "Keep it off that address, or configure another network.dnsPort." } : {},
    cause
  });
}

// hostd/net/dns/exchange.ts
import { randomInt } from "node:crypto";
import { createSocket as createSocket2 } from "node:dgram";
import { connect, isIPv6 } from "node:net";
var exchangeOverUdp = (upstream, query, timeoutMs) => new Promise((resolve) => {
  const sentId = randomInt(65536);
  const socket = createSocket2(isIPv6(bare(upstream.address)) ? "udp6" : "udp4");
  const finish = (answer) => {
    clearTimeout(timer);
    socket.removeAllListeners("message");
    try {
      socket.close();
    } catch {
    }
    resolve(answer);
  };
  const timer = setTimeout(finish, timeoutMs);
  socket.on("error", () => {
    finish();
  });
  socket.on("message", (response) => {
    const answer = accept(query, sentId, response);
    if (answer !== void 0) finish(answer);
  });
  socket.connect(upstream.port, upstream.address, () => {
    socket.send(withId(query.bytes, sentId));
  });
});
var exchangeOverTcp = (upstream, query, timeoutMs) => new Promise((resolve) => {
  const sentId = randomInt(65536);
  const reader = new FrameReader();
  const socket = connect({ host: upstream.address, port: upstream.port });
  const finish = (answer) => {
    clearTimeout(timer);
    socket.destroy();
    resolve(answer);
  };
  const timer = setTimeout(finish, timeoutMs);
  socket.on("error", () => {
    finish();
  });
  socket.on("close", () => {
    finish();
  });
  socket.on("data", (chunk) => {
    for (const response of reader.push(chunk)) {
      const answer = accept(query, sentId, response);
      if (answer !== void 0) finish(answer);
    }
  });
  socket.write(framed(withId(query.bytes, sentId)));
});
function accept(query, sentId, response) {
  const code = responseCode(query, sentId, response);
  return code === void 0 ? void 0 : { bytes: withId(response, query.id), code };
}
function bare(address) {
  return address.split("%")[0] ?? address;
}

// hostd/net/dns/resolv-conf.ts
import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";
var maxServers = 3;
var checkEveryMs = 1e3;
var localServer = { address: "127.0.0.1", port: 53 };
function parseResolvConf(text) {
  const servers = text.split("\n").flatMap((line) => {
    const [keyword, address] = line.trim().split(/\s+/);
    return keyword === "nameserver" && address !== void 0 && isIP(address) !== 0 ? [{ address, port: 53 }] : [];
  });
  return servers.length === 0 ? [localServer] : servers.slice(0, maxServers);
}
var ResolvConf = class {
  #path;
  #clock;
  #servers = [localServer];
  #version = "";
  #checkedMs = Number.NEGATIVE_INFINITY;
  #check = Promise.resolve();
  constructor(path, clock) {
    this.#path = path;
    this.#clock = clock;
  }
  /** Never rejects: while the file is missing or unreadable the servers stay as they were. */
  async current() {
    if (this.#clock.monotonicMs() - this.#checkedMs >= checkEveryMs) {
      this.#checkedMs = this.#clock.monotonicMs();
      this.#check = this.#readIfChanged().catch(() => void 0);
    }
    await this.#check;
    return this.#servers;
  }
  async #readIfChanged() {
    const { mtimeMs, size, ino } = await stat(this.#path);
    const version = [mtimeMs, size, ino].join(" ");
    if (version === this.#version) return;
    this.#servers = parseResolvConf(await readFile(this.#path, "utf8"));
    this.#version = version;
  }
};

// hostd/net/dns/resolver.ts
var wholeBudgetMs = 4500;
var rounds = 2;
var UpstreamResolver = class {
  #servers;
  #clock;
  /** The server that answered last, so that a dead one is not waited for with every query. */
  #preferred;
  constructor(servers, clock) {
    this.#servers = servers;
    this.#clock = clock;
  }
  /** The answer to send to the client: SERVFAIL when no server gave one. Never rejects. */
  async resolve(query, exchange) {
    const deadlineMs = this.#clock.monotonicMs() + wholeBudgetMs;
    const servers = this.#inOrder(await this.#servers());
    const patienceMs = wholeBudgetMs / Math.max(2, servers.length);
    let unwilling;
    for (const server of Array.from({ length: rounds }, () => servers).flat()) {
      const leftMs = deadlineMs - this.#clock.monotonicMs();
      if (leftMs <= 0) break;
      const answer = await exchange(server, query, Math.min(patienceMs, leftMs));
      if (answer === void 0) continue;
      if (answer.code !== rcodes.serverFailure && answer.code !== rcodes.refused) {
        this.#preferred = server;
        return answer.bytes;
      }
      unwilling = answer;
      if (servers.length === 1) break;
    }
    return unwilling?.bytes ?? failureResponse(query, rcodes.serverFailure);
  }
  #inOrder(servers) {
    const isPreferred = (server) => server.address === this.#preferred?.address && server.port === this.#preferred.port;
    return [...servers.filter(isPreferred), ...servers.filter((server) => !isPreferred(server))];
  }
};

// hostd/net/dns/forwarder.ts
var queriesPerClient = 64;
var queriesInAll = 1024;
async function openDnsForwarder(options) {
  const resolver = hostResolver(options, systemClock);
  const queries = new InFlight(queriesPerClient, queriesInAll);
  const answer = async (client, transport, bytes) => {
    const query = parseQuery(bytes);
    if (query === void 0) return void 0;
    if (!queries.enter(client)) return failureResponse(query, rcodes.serverFailure);
    try {
      return await resolver.resolve(query, transport === "udp" ? exchangeOverUdp : exchangeOverTcp);
    } finally {
      queries.leave(client);
    }
  };
  return openDnsListener({ address: options.address, port: options.port, answer });
}
function hostResolver(options, clock) {
  const resolvConf = new ResolvConf(options.resolvConf, clock);
  return new UpstreamResolver(async () => {
    const servers = options.upstreams ?? await resolvConf.current();
    return servers.filter((one) => one.address !== options.address || one.port !== options.port);
  }, clock);
}

// hostd/net/egress/firewall/load-rules.ts
var thenLine = "# then\n";
var loadThen = 'then=$1; shift; "$@" && exec nft "$then"';
async function loadRules(runner, netnsPath, document) {
  const [input = "", then] = document.split(thenLine);
  const load = ["nft", "-f", "-"];
  const command = then === void 0 ? load : ["sh", "-c", loadThen, "sh", then.trim(), ...load];
  await runChecked(runner, "nsenter", [`--net=${netnsPath}`, "--", ...command], { input });
}
function rulesAnew(document) {
  return `add table inet offshoot
delete table inet offshoot
${document}`;
}

// hostd/net/egress/firewall/slot-sets.ts
var transports = ["tcp", "udp"];
var pinsPerSet = 8192;
var countedDestinations = 4096;
var countedMinutes = 10;
var pinnedSet = (transport) => `pinned_${transport}`;
var pinnedHostsSet = (transport) => `pinned_hosts_${transport}`;
var pinSets = transports.flatMap((transport) => [
  pinnedSet(transport),
  pinnedHostsSet(transport)
]);
var deniedSet = "denied";
var auditedSet = "audited";
var passedSet = "passed";
var openedSet = "opened";
var deniedOtherSet = "denied_other";
var auditedOtherSet = "audited_other";
var cutSet = "cut_tcp";
var cutPaceSet = "cut_pace_tcp";
var lastingSets = [
  ...transports.flatMap((transport) => [
    lasting(pinnedSet(transport), `type ipv4_addr . inet_service; size ${String(pinsPerSet)}; flags timeout;`),
    lasting(pinnedHostsSet(transport), `type ipv4_addr; size ${String(pinsPerSet)}; flags timeout;`)
  ]),
  lasting(deniedSet, counted("inet_proto . ipv4_addr . inet_service", 2 * countedDestinations)),
  ...[auditedSet, passedSet].map(
    (name) => lasting(name, counted("inet_proto . ipv4_addr . inet_service . ct_dir", 2 * countedDestinations))
  ),
  lasting(openedSet, counted("inet_proto . ipv4_addr . inet_service")),
  ...[deniedOtherSet, auditedOtherSet].map((name) => lasting(name, counted("ipv4_addr . inet_proto"))),
  ...[cutSet, cutPaceSet].map((name) => ({
    name,
    definition: "{ type ipv4_addr . inet_service . inet_service; size 8192; flags dynamic, timeout; timeout 1m; }"
  }))
];
function lasting(name, definition) {
  return { name, definition: `{ ${definition} counter; }` };
}
function counted(type, size = countedDestinations) {
  return `type ${type}; size ${String(size)}; flags dynamic, timeout; timeout ${String(countedMinutes)}m;`;
}

export {
  parseQuery,
  exchangeOverUdp,
  exchangeOverTcp,
  InFlight,
  openDnsListener,
  openDnsForwarder,
  hostResolver,
  thenLine,
  loadRules,
  rulesAnew,
  transports,
  pinnedSet,
  pinnedHostsSet,
  pinSets,
  deniedSet,
  auditedSet,
  passedSet,
  openedSet,
  deniedOtherSet,
  auditedOtherSet,
  cutSet,
  cutPaceSet,
  lastingSets
};
