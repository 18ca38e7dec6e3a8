import { refused, type Refused } from './refused.ts';

/** The port that a URL without one means. */
const schemePorts: Readonly<Record<string, number>> = {
  https: 443,
  wss: 443,
  http: 80,
  ws: 80,
  ssh: 22,
  git: 9418,
  ftp: 21,
};

/** Refuses what looks like a rule and is something else: URLs, mail and ssh addresses, list syntax, prefixes that do not exist. */
export function refuseShape(word: string): Refused | undefined {
  if (word.length > 300) return refused('is longer than a rule can be: 300 characters');
  if (/^auto:/i.test(word)) {
    return refused(
      'is filled in where its package manager is configured: by the command line, the SDK or the action, not by hostd',
    );
  }
  if (/^[|>][-+]?$/.test(word)) return refused('is the mark of a text in YAML: write only the rules');
  if (word === '\\')
    return refused('is the end of a line that goes on: leave it out, rules may stand on several lines');
  if (word === '-') return refused('is the mark of a list: write only the rules, one a line');
  if (/["'`«»\u2018-\u201f]/.test(word)) return refused('has quotes: write the rule without them');
  if (/[,;]$/.test(word)) return refused('ends with a separator: put blanks or line ends between rules');
  if (/;|,[^,]*[.:[]/.test(word))
    return refused('has a separator in its middle: put blanks or line ends between rules');
  if (/^!/.test(word)) return refused('would take something away: rules only allow, so leave it out');
  const url = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(word);
  if (url !== null) return refuseUrl((url[1] ?? '').toLowerCase(), url[2] ?? '');
  if (word.includes('@')) {
    return refused(
      `has a user name: a rule is only host and port, write \`${hostOf(word).replace(/:.*$/, '')}:22\` for ssh`,
    );
  }
  if (/[?#\\]/.test(word)) return refused('has a part that no host has: write only host and port');
  return undefined;
}

function refuseUrl(scheme: string, rest: string): Refused {
  const host = hostOf(rest);
  const path = /[/?#](.*)$/.exec(rest)?.[1] ?? '';
  const why = path === '' ? 'is a URL' : 'is a URL with a path, and a rule opens a whole host';
  return refused(host === '' ? `${why}: write a host and a port` : `${why}: write \`${ruleForUrl(scheme, host)}\``);
}

function ruleForUrl(scheme: string, host: string): string {
  const [, name = host, port] = /^(.*?)(?::(\d*))?$/.exec(host) ?? [];
  const plain = schemePorts[scheme];
  if (port === undefined || port === '') return plain === undefined ? `${name}:PORT` : `${name}:${String(plain)}`;
  if (Number(port) === plain) return `${name}:${port}`;
  if (plain === 443) return `tls:${name}:${port}`;
  return plain === 80 ? `http:${name}:${port}` : `${name}:${port}`;
}

/** What stands between `user@` and the path. */
function hostOf(text: string): string {
  return (/^[^/?#]*/.exec(text)?.[0] ?? '').replace(/^.*@/, '');
}
