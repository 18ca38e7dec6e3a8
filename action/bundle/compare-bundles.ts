import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { binaries, toolchainFile } from './layout.ts';
import { filesOf, sumsFile } from './sums.ts';

const rebuild = 'Run `npm run bundle` and commit action/dist.';

/** What differs between a committed bundle and one made now, in words that say what to do; empty when they are the same. */
export async function compareBundles(committed: string, made: string): Promise<string[]> {
  const [before, after] = [await filesOf(committed).catch(() => []), await filesOf(made)];
  if (before.length === 0) return [`There is no bundle in ${committed}. ${rebuild}`];
  const differing: string[] = [];
  for (const file of [...new Set([...before, ...after])].sort()) {
    if (!(await same(path.join(committed, file), path.join(made, file)))) differing.push(file);
  }
  // the sums follow from the rest, and the toolchain matters only for what it made
  const telling = differing.filter((file) => file !== sumsFile && file !== toolchainFile);
  const compiled = telling.filter((file) => file in binaries);
  const others = telling.filter((file) => !(file in binaries));
  const problems: string[] = [];
  if (others.length > 0) problems.push(`The bundle is not what its sources make: ${others.join(', ')}. ${rebuild}`);
  if (compiled.length > 0) problems.push(await explainBinaries(compiled, committed, made));
  if (telling.length === 0 && differing.includes(sumsFile) && !differing.includes(toolchainFile)) {
    problems.push(`${sumsFile} does not fit the files. ${rebuild}`);
  }
  return problems;
}

async function explainBinaries(files: readonly string[], committed: string, made: string): Promise<string> {
  const [before, now] = await Promise.all([committed, made].map((folder) => toolchain(folder)));
  const what = `The binaries ${files.join(', ')} are not what their sources make`;
  if (before === now) return `${what}. ${rebuild}`;
  return `${what} here, which another compiler may explain: they were made with ${String(before)}, this machine has ${String(now)}. Compare on a machine with the former, or: ${rebuild}`;
}

async function toolchain(folder: string): Promise<string> {
  const text = await readFile(path.join(folder, toolchainFile), 'utf8').catch(() => 'an unknown compiler');
  return text.trim().split('\n').join(', ');
}

async function same(a: string, b: string): Promise<boolean> {
  try {
    const [first, second] = await Promise.all([readFile(a), readFile(b)]);
    const modes = await Promise.all([stat(a), stat(b)]);
    return first.equals(second) && (modes[0].mode & 0o100) === (modes[1].mode & 0o100);
  } catch {
    return false;
  }
}
