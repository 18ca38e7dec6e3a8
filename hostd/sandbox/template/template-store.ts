import { readFile, readdir, rm, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../../platform/durable-file.ts';
import type { VmSnapshotFiles } from '../../vmm/vmm.ts';
import { templateFormat } from './template-key.ts';

/** templates/ID/manifest.json: written last, so a template without it does not exist. */
const manifestSchema = z.object({
  format: z.literal(templateFormat),
  id: z.string(),
  key: z.string(),
  image: z.string(),
  imageDigest: z.string(),
  agentBuild: z.string(),
  restoreKey: z.string(),
  shape: z.object({ cpus: z.number().int(), memoryMiB: z.number().int(), diskMiB: z.number().int() }),
  storedMiB: z.number(),
  createdAt: z.iso.datetime(),
});
export type TemplateManifest = z.output<typeof manifestSchema>;

export interface Template {
  readonly manifest: TemplateManifest;
  readonly files: VmSnapshotFiles;
  /** Sandboxes and creates that stand on its files: they keep them. */
  users: number;
  /** Restores in a row that failed. */
  failures: number;
  lastUsedMs: number;
  /** No new users; removed with the last one. */
  retired: boolean;
}

const manifestName = 'manifest.json';

export function templateFiles(directory: string): VmSnapshotFiles {
  return {
    directory,
    memory: join(directory, 'memory'),
    devices: join(directory, 'devices'),
    disk: join(directory, 'disk.qcow2'),
    overlaySeed: join(directory, 'overlay-seed.qcow2'),
  };
}

/** What the folder of templates holds: whole ones, and names of folders that are none. */
export async function readTemplates(root: string): Promise<{ templates: Template[]; debris: string[] }> {
  const templates: Template[] = [];
  const debris: string[] = [];
  for (const name of await readdir(root)) {
    const template = await readTemplate(join(root, name)).catch(() => undefined);
    if (template?.manifest.id === name) templates.push(template);
    else debris.push(name);
  }
  return { templates, debris };
}

async function readTemplate(directory: string): Promise<Template> {
  const path = join(directory, manifestName);
  const manifest = manifestSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  const files = templateFiles(directory);
  for (const file of [files.memory, files.devices, files.disk, files.overlaySeed]) await stat(file);
  return newTemplate(manifest, files, (await stat(path)).mtimeMs);
}

function newTemplate(manifest: TemplateManifest, files: VmSnapshotFiles, lastUsedMs: number): Template {
  return { manifest, files, users: 0, failures: 0, lastUsedMs, retired: false };
}

/** Makes a template of files that are complete and on disk. */
export async function writeManifest(
  files: VmSnapshotFiles,
  facts: Omit<TemplateManifest, 'format' | 'storedMiB' | 'createdAt'>,
  nowMs: number,
): Promise<Template> {
  const manifest: TemplateManifest = {
    ...facts,
    format: templateFormat,
    storedMiB: await storedMiB(files),
    createdAt: new Date(nowMs).toISOString(),
  };
  await writeDurably(join(files.directory, manifestName), JSON.stringify(manifest));
  return newTemplate(manifest, files, nowMs);
}

async function storedMiB(files: VmSnapshotFiles): Promise<number> {
  const stats = await Promise.all(
    [files.memory, files.devices, files.disk, files.overlaySeed].map((path) => stat(path)),
  );
  const bytes = stats.reduce((sum, { blocks }) => sum + blocks * 512, 0);
  return Math.round((bytes / 1024 / 1024) * 10) / 10;
}

/** Remembers the use across restarts; the caller does not wait and does not care. */
export async function touchTemplate(template: Template, nowMs: number): Promise<void> {
  template.lastUsedMs = nowMs;
  await utimes(join(template.files.directory, manifestName), nowMs / 1000, nowMs / 1000).catch(() => undefined);
}

/** From here on it is no template any more, also for a later hostd; its files stay for those who use them. */
export async function unmakeTemplate(directory: string): Promise<void> {
  await unlink(join(directory, manifestName)).catch(() => undefined);
}

export async function removeTemplate(directory: string): Promise<void> {
  await unmakeTemplate(directory);
  await rm(directory, { recursive: true, force: true });
}
