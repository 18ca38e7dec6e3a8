import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseDeb822, parseOneLine, type AptSource } from './sources.ts';

export interface HostRelease {
  /** `debian`, `ubuntu`, ... */
  id: string;
  codename: string;
}

/** The parts of a distribution that an image takes: the release, its updates and its security fixes. */
const suffixes = ['', '-updates', '-security'] as const;

/** Names under which a host may follow its own release. */
const movingNames = ['stable', 'oldstable', 'testing'];

/** Reads os-release(5) text. */
export function parseOsRelease(text: string): HostRelease {
  const value = (key: string) => new RegExp(`^${key}=["']?([^"'\\n]*)`, 'm').exec(text)?.[1] ?? '';
  return { id: value('ID'), codename: value('VERSION_CODENAME') };
}

/** Every repository that the host's apt is configured with, in apt's own order. `aptDirectory` is /etc/apt. */
export async function readHostSources(aptDirectory: string): Promise<AptSource[]> {
  const main = await readFile(path.join(aptDirectory, 'sources.list'), 'utf8').catch(() => '');
  const sources = parseOneLine(main);
  const parts = path.join(aptDirectory, 'sources.list.d');
  for (const name of (await readdir(parts).catch(() => [])).sort()) {
    if (name.endsWith('.list')) sources.push(...parseOneLine(await readFile(path.join(parts, name), 'utf8')));
    if (name.endsWith('.sources')) sources.push(...parseDeb822(await readFile(path.join(parts, name), 'utf8')));
  }
  return sources;
}

/**
 * The host's own mirrors with another suite of the same distribution. Undefined when the host is another distribution or names no
 * mirror of it: then the bootstrap tool's default is right. Repositories of third parties, backports and the like are left out.
 */
export function sourcesForSuite(
  hostSources: readonly AptSource[],
  host: HostRelease,
  target: { distribution: string; suite: string },
): AptSource[] | undefined {
  if (host.id !== target.distribution) return undefined;
  const own = hostSources.filter((source) => source.components.includes('main') && isDistributionKey(source.signedBy));
  const named = own.filter((source) => source.uris.some((uri) => archiveName(uri).startsWith(host.id)));
  const mapped = (named.length > 0 ? named : own).flatMap((source) => {
    const suites = source.suites.flatMap((suite) => mapSuite(suite, host.codename, target.suite) ?? []);
    const uris = source.uris.filter((uri) => /^(https?|file|ftp):/.test(uri));
    if (suites.length === 0 || uris.length === 0) return [];
    return [{ ...source, uris, suites, components: mainComponents(source.components) }];
  });
  return mapped.some((source) => source.suites.includes(target.suite)) ? mapped : undefined;
}

function mapSuite(suite: string, hostCodename: string, target: string): string | undefined {
  for (const base of [hostCodename, ...movingNames]) {
    const suffix = suffixes.find((candidate) => suite === `${base}${candidate}`);
    if (suffix !== undefined) return `${target}${suffix}`;
  }
  return undefined;
}

/** Ubuntu's `universe` holds what Debian has in main (pip, for one); non-free parts stay out. */
function mainComponents(components: readonly string[]): string[] {
  return components.filter((component) => component === 'main' || component === 'universe');
}

function isDistributionKey(signedBy: string | undefined): boolean {
  return signedBy === undefined || signedBy.includes('\n') || /(debian|ubuntu)-archive/.test(signedBy);
}

function archiveName(uri: string): string {
  return uri.replace(/\/+$/, '').split('/').at(-1) ?? '';
}
