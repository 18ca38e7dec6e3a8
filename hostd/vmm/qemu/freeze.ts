import { chmod, chown, copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Runner } from '../../platform/run.ts';
import type { VmSnapshotFiles } from '../vmm.ts';
import { machineFiles, qmpSocketPath } from './machine-files.ts';
import { createOverlay } from './overlay.ts';
import { QmpClient } from './qmp-client.ts';
import { mapsReadOnlyMemoryFiles, type QemuVersion } from './qemu-version.ts';
import { snapshotFormatVersion, stampMemory, writeSnapshotRecord, type SnapshotRecord } from './snapshot-record.ts';

const connectTimeoutMs = 5000;
const saveTimeoutMs = 30_000;
const statusSchema = z.object({ status: z.string() });

/** Stops the vCPUs, has QEMU write its device state and the disk's last blocks, and tells it to end. What `directory` then holds is final. */
export async function saveAndQuit(directory: string): Promise<void> {
  const qmp = await QmpClient.connect(qmpSocketPath(directory), connectTimeoutMs);
  try {
    await qmp.execute('stop', {}, z.unknown(), saveTimeoutMs);
    const { status } = await qmp.execute('query-status', {}, statusSchema);
    if (status !== 'paused') throw new Error(`the machine can't be saved in the state ${status}`);
    // Device state alone, without RAM; needs no Xen. QEMU may make no file in its folder, so this one is there already.
    await qmp.execute(
      'xen-save-devices-state',
      { filename: machineFiles.devices, live: false },
      z.unknown(),
      saveTimeoutMs,
    );
    // It may be gone before it answers; its exit code tells.
    await qmp.execute('quit', {}, z.unknown(), saveTimeoutMs).catch(() => undefined);
  } finally {
    qmp.close();
  }
}

export interface SnapshotParts {
  /** The folder of the machine that was saved. */
  machineDirectory: string;
  into: VmSnapshotFiles;
  /** The group of all VMMs: it may map the memory image. */
  gid: number;
  version: QemuVersion;
  record: Omit<SnapshotRecord, 'formatVersion' | 'memoryStamp'>;
}

/** Moves what a saved machine left into a snapshot, makes the seed of overlays, and syncs all of it; the record is written last. */
export async function completeSnapshot(runner: Runner, parts: SnapshotParts): Promise<void> {
  const { into, machineDirectory, gid } = parts;
  await mkdir(into.directory, { recursive: true });
  await moveFile(join(machineDirectory, machineFiles.devices), into.devices);
  await moveFile(join(machineDirectory, machineFiles.overlay), into.disk);
  for (const path of [into.devices, into.disk]) {
    await chown(path, 0, 0);
    await chmod(path, 0o400);
  }
  await rm(into.overlaySeed, { force: true });
  await createOverlay(runner, into.overlaySeed, { path: into.disk, format: 'qcow2' }, undefined);
  await chown(into.memory, 0, gid);
  await chmod(into.memory, mapsReadOnlyMemoryFiles(parts.version) ? 0o640 : 0o660);
  for (const path of [into.memory, into.devices, into.disk, into.overlaySeed]) await sync(path);
  const memoryStamp = await stampMemory(into.memory);
  await sync(
    await writeSnapshotRecord(into.directory, { ...parts.record, formatVersion: snapshotFormatVersion, memoryStamp }),
  );
  for (const directory of new Set([into.directory, dirname(into.memory)])) await sync(directory);
}

async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error;
    await copyFile(from, to);
    await rm(from);
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
