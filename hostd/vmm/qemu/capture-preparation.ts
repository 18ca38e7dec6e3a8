import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaptureOptions, VmSnapshotFiles } from '../vmm.ts';
import { linkDisk } from './capture-files.ts';
import { memoryDescriptor } from './command-line.ts';
import { overlayNode } from './disk-chain.ts';
import { machineFiles, overlayFile } from './machine-files.ts';
import { anything } from './machine-monitor.ts';
import type { MachineLayer, MachineRecord } from './machine-record.ts';
import { openToVmms } from './memory-image.ts';
import type { FreezerPort, OpenFreezer } from './memory-freezer-port.ts';
import { copyOverlay } from './overlay.ts';
import { prepareDevicesFile } from './plan-machine.ts';
import type { QemuVersion } from './qemu-version.ts';
import type { QmpClient } from './qmp-client.ts';
import type { SnapshotLayer } from './snapshot-record.ts';
import { recordedProcess } from './terminate.ts';

/** The machine a capture is of, and the tools for it. */
export interface CaptureSource {
  directory: string;
  version: QemuVersion;
  openFreezer: OpenFreezer;
}

export interface PreparedCapture {
  freezer: FreezerPort;
  /** The overlay in use, which will be frozen. */
  current: MachineLayer;
  /** The overlay the source goes on with, not in use yet. */
  next: MachineLayer;
  layers: SnapshotLayer[];
}

/** Everything of a capture that need not happen while the vCPUs stand still. A failure leaves the next overlay behind. */
export async function prepareCapture(
  source: CaptureSource,
  qmp: QmpClient,
  record: MachineRecord,
  into: VmSnapshotFiles,
  how: { method: 'clone' | 'copy'; options: CaptureOptions },
): Promise<PreparedCapture> {
  const { directory } = source;
  const [current] = record.chain;
  if (current === undefined) throw new Error('the record of the machine names no disk');
  const opening = openFreezer(source, record, into, how);
  const [opened, ...others] = await Promise.allSettled([
    opening,
    linkDisk(directory, record, into),
    addOverlay(directory, qmp, record),
    prepareDevicesFile(directory, record),
  ]);
  const failed = [opened, ...others].find((result) => result.status === 'rejected');
  const [linked, added] = others;
  if (
    opened.status === 'fulfilled' &&
    linked.status === 'fulfilled' &&
    added.status === 'fulfilled' &&
    failed === undefined
  ) {
    return { freezer: opened.value, current, next: added.value, layers: linked.value };
  }
  if (opened.status === 'fulfilled') await opened.value.abandon();
  throw failed?.reason;
}

/** Starts the helper that will duplicate a machine's memory, over the image QEMU has open. */
export async function openFreezer(
  source: CaptureSource,
  record: MachineRecord,
  into: VmSnapshotFiles,
  { method, options }: { method: 'clone' | 'copy'; options: Pick<CaptureOptions, 'minAvailableMiB' | 'signal'> },
): Promise<FreezerPort> {
  const vmm = await recordedProcess(source.directory, machineFiles.vmmPid);
  if (vmm === undefined) throw new Error('there is no record of the VMM');
  const { minAvailableMiB, signal } = options;
  const freezer = await source.openFreezer({
    source: vmm,
    basePath: `/proc/${String(vmm.pid)}/fd/${String(memoryDescriptor)}`,
    imagePath: into.memory,
    method,
    minAvailableMiB,
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const { memoryMiB } = record.hardware;
    await openToVmms(into.memory, { memoryMiB, gid: record.gid, version: source.version });
    return freezer;
  } catch (error) {
    await freezer.abandon();
    throw error;
  }
}

async function addOverlay(directory: string, qmp: QmpClient, record: MachineRecord): Promise<MachineLayer> {
  const file = overlayFile(record.nextOverlay);
  const node = `overlay-${String(record.nextOverlay)}`;
  const path = join(directory, file);
  await rm(path, { force: true });
  await copyOverlay(join(directory, machineFiles.overlaySeed), path, record);
  await qmp.execute('blockdev-add', overlayNode({ node, file }, null), anything);
  return { node, path: file, format: 'qcow2', sealed: false, fdset: null };
}
