import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  denialReasonSchema,
  egressModeSchema,
  metadataAddresses,
  privateNetworks
} from "./chunk-DPK6MB3H.mjs";
import {
  external_exports
} from "./chunk-RXM3SW5I.mjs";

// hostd/net/egress/gate/helper-files.ts
import path from "node:path";
function gateFolder(stateDirectory) {
  return path.join(stateDirectory, "gate");
}
function helperFiles(folder, role) {
  const file = (ending) => path.join(folder, `${role}.${ending}`);
  return { folder, lock: file("lock"), identity: file("json"), controlSocket: file("sock"), log: file("log") };
}
function namesSocket(folder) {
  return path.join(folder, "names.sock");
}
function pinsFile(folder) {
  return path.join(folder, "pins.json");
}

// hostd/net/egress/gate/messages.ts
import { isIP as isIP3, isIPv4 as isIPv42 } from "node:net";

// hostd/net/egress/dns/pin-document.ts
import { isIP } from "node:net";
var hour = 36e5;
var pinSchema = external_exports.strictObject({
  address: external_exports.string().refine((text) => isIP(text) !== 0, "must be an IP address"),
  port: external_exports.union([external_exports.int().min(1).max(65535), external_exports.literal("any")]),
  transport: external_exports.enum(["tcp", "udp"]),
  /** The name as rules have it: lower case, no trailing dot. */
  name: external_exports.string().min(1).max(253)
});
var pinDocumentSchema = external_exports.strictObject({
  version: external_exports.literal(1),
  pins: external_exports.array(
    pinSchema.extend({
      /** Of its life, when this was written. */
      remainingMs: external_exports.number().min(0).max(hour)
    })
  ).max(1e5)
});
var minPinMs = 6e4;
var maxPinMs = hour;

// hostd/net/egress/policy/address.ts
import { isIPv4, isIPv6 } from "node:net";
function parseAddress(text) {
  if (isIPv4(text)) {
    return { family: 4, value: text.split(".").reduce((sum, octet) => sum * 256n + BigInt(octet), 0n) };
  }
  if (!isIPv6(text) || text.includes("%")) return void 0;
  return { family: 6, value: ipv6Value(text) };
}
function formatAddress({ family, value }) {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift & 255n).toString()).join(".");
  const groups = value.toString(16).padStart(32, "0").match(/.{4}/g) ?? [];
  return shortIpv6(groups.join(":"));
}
function parseNetwork(text) {
  const [addressText = "", lengthText, ...rest] = text.split("/");
  const address = parseAddress(addressText);
  if (address === void 0 || rest.length > 0) return void 0;
  const bits = addressBits(address.family);
  if (lengthText === void 0) return networkOf(address, bits);
  if (!/^(0|[1-9]\d{0,2})$/.test(lengthText) || Number(lengthText) > bits) return void 0;
  return networkOf(address, Number(lengthText));
}
function networkOf({ family, value }, prefixLength) {
  const hostBits = BigInt(addressBits(family) - prefixLength);
  return { family, base: value >> hostBits << hostBits, prefixLength };
}
function addressBits(family) {
  return family === 4 ? 32 : 128;
}
function networkContains(outer, inner) {
  if (outer.family !== inner.family || outer.prefixLength > inner.prefixLength) return false;
  return networkOf({ family: inner.family, value: inner.base }, outer.prefixLength).base === outer.base;
}
function shortIpv6(text) {
  return new URL(`http://[${text}]/`).hostname.slice(1, -1);
}
function ipv6Value(text) {
  const [front = "", back] = shortIpv6(text).split("::");
  const left = front === "" ? [] : front.split(":");
  const right = back === void 0 || back === "" ? [] : back.split(":");
  const zeros = Array(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].reduce((sum, group) => sum << 16n | BigInt(`0x${group}`), 0n);
}

// hostd/net/egress/gate/rule-schema.ts
import { isIP as isIP2 } from "node:net";
var portSchema = external_exports.union([external_exports.int().min(1).max(65535), external_exports.literal("any")]);
var transportSchema = external_exports.enum(["tcp", "udp"]);
var textSchema = external_exports.string().max(400);
var nameRuleSchema = external_exports.strictObject({
  kind: external_exports.literal("name"),
  name: external_exports.string().regex(/^[a-z0-9_]([a-z0-9._-]{0,251}[a-z0-9_])?$/),
  wildcard: external_exports.boolean(),
  port: portSchema,
  transport: transportSchema,
  layer: external_exports.enum(["tls", "http", "raw"]),
  allowPrivate: external_exports.boolean(),
  text: textSchema
});
var addressRuleSchema = external_exports.strictObject({
  kind: external_exports.literal("address"),
  family: external_exports.union([external_exports.literal(4), external_exports.literal(6)]),
  network: external_exports.string(),
  prefixLength: external_exports.int().min(0).max(128),
  port: portSchema,
  transport: transportSchema,
  text: textSchema
}).refine(({ family, network }) => isIP2(network) === family, "is no address of its family");
var policySchema = external_exports.strictObject({
  mode: egressModeSchema,
  rules: external_exports.array(external_exports.discriminatedUnion("kind", [nameRuleSchema, addressRuleSchema])).max(2e3)
});

// hostd/net/egress/gate/messages.ts
var protocolVersion = 4;
var maxControlLineBytes = 64 * 1024 * 1024;
var sandboxIdSchema = external_exports.string().min(1).max(100);
var addressSchema = external_exports.string().refine((text) => isIP3(text) !== 0, "is no address");
var portSchema2 = external_exports.int().min(0).max(65535);
var isAddressOrNetwork = (text) => (parseAddress(text) ?? parseNetwork(text)) !== void 0;
var sandboxPolicySchema = external_exports.strictObject({
  sandboxId: sandboxIdSchema,
  /** Where the helpers see its traffic come from. */
  sourceAddress: external_exports.string().refine(isIPv42, "is no IPv4 address"),
  /** Its network namespace, whose filter the resolver opens for single addresses. */
  netnsPath: external_exports.string().startsWith("/").max(500),
  policy: policySchema,
  /** Of this sandbox; one more with each change. */
  revision: external_exports.int().min(1)
});
var policyDocumentSchema = external_exports.compile(
  external_exports.strictObject({
    sandboxes: external_exports.array(sandboxPolicySchema).max(1e4),
    /** Of sandboxes that are not in it. */
    others: external_exports.enum(["keep", "drop"]),
    /** Addresses and networks of the host, of sandboxes and of the daemon: closed unless a rule names them. */
    own: external_exports.array(external_exports.string().refine(isAddressOrNetwork, "is no address or network")).max(1e4),
    /** `narrow`: until the next document, only what both the policy in force and this one allow. */
    phase: external_exports.enum(["narrow", "final"])
  })
);
var policyAckSchema = external_exports.object({
  revisions: external_exports.record(external_exports.string(), external_exports.number()),
  /** Connections that were cut. */
  cut: external_exports.number(),
  /** Of a proxy that narrowed: what to give to `widen` to have the same document in its final phase. */
  narrowed: external_exports.string().optional()
});
var widenSchema = external_exports.strictObject({ narrowed: external_exports.string().max(100) });
var widenAckSchema = policyAckSchema.nullable();
var sandboxRequestSchema = external_exports.strictObject({ sandboxId: sandboxIdSchema });
var restorePinsSchema = external_exports.strictObject({ sandboxId: sandboxIdSchema, document: pinDocumentSchema });
var proxyListenerSchema = external_exports.strictObject({
  address: addressSchema,
  /** 0: any free one. */
  port: portSchema2,
  /** The port that guests mean to reach. */
  forPort: external_exports.int().min(1).max(65535),
  layer: external_exports.enum(["tls", "http"])
});
var proxyListenSchema = external_exports.strictObject({ listeners: external_exports.array(proxyListenerSchema).max(2e4) });
var dnsListenSchema = external_exports.strictObject({
  address: addressSchema,
  port: portSchema2.min(1),
  resolvConf: external_exports.string(),
  /** Asked instead of the servers in resolvConf. */
  upstreams: external_exports.array(external_exports.strictObject({ address: external_exports.string(), port: portSchema2 })).optional()
});
var helperRoles = ["resolver", "proxy"];
var reportRowSchema = external_exports.object({
  sandboxId: external_exports.string(),
  /**
   * `cut`: was under way when a change of policy ended it. `failed`: allowed, but it did not work. `usage`: bytes of what passed; with
   * the reason, of what `would-deny` counts. `answered`:
   * the guest was told this address of the name.
   */
  outcome: external_exports.enum(["allowed", "denied", "would-deny", "cut", "failed", "usage", "answered"]),
  reason: denialReasonSchema.optional(),
  failure: external_exports.string().optional(),
  /** `*.domain` or `*` where there were too many to tell apart. */
  name: external_exports.string().optional(),
  address: external_exports.string().optional(),
  port: external_exports.number().optional(),
  /** `proxy`: asked of DNS by the proxy on the sandbox's behalf. */
  transport: external_exports.enum(["udp", "tcp", "proxy"]),
  /** Since the helper started, as the bytes are: a later row of the same kind replaces an earlier one. */
  count: external_exports.number(),
  /** To the guest. */
  bytesIn: external_exports.number(),
  bytesOut: external_exports.number(),
  /** Wall clock, milliseconds since 1970. */
  firstMs: external_exports.number(),
  lastMs: external_exports.number()
});
var reportCursorSchema = external_exports.strictObject({ epoch: external_exports.string().max(100), seq: external_exports.int().min(0) });
var reportRequestSchema = external_exports.strictObject({
  since: reportCursorSchema.optional(),
  limit: external_exports.int().min(1).max(1e4).optional()
});
var reportPageSchema = external_exports.object({
  cursor: reportCursorSchema,
  rows: external_exports.array(reportRowSchema),
  /** There are more after this cursor now. */
  more: external_exports.boolean()
});
var healthSchema = external_exports.object({
  role: external_exports.enum(helperRoles),
  protocolVersion: external_exports.number(),
  pid: external_exports.number(),
  startTicks: external_exports.number(),
  /** Of this run of the helper. */
  epoch: external_exports.string(),
  sandboxes: external_exports.number(),
  listeners: external_exports.number(),
  reportRows: external_exports.number(),
  rssMiB: external_exports.number()
});
var asked = { id: external_exports.int().min(0), sandboxId: sandboxIdSchema };
var nameRequestSchema = external_exports.union([
  external_exports.strictObject({ ...asked, name: external_exports.string().min(1).max(300) }),
  /** Which address the guest dialled in a connection that came to the proxy from this port to that one of its listeners. */
  external_exports.strictObject({ ...asked, fromPort: portSchema2.min(1), listenerPort: portSchema2.min(1) })
]);
var nameAnswerSchema = external_exports.object({ id: external_exports.number(), addresses: external_exports.array(external_exports.string()) });

// hostd/net/egress/gate/in-turn.ts
var InTurn = class {
  #last = Promise.resolve();
  do(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => void 0);
    return done;
  }
};

// hostd/net/egress/policy/closed-ranges.ts
var ranges = {
  private: privateNetworks,
  loopback: ["127.0.0.0/8", "::1/128"],
  "link-local": ["169.254.0.0/16", "fe80::/10"],
  metadata: metadataAddresses,
  multicast: ["224.0.0.0/4", "ff00::/8"],
  reserved: [
    "0.0.0.0/8",
    // this network: RFC 791
    "192.0.0.0/24",
    // IETF protocol assignments: RFC 6890
    "192.88.99.0/24",
    // relay of 6to4, given up: RFC 7526
    "198.18.0.0/15",
    // benchmarking: RFC 2544
    "240.0.0.0/4",
    // RFC 1112, with the broadcast address: RFC 919
    "2001:1::/32",
    // IETF protocol assignments under 2001::/23 (RFC 2928): all but Teredo
    "2001:2::/31",
    "2001:4::/30",
    "2001:8::/29",
    "2001:10::/28",
    "2001:20::/27",
    "2001:40::/26",
    "2001:80::/25",
    "2001:100::/24",
    "::/3",
    // all IPv6 but 2000::/3 (global unicast), fc00::/7, fe80::/10 and ff00::/8: RFC 4291, 2.4
    "4000::/2",
    "8000::/2",
    "c000::/3",
    "e000::/4",
    "f000::/5",
    "f800::/6",
    "fe00::/9",
    "fec0::/10"
    // site-local, given up: RFC 3879
  ]
};
var isKind = (text) => text in ranges;
var closedRanges = Object.entries(ranges).flatMap(
  ([kind, texts]) => isKind(kind) ? texts.map((text) => ({ kind, network: networkFrom(text) })) : []
);
function ownRanges(texts) {
  return texts.map((text) => {
    const network = networkFrom(text);
    const isAddress = network.prefixLength === addressBits(network.family);
    return { kind: isAddress ? "own" : "sandboxes", network };
  });
}
function isOpenedBy(rule, range, closed) {
  if (!networkContains(range.network, rule)) return false;
  return range.kind !== "sandboxes" || closed.some(({ kind, network }) => kind === "own" && networkContains(network, rule));
}
function networkFrom(text) {
  const network = parseNetwork(text);
  if (network === void 0) throw new TypeError(`no address or network: ${text}`);
  return network;
}
var metadata = new Set(
  closedRanges.flatMap(
    ({ kind, network }) => kind === "metadata" ? [`${String(network.family)}/${String(network.base)}`] : []
  )
);
function isMetadataAddress({ family, value }) {
  return metadata.has(`${String(family)}/${String(value)}`);
}

// hostd/net/egress/policy/embedded-ipv4.ts
var low32 = (value) => value & 0xffffffffn;
var embeddings = [
  // IPv4-mapped, ::ffff:0:0/96: RFC 4291, 2.5.5.2
  { prefix: 0xffffn, prefixLength: 96, ipv4: low32 },
  // NAT64, 64:ff9b::/96: RFC 6052, 2.1
  { prefix: 0x0064ff9bn << 64n, prefixLength: 96, ipv4: low32 },
  // 6to4, 2002::/16: RFC 3056, 2
  { prefix: 0x2002n, prefixLength: 16, ipv4: (value) => low32(value >> 80n) },
  // Teredo, 2001::/32, the client's address with its bits flipped: RFC 4380, 4
  { prefix: 0x20010000n, prefixLength: 32, ipv4: (value) => low32(value) ^ 0xffffffffn }
];
function embeddedIpv4(address) {
  if (address.family === 4) return void 0;
  const form = embeddings.find(({ prefix, prefixLength }) => address.value >> BigInt(128 - prefixLength) === prefix);
  return form === void 0 ? void 0 : { family: 4, value: form.ipv4(address.value) };
}
var embeddingNetworks = embeddings.map(({ prefix, prefixLength }) => ({
  family: 6,
  base: prefix << BigInt(128 - prefixLength),
  prefixLength
}));
function embeddedIpv4Network(network) {
  return embeddingNetworks.some((embedding) => networkContains(embedding, network));
}

// hostd/net/egress/policy/port-table.ts
var PortTable = class {
  #only;
  #rules;
  /** Takes the place of one with the same port and transport. */
  add(rule) {
    if (this.#rules === void 0 && (this.#only === void 0 || keyOf(this.#only) === keyOf(rule))) {
      this.#only = rule;
      return;
    }
    this.#rules ??= new Map(this.all().map((one) => [keyOf(one), one]));
    this.#rules.set(keyOf(rule), rule);
  }
  /** The rule that names this port, else the one that names every port. */
  find(transport, port) {
    if (this.#rules !== void 0) {
      return this.#rules.get(keyOf({ transport, port })) ?? this.#rules.get(keyOf({ transport, port: "any" }));
    }
    const only = this.#only;
    return only?.transport === transport && (only.port === port || only.port === "any") ? only : void 0;
  }
  first() {
    return this.#rules === void 0 ? this.#only : this.#rules.values().next().value;
  }
  all() {
    if (this.#rules !== void 0) return [...this.#rules.values()];
    return this.#only === void 0 ? [] : [this.#only];
  }
};
function keyOf({ transport, port }) {
  return `${transport}:${String(port)}`;
}

// hostd/net/egress/policy/prefix-table.ts
var PrefixTable = class {
  #byLength = {
    4: /* @__PURE__ */ new Map(),
    6: /* @__PURE__ */ new Map()
  };
  /** The value of exactly this network, made when there is none yet. */
  at(network, make) {
    const byLength = this.#byLength[network.family];
    const byBase = byLength.get(network.prefixLength) ?? /* @__PURE__ */ new Map();
    byLength.set(network.prefixLength, byBase);
    const found = byBase.get(network.base);
    if (found !== void 0) return found;
    const made = make();
    byBase.set(network.base, made);
    return made;
  }
  /** The values of all networks that hold the address. */
  covering(address) {
    const found = [];
    for (const [prefixLength, byBase] of this.#byLength[address.family]) {
      const value = byBase.get(networkOf(address, prefixLength).base);
      if (value !== void 0) found.push(value);
    }
    return found;
  }
};

// hostd/net/egress/policy/address-decisions.ts
var AddressDecisions = class {
  #mode;
  #rules = new PrefixTable();
  #closed = new PrefixTable();
  constructor(mode, rules, host) {
    this.#mode = mode;
    for (const range of [...closedRanges, ...ownRanges(host.own)]) this.#closed.at(range.network, () => []).push(range);
    for (const rule of rules) {
      if (rule.kind !== "address") continue;
      const network = parseNetwork(`${rule.network}/${String(rule.prefixLength)}`);
      if (network === void 0) throw new TypeError(`no network: ${rule.text}`);
      this.#rules.at(network, () => ({ network, ports: new PortTable() })).ports.add(rule);
    }
  }
  /** By address rules alone: for traffic that no name stands for. */
  reach(to) {
    const standing = this.#standing(to.address);
    if (standing === void 0 || this.#mode === "none") return { allowed: false, reason: "address" };
    const { closed, naming } = standing;
    if (this.#mode === "open" && closed.length === 0) return { allowed: true };
    if (naming.length === 0) return { allowed: false, reason: closed.length > 0 ? "private-range" : "address" };
    const rule = ruleFor(naming, to.transport, to.port);
    if (rule !== void 0) return { allowed: true, rule };
    const other = ruleFor(naming, to.transport === "tcp" ? "udp" : "tcp", to.port);
    return { allowed: false, reason: other === void 0 ? "port" : "protocol" };
  }
  /** `undefined` where only the word `private` after the name's rule would open the address. */
  use(addressText, port) {
    const standing = this.#standing(addressText);
    if (standing === void 0) return { allowed: false, reason: "rebind" };
    const { closed, naming } = standing;
    if (closed.length === 0) return { allowed: true };
    const rule = port === void 0 ? naming[0]?.ports.first() : ruleFor(naming, "tcp", port) ?? ruleFor(naming, "udp", port);
    if (rule !== void 0) return { allowed: true, rule };
    return closed.every(({ kind }) => kind === "private") ? void 0 : { allowed: false, reason: "rebind" };
  }
  #standing(text) {
    const given = parseAddress(text);
    if (given === void 0) return void 0;
    const address = embeddedIpv4(given) ?? given;
    const closed = this.#closed.covering(address).flat();
    const naming = this.#rules.covering(address).filter((rules) => closed.every((range) => isOpenedBy(rules.network, range, closed)));
    return { closed, naming };
  }
};
function ruleFor(naming, transport, port) {
  for (const { ports } of naming) {
    const rule = ports.find(transport, port);
    if (rule !== void 0) return rule;
  }
  return void 0;
}

// hostd/net/egress/policy/asked-name.ts
var label = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;
function askedName(text) {
  const bare = text.endsWith(".") ? text.slice(0, -1) : text;
  if (bare.length === 0 || bare.length > 253) return void 0;
  const labels = bare.split(".");
  if (!labels.every((part) => label.test(part))) return void 0;
  if (/^(\d+|0x[0-9a-f]*)$/i.test(labels.at(-1) ?? "")) return void 0;
  return bare.toLowerCase();
}

// hostd/net/egress/policy/name-table.ts
var NameEntry = class {
  ports = new PortTable();
  #private;
  add(rule) {
    this.ports.add(rule);
    if (rule.allowPrivate) (this.#private ??= new PortTable()).add(rule);
  }
  /** A rule that lets the name resolve to private addresses: for this port, or for any when none is given. */
  privateRule(port) {
    if (port === void 0) return this.#private?.first();
    return this.#private?.find("tcp", port) ?? this.#private?.find("udp", port);
  }
};
var NameTable = class {
  #exact = /* @__PURE__ */ new Map();
  #below = /* @__PURE__ */ new Map();
  add(rule) {
    const table = rule.wildcard ? this.#below : this.#exact;
    const entry = table.get(rule.name) ?? new NameEntry();
    table.set(rule.name, entry);
    entry.add(rule);
  }
  /** The entries whose rules name it, the closest first. */
  matching(name) {
    const found = [];
    const exact = this.#exact.get(name);
    if (exact !== void 0) found.push(exact);
    for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
      const entry = this.#below.get(name.slice(dot + 1));
      if (entry !== void 0) found.push(entry);
    }
    return found;
  }
};

// hostd/net/egress/policy/proxied-ports.ts
function proxiedPorts(policy) {
  const ports = /* @__PURE__ */ new Map([
    [443, "tls"],
    [80, "http"]
  ]);
  for (const rule of policy.rules) {
    if (rule.kind === "name" && rule.layer !== "raw" && rule.port !== "any") ports.set(rule.port, rule.layer);
  }
  return ports;
}

// hostd/net/egress/policy/compile-policy.ts
function compilePolicy(policy, host) {
  const rules = policy.mode === "none" ? [] : policy.rules;
  const addresses = new AddressDecisions(policy.mode, rules, host);
  const names = new NameTable();
  for (const rule of rules) if (rule.kind === "name") names.add(rule);
  const proxied = proxiedPorts(policy);
  const entriesOf = (name) => {
    const asked2 = name === void 0 ? void 0 : askedName(name);
    return asked2 === void 0 ? [] : names.matching(asked2);
  };
  const openTo = (name) => policy.mode === "open" && askedName(name) !== void 0;
  return {
    policy,
    mayResolve: (name) => {
      const rule = entriesOf(name)[0]?.ports.first();
      if (rule !== void 0) return { allowed: true, rule };
      return openTo(name) ? { allowed: true } : { allowed: false, reason: "dns-name" };
    },
    mayConnect: (to) => {
      if (parseAddress(literal(to.name)) !== void 0) return connectToLiteral(addresses, to);
      if (openTo(to.name)) return { allowed: true };
      return connectByName(entriesOf(to.name), to);
    },
    mayUseAddress: (name, address, port) => {
      if (policy.mode === "none") return { allowed: false, reason: "address" };
      const verdict = addresses.use(address, port);
      if (verdict !== void 0) return verdict;
      for (const entry of entriesOf(name)) {
        const rule = entry.privateRule(port);
        if (rule !== void 0) return { allowed: true, rule };
      }
      return { allowed: false, reason: "rebind" };
    },
    mayReach: (to) => addresses.reach(to),
    rawPorts: (name) => {
      const found = /* @__PURE__ */ new Map();
      for (const { port, transport } of entriesOf(name).flatMap((entry) => entry.ports.all())) {
        if (transport === "tcp" && port !== "any" && proxied.has(port)) continue;
        found.set(`${transport}:${String(port)}`, { port, transport });
      }
      return [...found.values()];
    }
  };
}
function connectByName(entries, to) {
  if (entries.length === 0) return { allowed: false, reason: nameReason(to) };
  const rules = entries.flatMap((entry) => entry.ports.find("tcp", to.port) ?? []);
  const rule = rules.find((found) => readsAs(found, to.layer));
  if (rule !== void 0) return { allowed: true, rule };
  return { allowed: false, reason: rules.length > 0 ? "protocol" : "port" };
}
function readsAs(rule, layer) {
  return rule.layer === "raw" || rule.layer === layer;
}
function connectToLiteral(addresses, to) {
  const verdict = addresses.reach({ address: literal(to.name), port: to.port, transport: "tcp" });
  if (verdict.allowed || verdict.reason !== "address") return verdict;
  return { allowed: false, reason: nameReason(to) };
}
function literal(name) {
  return name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
}
function nameReason(to) {
  return to.layer === "tls" ? "sni" : "host-header";
}

// hostd/net/egress/policy/outcome.ts
var alwaysDenied = /* @__PURE__ */ new Set(["private-range", "rebind"]);
function outcomeOf(mode, verdict) {
  if (verdict.allowed) return { passes: true };
  return { passes: mode === "audit" && !alwaysDenied.has(verdict.reason), reason: verdict.reason };
}

// hostd/net/egress/gate/both-views.ts
function bothViews(before, after) {
  const mode = before.policy.mode === "audit" && after.policy.mode === "audit" ? "audit" : "enforce";
  const both = (decide) => {
    const verdicts = [after, before].map((view) => {
      const verdict = decide(view);
      if (mode === "audit" || !outcomeOf(view.policy.mode, verdict).passes) return verdict;
      return verdict.allowed ? verdict : { allowed: true };
    });
    return verdicts.find((verdict) => !verdict.allowed) ?? verdicts[0] ?? { allowed: false, reason: "no-name" };
  };
  return {
    policy: { mode, rules: after.policy.rules },
    mayResolve: (name) => both((view) => view.mayResolve(name)),
    mayConnect: (to) => both((view) => view.mayConnect(to)),
    mayUseAddress: (name, address, port) => both((view) => view.mayUseAddress(name, address, port)),
    mayReach: (to) => both((view) => view.mayReach(to)),
    rawPorts: (name) => {
      const others = before.rawPorts(name);
      return after.rawPorts(name).filter(({ port, transport }) => others.some((one) => one.port === port && one.transport === transport));
    }
  };
}

// hostd/net/egress/gate/policy-table.ts
function refuseOlder(before, { sandboxId, revision }) {
  if (before === void 0 || before.revision <= revision) return;
  throw new Error(`${sandboxId} has revision ${String(before.revision)}, which is newer than ${String(revision)}`);
}
var PolicyTable = class {
  #entries = /* @__PURE__ */ new Map();
  #bySource = /* @__PURE__ */ new Map();
  /** What a document that narrows was compiled to is what its final phase has. */
  #compiled = /* @__PURE__ */ new WeakMap();
  get size() {
    return this.#entries.size;
  }
  /** Throws an Error for a document with an older revision than the one in force, or with one address for two sandboxes; a TypeError for `own` that is no address or network. */
  prepare(document) {
    const entries = new Map(document.others === "keep" ? this.#entries : []);
    const named = /* @__PURE__ */ new Set();
    for (const { sandboxId, sourceAddress, netnsPath, policy, revision } of document.sandboxes) {
      if (named.has(sandboxId)) throw new Error(`${sandboxId} is in it twice`);
      named.add(sandboxId);
      const before = this.#entries.get(sandboxId);
      if (document.others === "keep") refuseOlder(before, { sandboxId, revision });
      const view = this.#compile(policy, document.own);
      if (document.phase === "final") entries.set(sandboxId, { sandboxId, sourceAddress, netnsPath, view, revision });
      else if (before?.sourceAddress === sourceAddress) {
        entries.set(sandboxId, { ...before, view: bothViews(before.view, view) });
      } else entries.delete(sandboxId);
    }
    const all = [...entries.values()];
    const sources = new Set(all.map(({ sourceAddress }) => sourceAddress));
    if (sources.size !== all.length) throw new Error("two sandboxes have the same address");
    const touched = all.filter((entry) => this.#entries.get(entry.sandboxId) !== entry);
    return {
      entries,
      added: touched.filter(({ sandboxId }) => !this.#entries.has(sandboxId)),
      changed: touched.filter(({ sandboxId }) => this.#entries.has(sandboxId)),
      dropped: [...this.#entries.keys()].filter((sandboxId) => !entries.has(sandboxId))
    };
  }
  #compile(policy, own) {
    const known = this.#compiled.get(policy);
    if (known?.own === own) return known.view;
    const view = compilePolicy(policy, { own });
    this.#compiled.set(policy, { own, view });
    return view;
  }
  /** Only for what was prepared since the last commit. */
  commit({ entries }) {
    this.#bySource = new Map([...entries.values()].map((entry) => [entry.sourceAddress, entry]));
    this.#entries = entries;
  }
  drop(sandboxId) {
    const entries = new Map(this.#entries);
    if (entries.delete(sandboxId)) this.commit({ entries });
  }
  atSource(sourceAddress) {
    return this.#bySource.get(sourceAddress);
  }
  of(sandboxId) {
    return this.#entries.get(sandboxId);
  }
  sandboxIds() {
    return [...this.#entries.keys()];
  }
  revisions(sandboxIds) {
    return Object.fromEntries(
      sandboxIds.flatMap((sandboxId) => {
        const entry = this.#entries.get(sandboxId);
        return entry === void 0 ? [] : [[sandboxId, entry.revision]];
      })
    );
  }
};

// hostd/platform/clock.ts
import { setTimeout as sleep } from "node:timers/promises";
var systemClock = {
  wallMs: () => Date.now(),
  monotonicMs: () => Number(process.hrtime.bigint() / 1000n) / 1e3,
  sleep: async (durationMs, signal) => {
    await sleep(durationMs, void 0, { signal });
  }
};

// hostd/net/egress/gate/json-lines.ts
import { Buffer } from "node:buffer";
var lineEnd = 10;
function readLines(socket, maxBytes, onLine) {
  let parts = [];
  let length = 0;
  socket.on("error", () => void 0);
  socket.on("data", (chunk) => {
    let rest = chunk;
    for (; ; ) {
      const end = rest.indexOf(lineEnd);
      const part = end === -1 ? rest : rest.subarray(0, end);
      length += part.length;
      if (length > maxBytes) {
        socket.destroy();
        return;
      }
      parts.push(part);
      if (end === -1) return;
      const line = Buffer.concat(parts).toString("utf8");
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
      onLine(line);
      if (socket.destroyed) return;
    }
  });
}
function writeLine(socket, message) {
  if (socket.writable) socket.write(`${JSON.stringify(message)}
`);
}
function parseLine(line) {
  try {
    return JSON.parse(line);
  } catch {
    return void 0;
  }
}

export {
  pinDocumentSchema,
  minPinMs,
  maxPinMs,
  readLines,
  writeLine,
  parseLine,
  gateFolder,
  helperFiles,
  namesSocket,
  pinsFile,
  parseAddress,
  formatAddress,
  parseNetwork,
  addressBits,
  networkContains,
  protocolVersion,
  maxControlLineBytes,
  policyDocumentSchema,
  policyAckSchema,
  widenSchema,
  widenAckSchema,
  sandboxRequestSchema,
  restorePinsSchema,
  proxyListenSchema,
  dnsListenSchema,
  helperRoles,
  reportRequestSchema,
  reportPageSchema,
  healthSchema,
  nameRequestSchema,
  nameAnswerSchema,
  InTurn,
  closedRanges,
  ownRanges,
  isOpenedBy,
  isMetadataAddress,
  embeddedIpv4,
  embeddingNetworks,
  embeddedIpv4Network,
  askedName,
  proxiedPorts,
  compilePolicy,
  outcomeOf,
  refuseOlder,
  PolicyTable,
  systemClock
};
