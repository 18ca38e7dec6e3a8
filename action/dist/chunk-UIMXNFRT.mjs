import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);

// hostd/net/ipv4.ts
function parseIpv4(text) {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return void 0;
  const octets = match.slice(1).map(Number);
  if (octets.some((octet) => octet > 255)) return void 0;
  return octets.reduce((sum, octet) => sum * 256 + octet, 0);
}
function formatIpv4(address) {
  return [24, 16, 8, 0].map((shift) => address >>> shift & 255).join(".");
}
function parseIpv4Network(text) {
  const [addressText, prefixText, ...rest] = text.split("/");
  if (addressText === void 0 || prefixText === void 0 || rest.length > 0) return void 0;
  const base = parseIpv4(addressText);
  const prefixLength = /^\d{1,2}$/.test(prefixText) ? Number(prefixText) : 33;
  if (base === void 0 || prefixLength > 32) return void 0;
  if (base % networkSize({ base, prefixLength }) !== 0) return void 0;
  return { base, prefixLength };
}
function formatIpv4Network(network) {
  return `${formatIpv4(network.base)}/${String(network.prefixLength)}`;
}
function networkSize(network) {
  return 2 ** (32 - network.prefixLength);
}
function networksOverlap(one, other) {
  return one.base < other.base + networkSize(other) && other.base < one.base + networkSize(one);
}
function networkContains(outer, inner) {
  return outer.base <= inner.base && inner.base + networkSize(inner) <= outer.base + networkSize(outer);
}

export {
  parseIpv4,
  formatIpv4,
  parseIpv4Network,
  formatIpv4Network,
  networkSize,
  networksOverlap,
  networkContains
};
