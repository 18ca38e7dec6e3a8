import { domainToASCII, domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import { askedName } from './asked-name.ts';
import { refused, type Refused } from './refused.ts';

export interface RuleName {
  /** A-label, lower case, without the trailing dot. */
  name: string;
  wildcard: boolean;
}

/** The host of a name rule, in any case, with or without a trailing dot, in Unicode or as A-labels. */
export function parseRuleName(text: string, allowPrivate: boolean): RuleName | Refused {
  const star = splitWildcard(text);
  if ('refused' in star) return star;
  const name = normalise(star.host);
  if (typeof name !== 'string') return name;
  if (name === 'localhost' || name.endsWith('.localhost')) {
    return refused('means the guest itself, which needs no rule: leave it out');
  }
  if (star.wildcard) {
    const tooWide = refuseSuffix(name, allowPrivate);
    if (tooWide !== undefined) return tooWide;
  }
  return { name, wildcard: star.wildcard };
}

function splitWildcard(text: string): { host: string; wildcard: boolean } | Refused {
  if (!text.includes('*')) return { host: text, wildcard: false };
  if (/^[*.]+$/.test(text)) {
    return refused('would allow every host: name the hosts, or use mode `audit` or `open` to allow all');
  }
  const host = text.startsWith('*.') ? text.slice(2) : '';
  if (host !== '' && !host.includes('*')) return { host, wildcard: true };
  const domain = /([^*.]+(?:\.[^*.]+)+)\.?$/.exec(text)?.[1] ?? 'example.org';
  return refused(`has a \`*\` that is not the whole first label: write \`*.${domain}\`, it takes any depth`);
}

function normalise(text: string): string | Refused {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text;
  if (bare === '') return refused('names no host: write `host` or `host:port`');
  if (bare.includes('%')) return refused('has a `%`: write the name in plain letters, and an address without a zone');
  // eslint-disable-next-line no-control-regex -- the range of ASCII
  const name = /^[\x00-\x7f]*$/.test(bare) ? bare.toLowerCase() : domainToASCII(bare);
  if (name === '')
    return refused('is no host name that every program reads in the same way: write it as it stands in DNS');
  const badLabel = refuseLabels(name);
  if (badLabel !== undefined) return badLabel;
  return refuseUnstable(bare, name) ?? name;
}

function refuseLabels(name: string): Refused | undefined {
  if (name.length > 253) return refused('is longer than a host name can be: 253 characters');
  const labels = name.split('.');
  if (labels.includes('')) return refused('has an empty label, `..` or a dot in front: write one dot between labels');
  const long = labels.find((label) => label.length > 63);
  if (long !== undefined) return refused('has a label of more than 63 characters, which no name in DNS has');
  if (askedName(name) !== undefined) return undefined;
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) {
    return refused('ends in a number, as no name does: write an IPv4 address as four decimal numbers');
  }
  return refused('is no host name: labels have letters, digits, `-` and `_`, and no `-` at either end');
}

/** A name has to come out of IDNA (UTS 46) as it went in, but for case: no invisible or look-alike characters that are dropped or replaced, no A-label that is none. */
function refuseUnstable(given: string, name: string): Refused | undefined {
  if (!name.split('.').some((label) => label.startsWith('xn--')) && given.toLowerCase() === name) return undefined;
  const shown = domainToUnicode(name);
  if (domainToASCII(shown) !== name || shown.split('.').some((label) => label.startsWith('xn--'))) {
    return refused('does not survive IDN: its `xn--` part stands for no name, so write the name in its own letters');
  }
  const asGiven = given.normalize('NFC').toLowerCase().normalize('NFC');
  if (asGiven === shown || asGiven === name) return undefined;
  return refused(`does not survive IDN: it has characters that are replaced or dropped, so write \`${name}\``);
}

/** Public suffixes by the list of publicsuffix.org, the part that registries run: below them strangers own the names. */
function refuseSuffix(name: string, allowPrivate: boolean): Refused | undefined {
  const { publicSuffix, isIcann } = parse(`x.${name}`, { validateHostname: false, allowPrivateDomains: false });
  if (publicSuffix !== name) return undefined;
  if (isIcann === true) {
    return refused(`would allow every host under ${name}: name a domain, as in \`*.example.${name}\``);
  }
  if (allowPrivate) return undefined;
  return refused(
    `would allow a whole top-level domain: where it is your network's own, put the word \`private\` after the rule`,
  );
}
