import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { z } from 'zod';

const packageSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
});

/** Folders of the packages that code was taken from, sorted: `node_modules/a`, `node_modules/a/node_modules/@scope/b`. */
export function bundledPackages(metafile: Metafile): string[] {
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  const folders = used.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** Name, version and licence text of each. Throws when a package has neither a licence file nor a licence in package.json. */
export async function renderLicences(root: string, folders: readonly string[]): Promise<string> {
  const sections = new Map<string, string>();
  for (const folder of folders) {
    const directory = path.join(root, folder);
    const about = packageSchema.parse(JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8')));
    const text = await licenceText(directory);
    if (text === undefined && about.license === undefined) throw new Error(`${folder} has no licence`);
    const title = `${about.name} ${about.version} (${about.license ?? 'see below'})`;
    sections.set(title, text ?? `No licence file in the package; its package.json says ${String(about.license)}.`);
  }
  const intro = 'Code of these packages is in the files of this folder, under their licences.\n';
  const ordered = [...sections].sort(([a], [b]) => (a < b ? -1 : 1));
  return [intro, ...ordered.map(([title, text]) => `${'='.repeat(80)}\n${title}\n\n${text}\n`)].join('\n');
}

async function licenceText(directory: string): Promise<string | undefined> {
  const names = (await readdir(directory)).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name)).sort();
  if (names.length === 0) return undefined;
  const texts = await Promise.all(names.map((name) => readFile(path.join(directory, name), 'utf8')));
  return texts.map((text) => text.replaceAll('\r\n', '\n').trim()).join('\n\n');
}
