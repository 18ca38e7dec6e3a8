import { domainToASCII } from 'node:url';
import { isIPv4, isIPv6 } from 'node:net';
import { addressBits, formatAddress, networkContains, parseNetwork, type Network } from './address.ts';
import { closedRanges, isMetadataAddress } from './closed-ranges.ts';
import { embeddedIpv4, embeddedIpv4Network } from './embedded-ipv4.ts';
import { refused, type Refused } from './refused.ts';

/** The parts of a rule as they were written, an IPv6 address without its brackets. */
interface WrittenRule {
  prefix: string | undefined;
  host: string;
  bracketed: boolean;
  ports: string | undefined;
}

/** The network of an address rule, `192.0.2.1` or `192.0.2.0/24`, brackets taken off; undefined for text that is meant as a name. */
export function parseRuleNetwork(rule: WrittenRule): Network | Refused | undefined {
  const { host: text, bracketed } = rule;
  const [address = ''] = text.split('/');
  if (bracketed && address.includes('%')) {
    return refused('has a zone, which means nothing outside its own machine: write an address without `%`');
  }
  if (bracketed && !isIPv6(address)) {
    return refused('has no IPv6 address in its brackets: write `[2001:db8::1]:443`, or leave them out');
  }
  if (!bracketed && !isIPv4(address)) return refuseOddIpv4(address);
  const network = parseNetwork(text);
  if (network === undefined) {
    return refused(`has no prefix length after \`/\`: write 0 to ${bracketed ? '128' : '32'} without leading zeros`);
  }
  return refuseNetwork(network) ?? (text.includes('/') ? undefined : refuseMetadata(network, rule)) ?? network;
}

/** No program reads it as a number: its last label begins with a letter. To ask the URL parser takes ten times as long. */
const plainName = /^(?:[a-z0-9_-]+\.)*(?!xn--)[a-z][a-z0-9_-]*\.?$/i;

/** Hexadecimal, octal, short and whole-number forms, which programs take for one address or another. */
export function refuseOddIpv4(text: string): Refused | undefined {
  if (plainName.test(text)) return undefined;
  const read = text.includes('*') || text.includes('%') ? '' : domainToASCII(text);
  if (!isIPv4(read)) return undefined;
  return refused(`is another way to write the address ${read}: write that, four decimal numbers`);
}

function refuseNetwork(network: Network): Refused | undefined {
  const { family, base, prefixLength } = network;
  if (embeddedIpv4Network(network)) {
    const ipv4 = embeddedIpv4({ family, value: base });
    const instead = prefixLength === 128 && ipv4 !== undefined ? `\`${formatAddress(ipv4)}\`` : 'those';
    return refused(`stands for IPv4 addresses, which are what is looked at: write ${instead}`);
  }
  for (const { kind, network: closed } of closedRanges) {
    if (!networkContains(closed, network)) continue;
    const why = unreachable[kind];
    if (why !== undefined) return refused(why);
  }
  if (networkContains(thisNetwork, network)) return refused('is no address that a host has: write the one you mean');
  if (networkContains(linkLocalIpv6, network)) return refused('does not leave its own link: write a routed address');
  return undefined;
}

/** One has to be spelled out, with its prefix length. */
function refuseMetadata({ family, base, prefixLength }: Network, written: WrittenRule): Refused | undefined {
  if (prefixLength !== addressBits(family) || !isMetadataAddress({ family, value: base })) return undefined;
  const address = formatAddress({ family, value: base });
  const full = family === 4 ? `${address}/32` : `[${address}]/128`;
  const { prefix, ports } = written;
  const rule = `${prefix === 'udp' ? 'udp:' : ''}${full}${ports === undefined ? '' : `:${ports}`}`;
  return refused(`is a metadata service, which hands out credentials: to open it all the same, write \`${rule}\``);
}

const unreachable: Readonly<Record<string, string | undefined>> = {
  loopback: 'means the guest itself, which needs no rule: leave it out',
  multicast: 'is multicast, which does not leave the guest: write addresses of single hosts',
};
const thisNetwork: Network = { family: 4, base: 0n, prefixLength: 8 };
const linkLocalIpv6: Network = { family: 6, base: 0xfe80n << 112n, prefixLength: 10 };
