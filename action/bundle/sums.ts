import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

export const sumsFile = 'SHA256SUMS';

/** All files beneath a folder, relative, sorted. */
export async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** Writes the sums of all files of a folder in the form of sha256sum(1). */
export async function writeSums(folder: string): Promise<void> {
  const lines: string[] = [];
  for (const file of await filesOf(folder)) {
    if (file !== sumsFile) lines.push(`${sha256(await readFile(path.join(folder, file)))}  ${file}\n`);
  }
  await writeFile(path.join(folder, sumsFile), lines.join(''));
}

/** What is wrong with a folder against its sums, a line for each file; empty when all is right. */
export async function checkSums(folder: string): Promise<string[]> {
  const text = await readFile(path.join(folder, sumsFile), 'utf8').catch(() => undefined);
  if (text === undefined) return [`${sumsFile} is missing`];
  const sums = new Map<string, string>();
  for (const line of text.split('\n')) {
    const match = /^([0-9a-f]{64}) {2}(.+)$/.exec(line);
    if (match?.[1] !== undefined && match[2] !== undefined) sums.set(match[2], match[1]);
  }
  const problems: string[] = [];
  for (const [file, sum] of sums) {
    const bytes = await readFile(path.join(folder, file)).catch(() => undefined);
    if (bytes === undefined) problems.push(`${file} is missing`);
    else if (sha256(bytes) !== sum) problems.push(`${file} is not what it was when it was bundled`);
  }
  // node would load or a shell would run what was put beside
  for (const file of await filesOf(folder)) {
    if (file !== sumsFile && !sums.has(file)) problems.push(`${file} does not belong there`);
  }
  return problems;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
