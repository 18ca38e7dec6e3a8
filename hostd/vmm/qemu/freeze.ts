import { chown, mkdir, rename, copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { VmSnapshotFiles } from '../vmm.ts';
import { syncFiles } from './capture-files.ts';
import { saveDevices } from './duplicate.ts';
import { layerFile, machineFiles } from './machine-files.ts';
import { anything, readStatus, type MachineMonitor } from './machine-monitor.ts';
import { readMachineRecord } from './machine-record.ts';
import { openToVmms } from './memory-image.ts';
import { linkOrStay, sealFile } from './overlay.ts';
import type { QemuVersion } from './qemu-version.ts';
import { absoluteLayer, stampMemory, writeSnapshotRecord } from './snapshot-record.ts';

const saveTimeoutMs = 30_000;

/** Stops the vCPUs, has QEMU write its device state and the disk's last blocks, and tells it to end. What its folder then holds is final. */
export async function saveAndQuit(monitor: MachineMonitor): Promise<void> {
  await monitor.session(async (qmp) => {
    await qmp.execute('stop', {}, anything, saveTimeoutMs);
    const { status } = await readStatus(qmp);
    if (status !== 'paused') throw new Error(`the machine can't be saved in the state ${status}`);
    await saveDevices(qmp);
    // It may be gone before it answers; its exit code tells.
    await qmp.execute('quit', {}, anything, saveTimeoutMs).catch(() => undefined);
  });
}

export interface SnapshotParts {
  /** The folder of the machine that was saved. */
  machineDirectory: string;
  into: VmSnapshotFiles;
  version: QemuVersion;
}

/** Moves what a saved machine left into a template and syncs all of it; the record is written last. Every layer of it is the template's. */
export async function completeSnapshot({ into, machineDirectory, version }: SnapshotParts): Promise<void> {
  const machine = await readMachineRecord(machineDirectory);
  const [overlay, ...below] = machine.chain.map((layer) => absoluteLayer(machineDirectory, layer));
  if (overlay === undefined) throw new Error('the record of the machine names no disk');
  await mkdir(into.directory, { recursive: true });
  await moveFile(join(machineDirectory, machineFiles.devices), into.devices);
  await moveFile(overlay.path, into.disk);
  await moveFile(join(machineDirectory, machineFiles.overlaySeed), into.overlaySeed);
  for (const path of [into.devices, into.disk]) await sealFile(path);
  await chown(into.overlaySeed, 0, 0);
  const linked = await Promise.all(
    below.map(async (layer, index) => {
      const name = layerFile(below.length - 1 - index, layer.format);
      return { ...layer, path: await linkOrStay(layer.path, join(into.directory, name)) };
    }),
  );
  const { hardware, gid } = machine;
  await openToVmms(into.memory, { memoryMiB: hardware.memoryMiB, gid, version });
  await syncFiles([into.memory, into.devices, into.disk, into.overlaySeed]);
  const layers = [{ path: into.disk, format: 'qcow2' as const, sealed: true }, ...linked];
  const memoryStamp = await stampMemory(into.memory);
  await syncFiles([
    await writeSnapshotRecord(into.directory, { hardware, layers, foundation: layers.length, memoryStamp }),
  ]);
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
