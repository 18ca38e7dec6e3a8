import { chmod, chown, copyFile, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../platform/durable-file.ts';
import { runChecked, type Runner } from '../../platform/run.ts';
import type { VmSnapshotFiles } from '../vmm.ts';
import { layerFile, machineFiles } from './machine-files.ts';
import type { MachineRecord } from './machine-record.ts';
import { linkOrStay } from './overlay.ts';
import { linkOrCopy } from './plan-machine.ts';
import { absoluteLayer, snapshotRecordPath, type SnapshotLayer } from './snapshot-record.ts';

const copyTimeoutMs = 30 * 60_000;

/**
 * Gives the machine's layers names in the snapshot's folder, the overlay in use among them: it is what will be frozen. The two folders are on
 * one file system.
 */
export async function linkDisk(
  directory: string,
  record: MachineRecord,
  into: VmSnapshotFiles,
): Promise<SnapshotLayer[]> {
  await linkOrCopy(join(directory, machineFiles.overlaySeed), into.overlaySeed);
  return Promise.all(
    record.chain.map(async (machineLayer, index) => {
      const layer = absoluteLayer(directory, machineLayer);
      const name = layerFile(record.chain.length - 1 - index, layer.format);
      return { ...layer, path: await linkOrStay(layer.path, index === 0 ? into.disk : join(into.directory, name)) };
    }),
  );
}

/** Device state as the VMM wrote it, now nobody's to change. */
export async function takeDevices(directory: string, into: VmSnapshotFiles): Promise<void> {
  await copyFile(join(directory, machineFiles.devices), into.devices);
  await chown(into.devices, 0, 0);
  await chmod(into.devices, 0o600);
}

/**
 * Makes the files ones that are kept: what a running VMM made becomes a copy of its own (a taken-over one may hold a descriptor), sparse, and
 * shared extents where the file system can; then all is on disk but the record. Machines already started keep what they opened.
 */
export async function makeDurable(
  runner: Runner,
  into: VmSnapshotFiles,
  layers: readonly SnapshotLayer[],
  signal: AbortSignal | undefined,
): Promise<SnapshotLayer[]> {
  const own = [...layers.filter(({ sealed }) => !sealed).map(({ path }) => path), into.overlaySeed];
  for (const path of own) await replaceByCopy(runner, path, signal);
  await syncFiles([...layers.map(({ path }) => path), into.overlaySeed, into.devices, into.memory]);
  return layers.map((layer) => ({ ...layer, sealed: true }));
}

/** Writes files, and the names in their folders, to disk. */
export async function syncFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const file = await open(path, 'r');
    await file.sync().finally(() => file.close());
  }
  for (const directory of new Set(paths.map((path) => dirname(path)))) await syncDirectory(directory);
}

/** Takes back everything a capture put into its folder. */
export async function removeCapture(into: VmSnapshotFiles): Promise<void> {
  const layers = (await readdir(into.directory).catch(() => [])).filter((name) => /^layer-\d+\./.test(name));
  const paths = [into.memory, into.devices, into.disk, into.overlaySeed, snapshotRecordPath(into.directory)];
  const copies = [...paths, ...layers.map((name) => join(into.directory, name))].map((path) => `${path}.new`);
  await Promise.all(
    [...paths, ...copies, ...layers.map((name) => join(into.directory, name))].map((path) => rm(path, { force: true })),
  );
}

async function replaceByCopy(runner: Runner, path: string, signal: AbortSignal | undefined): Promise<void> {
  const copy = `${path}.new`;
  const args = ['--reflink=auto', '--sparse=always', '--', path, copy];
  await runChecked(runner, 'cp', args, { timeoutMs: copyTimeoutMs, ...(signal === undefined ? {} : { signal }) });
  await chmod(copy, 0o400);
  await rename(copy, path);
}
