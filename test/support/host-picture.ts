import { readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { systemRunner } from '../../hostd/platform/run.ts';

/** Everything on this machine that a sandbox could leave behind, as comparable lines. */
export interface HostPicture {
  processes: string[];
  netns: string[];
  links: string[];
  rules: string[];
  mounts: string[];
  cgroups: string[];
  /** Memory images of forks. */
  images: string[];
}

/** What Offshoot starts: a VMM, its launcher, or on node a hostd, a resolver, a proxy. */
const ownPrograms = /\/(qemu-system-[a-z0-9_]+|build\/native\/(launcher|freeze))( \(deleted\))?$/;
/** A program that was started through its loader is one of the loader's first words. */
const loaders = /\/ld-[^/]*\.so[^/]*( \(deleted\))?$/;
const ownScript = /hostd\/(cli\/main|net\/egress\/gate\/(resolver|proxy)-process)\.ts$|\/egress-(resolver|proxy)\.mjs$/;

/** Takes the picture; compare two with `comparePictures`. */
export async function takeHostPicture(): Promise<HostPicture> {
  const [processes, netns, links, rules, mounts, cgroups, images] = await Promise.all([
    ownProcesses(),
    readdir('/run/netns').catch(() => []),
    output('ip', ['-o', 'link', 'show']).then((text) => lines(text).map((line) => line.split(': ')[1] ?? line)),
    output('nft', ['list', 'ruleset']).then(rulesOf),
    readFile('/proc/self/mounts', 'utf8').then((text) =>
      lines(text).map((line) => line.split(' ').slice(0, 3).join(' ')),
    ),
    ownCgroups(),
    ownImages(),
  ]);
  return { processes, netns, links, rules, mounts, cgroups, images };
}

/**
 * Of lines about what was left, those about one hostd: its network instance, its state directory or its other folders. For suites that have
 * both to themselves and do not want to hear of others on the machine.
 */
export function ofHostd(
  leftovers: readonly string[],
  hostd: { instance: string; folders: readonly string[] },
): string[] {
  const named = new RegExp(`[-_]${hostd.instance}(?![A-Za-z0-9])`);
  const kinds = /^(netns|links|rules|mounts|cgroups|images): /;
  return leftovers.filter(
    (line) => hostd.folders.some((folder) => line.includes(folder)) || (kinds.test(line) && named.test(line)),
  );
}

/** What is in the second picture and was not in the first. */
export function comparePictures(before: HostPicture, after: HostPicture): string[] {
  return (Object.keys(before) as (keyof HostPicture)[]).flatMap((kind) => {
    const known = new Map<string, number>();
    for (const line of before[kind]) known.set(line, (known.get(line) ?? 0) + 1);
    return after[kind]
      .filter((line) => {
        const left = known.get(line) ?? 0;
        known.set(line, left - 1);
        return left < 1;
      })
      .map((line) => `${kind}: ${line}`);
  });
}

async function ownProcesses(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(describeProcess));
  return found.filter((line) => line !== undefined);
}

async function describeProcess(pid: string): Promise<string | undefined> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const words = commandLine.split('\0').filter((word) => word !== '');
  const executable = await readlink(`/proc/${pid}/exe`).catch(() => '');
  const program = programOf(executable, words);
  if (!ownPrograms.test(program) && !words.slice(0, 6).some((word) => ownScript.test(word))) return undefined;
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
  return `${pid} ${[program, ...words.slice(1, 6)].join(' ')} in ${folder}`;
}

/** The program that a process runs, given what /proc calls its executable and the words of its command line. */
export function programOf(executable: string, words: readonly string[]): string {
  if (!loaders.test(executable)) return executable;
  return words.slice(1, 8).findLast((word) => ownPrograms.test(word)) ?? executable;
}

/** Each line of a ruleset with the table it stands in. */
export function rulesOf(ruleset: string): string[] {
  let table = '';
  return lines(ruleset).map((line) => {
    table = /^table (\S+ \S+) \{/.exec(line)?.[1] ?? table;
    return `${table}: ${line.trim().replace(/packets \d+ bytes \d+/, '')}`;
  });
}

async function ownImages(): Promise<string[]> {
  const names = await readdir('/dev/shm', { recursive: true }).catch(() => []);
  return names.filter((name) => name.startsWith('offshoot-'));
}

async function ownCgroups(): Promise<string[]> {
  const roots = await readdir('/sys/fs/cgroup').catch(() => []);
  const found: string[] = [];
  for (const controller of roots) {
    const names = await readdir(path.join('/sys/fs/cgroup', controller)).catch(() => []);
    found.push(...names.filter((name) => name.includes('offshoot')).map((name) => `${controller}/${name}`));
  }
  return found;
}

async function output(command: string, args: string[]): Promise<string> {
  const result = await systemRunner.run(command, args).catch(() => undefined);
  return result?.stdout ?? '';
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
