import { parseGitConfig, writeGitConfig, type ConfigEntry } from './git-config.ts';

const secretKey =
  /token|secret|passw(?:or)?d|passphrase|api-?key|(?:access|private)-?key|extraheader|askpass|oauth|cookie|credential|^auth(?:orization)?$|^sshcommand$|^smtppass$|^pass$|^key$/;
const secretHttpKey = /^(?:savecookies|(?:proxy)?ssl(?:key|cert).*)$/;
const secretValue = new RegExp(
  [
    String.raw`\bauthorization:`,
    String.raw`\b[\w-]*-?(?:token|api-?key|access-?key|secret|password|cookie)["']?\s*[:=]\s*["']?[^\s&;#"']`,
    String.raw`--[\w-]*(?:token|secret|password|passwd|api-?key|access-?key|private-?key)\b`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
    `-----BEGIN [A-Z ]*PRIVATE KEY`,
  ].join('|'),
  'i',
);
const userInfo = /([a-z][a-z0-9+.-]*):\/\/([^\s/]*)@/gi;
/** A slash in a password ends the part of a URL that may hold one, for most readers: `user:pa/ss@host`. After a host comes a port or nothing. */
const brokenUserInfo = /([a-z][a-z0-9+.-]*):\/\/([^\s/@:]*):([^\s@]*)@/gi;
const parameters = /([?&;#])([\w.%-]+)=([^\s&;#"'<>]*)/g;
const secretParameter =
  /token|secret|passw(?:or)?d|passphrase|pwd|(?:api|access|private|account)[_-]?key|credential|signature|^(?:auth|authorization|sig|key|pass|jwt|code)$/i;

export interface ConfigScrubbing {
  /** Whether a path that the config includes comes along; one that does not is named no more. */
  isInside: (includedPath: string) => boolean;
}

/** A git config without its credentials: the text itself when it has none, undefined when that can't be told. Text is bytes as `latin1`. */
export function scrubConfig(text: string, { isInside }: ConfigScrubbing): string | undefined {
  const entries = parseGitConfig(text);
  if (entries === undefined) return undefined;
  const kept: ConfigEntry[] = [];
  for (const written of entries) {
    if (isInclude(written) && !isInside(written.value ?? '')) continue;
    const { subsection, value } = written;
    const entry = {
      ...written,
      subsection: subsection === undefined ? undefined : withoutCredentials(subsection),
      value: value === undefined ? undefined : cleanValue(written.key, value),
    };
    if (!isCredential(entry)) kept.push(entry);
  }
  const cleaned = writeGitConfig(kept);
  // comments can hold what the entries do
  const isClean = cleaned === writeGitConfig(entries) && !suspicious(text);
  return isClean ? text : cleaned;
}

/** The paths that a config includes, as they are written there. */
export function includedPaths(text: string): string[] {
  return (parseGitConfig(text) ?? []).filter(isInclude).flatMap(({ value }) => value ?? []);
}

/**
 * URLs lose who to log in as: all of it for http and the like, only the password for ssh, which needs the name; and parameters that are named like
 * credentials.
 */
export function withoutCredentials(text: string): string {
  return text
    .replaceAll(userInfo, (_whole, scheme: string, user: string) => withName(scheme, user.split(':')[0] ?? ''))
    .replaceAll(brokenUserInfo, (whole, scheme: string, name: string, rest: string) =>
      isHostAndPort(name, rest) ? whole : withName(scheme, name),
    )
    .replaceAll(parameters, (whole, mark: string, name: string) =>
      secretParameter.test(name) ? `${mark}${name}=` : whole,
    );
}

function withName(scheme: string, name: string): string {
  return /^(?:git\+)?ssh(?:\+git)?$/i.test(scheme) && name !== '' ? `${scheme}://${name}@` : `${scheme}://`;
}

/** Of `name:rest@`, with a slash in the rest: a path may have an @ too, but a user's name seldom has a dot and a password seldom begins as a port. */
function isHostAndPort(name: string, rest: string): boolean {
  return /^\d{0,5}[/?#]/.test(rest) && (/^localhost$|\./i.test(name) || name.startsWith('['));
}

/** A whole value can be one URL with blanks in its password, or a proxy without a scheme. */
function cleanValue(key: string, value: string): string {
  const blanks = /^((?:[\w-]+::)?[a-z][a-z0-9+.-]*:\/\/)[^/@]*:[^/@]*\s[^@]*@/i.exec(value);
  const text = blanks === null ? value : `${blanks[1] ?? ''}${value.slice(blanks[0].length)}`;
  return withoutCredentials(key.endsWith('proxy') && !text.includes('://') ? text.replace(/^.*@/s, '') : text);
}

function isInclude({ section, key }: ConfigEntry): boolean {
  return (section === 'include' || section === 'includeif') && key === 'path';
}

function isCredential({ section, subsection, key, value }: ConfigEntry): boolean {
  if (section === 'credential' || secretKey.test(key)) return true;
  if (section === 'http' && secretHttpKey.test(key)) return true;
  return secretValue.test(value ?? '') || secretValue.test(subsection ?? '');
}

function suspicious(text: string): boolean {
  const comments = text.split('\n').filter((line) => /[#;]/.test(line));
  return comments.some(
    (line) =>
      secretValue.test(line) ||
      /extraheader|askpass|passw(?:or)?d|token|secret|proxy\s*=.*@|\b(?:auth|pass|\w+key)\s*=/i.test(line) ||
      withoutCredentials(line) !== line,
  );
}
