import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/** Linux gives a process at most a quarter of its stack limit for arguments and environment; a larger file is none. */
const maxEnvironBytes = 8 * 1024 * 1024;
const maxAncestors = 8;

export interface MachineEnvOptions {
  /** The process whose environment is to be explained; default this one. */
  env?: NodeJS.ProcessEnv;
  parentPid?: number;
  procFolder?: string;
}

/**
 * The environment of the runner's own process, as it was started: what of a step's environment equals it comes from the machine, not from the workflow.
 * Processes in between, which have the step's own file commands in their environment, are passed over. Undefined when it can't be read: in a job container,
 * or when the runner has another user.
 */
export function readMachineEnv(options: MachineEnvOptions = {}): Record<string, string> | undefined {
  const { env = process.env, parentPid = process.ppid, procFolder = '/proc' } = options;
  let pid = parentPid;
  for (let generation = 0; generation < maxAncestors && pid > 0; generation++) {
    const found = readEnviron(`${procFolder}/${String(pid)}/environ`);
    if (found === undefined) return undefined;
    if (!isOfTheStep(found, env)) return found;
    pid = parentOf(`${procFolder}/${String(pid)}/stat`);
  }
  return undefined;
}

function isOfTheStep(found: Record<string, string>, env: NodeJS.ProcessEnv): boolean {
  return ['GITHUB_OUTPUT', 'GITHUB_ENV'].some((name) => found[name] !== undefined && found[name] === env[name]);
}

function readEnviron(file: string): Record<string, string> | undefined {
  const bytes = readBounded(file);
  if (bytes === undefined || bytes.length === 0) return undefined;
  const found: Record<string, string> = {};
  for (const entry of bytes.toString('utf8').split('\0')) {
    const equals = entry.indexOf('=');
    if (equals > 0) found[entry.slice(0, equals)] = entry.slice(equals + 1);
  }
  return found;
}

function readBounded(file: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, 'r');
    const chunks: Buffer[] = [];
    for (let total = 0; ;) {
      const chunk = Buffer.alloc(64 * 1024);
      const length = readSync(fd, chunk);
      if (length === 0) return Buffer.concat(chunks);
      total += length;
      if (total > maxEnvironBytes) return undefined;
      chunks.push(chunk.subarray(0, length));
    }
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function parentOf(statFile: string): number {
  try {
    // the program's name, in brackets, may hold anything; the parent is the second field behind it
    const fields = readFileSync(statFile, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[1] ?? 0);
  } catch {
    return 0;
  }
}
