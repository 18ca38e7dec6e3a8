import { parseGitConfig, writeGitConfig, type ConfigEntry } from './git-config.ts';

const secretKey = /token|secret|passw(?:or)?d|passphrase|apikey|extraheader|askpass|^sshcommand$|^smtppass$|^pass$/;
const secretHttpKey = /^(?:cookiefile|savecookies|(?:proxy)?ssl(?:key|cert).*)$/;
const secretValue = /\bauthorization:|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}/i;
const userInfo = /([a-z][a-z0-9+.-]*):\/\/([^\s/]*)@/gi;

export interface ConfigScrubbing {
  /** Whether a path that the config includes comes along; one that does not is named no more. */
  isInside: (includedPath: string) => boolean;
}

/** A git config without its credentials: the text itself when it has none, undefined when that can't be told. Text is bytes as `latin1`. */
export function scrubConfig(text: string, { isInside }: ConfigScrubbing): string | undefined {
  const entries = parseGitConfig(text);
  if (entries === undefined) return undefined;
  const kept: ConfigEntry[] = [];
  for (const entry of entries) {
    if (isCredential(entry)) continue;
    if (isInclude(entry) && !isInside(entry.value ?? '')) continue;
    const { subsection, value } = entry;
    kept.push({
      ...entry,
      subsection: subsection === undefined ? undefined : withoutUserInfo(subsection),
      value: value === undefined ? undefined : withoutUserInfo(value),
    });
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

/** URLs lose who to log in as: all of it for http and the like, only the password for ssh, which needs the name. */
export function withoutUserInfo(text: string): string {
  return text.replaceAll(userInfo, (_whole, scheme: string, user: string) => {
    const name = user.split(':')[0] ?? '';
    return /^(?:git\+)?ssh(?:\+git)?$/i.test(scheme) && name !== '' ? `${scheme}://${name}@` : `${scheme}://`;
  });
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
      secretValue.test(line) || /extraheader|askpass|password|token/i.test(line) || withoutUserInfo(line) !== line,
  );
}
