import { lstatSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const mostLinks = 40;
/** Where any process of the machine can put a program, or where a path leads into one. */
const writableByAll = ['/proc', '/dev', '/sys', '/run', '/tmp', '/var/tmp'];
const writableByJob = ['GITHUB_WORKSPACE', 'RUNNER_TEMP', 'RUNNER_WORKSPACE', 'HOME', 'TMPDIR'];

/** Tells which folders a guest may put onto the runner's PATH: only those that neither the job nor a sandbox fills, wherever links lead. */
export class RunnerPath {
  readonly #closed: string[];

  /** `env`: the step's; `guestFilled`: further folders. */
  constructor(env: NodeJS.ProcessEnv, guestFilled: readonly string[]) {
    const ofJob = writableByJob.flatMap((name) => env[name] ?? []).filter((folder) => folder.startsWith('/'));
    const all = [...writableByAll, ...ofJob, homedir(), ...guestFilled.map((folder) => path.resolve(folder))];
    this.#closed = all.flatMap((folder) => [path.resolve(folder), ...(visited(folder)?.slice(-1) ?? [])]);
  }

  /** Of one entry of GITHUB_PATH, which may hold several folders with `:` between them. */
  allows(entry: string): boolean {
    return entry.split(':').every((folder) => {
      if (!folder.startsWith('/')) return false;
      const folders = visited(folder);
      return folders !== undefined && !folders.some((each) => this.#isClosed(each));
    });
  }

  #isClosed(folder: string): boolean {
    return this.#closed.some((closed) => folder === closed || folder.startsWith(closed === '/' ? '/' : `${closed}/`));
  }
}

/**
 * The real folders that an absolute path leads through, the last one where it ends; links are followed as far as anything exists, also those that lead to nothing
 * yet. On the way counts too, since links in /proc lead elsewhere for each process. Undefined when that can't be told: links in a circle, or a folder
 * that can't be searched.
 */
function visited(absolute: string): string[] | undefined {
  const rest = absolute.split('/').reverse();
  const folders = ['/'];
  let links = 0;
  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    if (name === '' || name === '.') continue;
    const here = folders.at(-1) ?? '/';
    const next = name === '..' ? path.dirname(here) : path.join(here, name);
    try {
      if (name === '..' || lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink() !== true) {
        folders.push(next);
        continue;
      }
      links += 1;
      if (links > mostLinks) return undefined;
      const target = readlinkSync(next);
      if (target.startsWith('/')) folders.push('/');
      rest.push(...target.split('/').reverse());
    } catch {
      return undefined;
    }
  }
  return folders;
}
