import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);
import {
  isMetadataAddress,
  isPrivateAddress,
  listOf
} from "./chunk-7WZNFVLZ.mjs";

// hostd/platform/stopwatch.ts
var Stopwatch = class {
  #parts;
  #lastMs = performance.now();
  /** `earlier` is what the `toJSON` of another one gave. */
  constructor(earlier = {}) {
    this.#parts = new Map(Object.entries(earlier));
  }
  /** Ends the part that began at the last lap; without a name that time is dropped. */
  lap(name) {
    const nowMs = performance.now();
    if (name !== void 0) this.add(name, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }
  /** A part somebody else measured. */
  add(name, durationMs) {
    this.#parts.set(name, (this.#parts.get(name) ?? 0) + durationMs);
  }
  entries() {
    return [...this.#parts];
  }
  /** `{ "first output": 12.3, ... }` in milliseconds. */
  toJSON() {
    return Object.fromEntries(this.entries().map(([name, ms]) => [name, Math.round(ms * 10) / 10]));
  }
};

// hostd/client/egress/opening-rules.ts
import { isIPv4 } from "node:net";
function openingRules({ denied, policy }) {
  const byRule = /* @__PURE__ */ new Map();
  for (const denial of denied) {
    for (const rule of rulesThatOpen(denial, policy.allow)) {
      if (!byRule.has(rule)) byRule.set(rule, { rule, denial });
    }
  }
  return [...byRule.values()];
}
function rulesThatOpen(denial, allow) {
  if (denial.reason === "private-range") return byAddress(denial);
  return denial.reason === "rebind" ? byName(denial, allow) : [];
}
var neverNamed = listOf(["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4"]);
var resolverPort = 53;
function byAddress({ address, port, transport }) {
  if (address === null || !isIPv4(address) || isMetadataAddress(address) || neverNamed.check(address)) return [];
  if (port === null || port === 0 || port === resolverPort) return [];
  return [`${transport === "udp" ? "udp:" : ""}${address}:${String(port)}`];
}
function byName(denial, allow) {
  const { name, address, port } = denial;
  if (name === null || !isHostName(name)) return [];
  if (address !== null && (!isPrivateAddress(address) || !isIPv4(address) || isMetadataAddress(address))) return [];
  const ofName = allow.flatMap((rule) => nameRule(rule, name.toLowerCase()) ?? []);
  const ofPort = ofName.filter(({ ports }) => port === null || ports === "*" || ports === String(port));
  const open = ofPort.find(({ isPrivate }) => isPrivate);
  if (open !== void 0) return byAddress({ ...denial, port: port ?? (Number(open.ports) || 443) });
  if (ofPort.length === 0) return [`${name}:${String(port ?? 443)} private`];
  return [...new Set(ofPort.map(({ prefix, ports }) => `${prefix}${name}:${ports} private`))];
}
function nameRule(rule, name) {
  const [, prefix = "", host = "", ports = "", word] = /^([a-z]+:)?([^:]+):(\d+|\*)( private)?$/.exec(rule) ?? [];
  const fits = host.startsWith("*.") ? name.endsWith(host.slice(1)) : name === host;
  return fits ? { prefix, ports, isPrivate: word !== void 0 } : void 0;
}
function isHostName(name) {
  return name.length <= 253 && /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(name);
}

export {
  Stopwatch,
  openingRules,
  rulesThatOpen
};
