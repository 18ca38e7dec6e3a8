import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '../../platform/process-identity.ts';
import type { RestoreStart, VmLaunch } from '../vmm.ts';
import { compatibilityOf } from './compatibility.ts';
import { machineFiles, overlayFile } from './machine-files.ts';
import { readMachineRecord } from './machine-record.ts';
import { copyOverlay, sealFile } from './overlay.ts';
import { linkLayers, linkOrCopy, planned, type PlannedMachine, type PlanParts } from './plan-machine.ts';
import { QemuCapture } from './qemu-capture.ts';
import {
  absoluteLayer,
  readSnapshotRecord,
  refusal,
  requireSameHardware,
  type SnapshotLayer,
  type SnapshotRecord,
} from './snapshot-record.ts';
import { recordedProcess } from './terminate.ts';

type SavedMachine = Pick<SnapshotRecord, 'hardware' | 'layers' | 'foundation'>;

/** Makes the files of a machine that goes on from a snapshot, after checking that it is whole, untouched and of this very machine. */
export async function planRestore(launch: VmLaunch, start: RestoreStart, parts: PlanParts): Promise<PlannedMachine> {
  const { shape, network } = launch;
  const saved = start.capture instanceof QemuCapture ? start.capture.saved : await readWhole(start);
  const { restorable, reason } = compatibilityOf(saved.hardware.origin, parts.origin);
  if (restorable === 'no') throw refusal('snapshot-mismatch', `The snapshot can not be restored here. ${reason}`);
  const link = network === undefined ? null : { guestMac: network.guestMac, mtu: network.mtu };
  requireSameHardware(saved.hardware, { cpus: shape.cpus, memoryMiB: shape.memoryMiB, link });
  const disk = start.overlay === 'continue' ? await continuedDisk(launch) : await freshDisk(launch, start, saved);
  const { snapshot, capture } = start;
  const result = planned(launch, parts, {
    ...disk,
    foundation: saved.foundation,
    memory: { kind: 'private-copy', path: snapshot.memory },
    boot: { kind: 'restore', devices: snapshot.devices, deferred: capture !== undefined },
  });
  return start.overlay === 'continue' ? keepHibernated(launch, result) : result;
}

// One that is not this driver's own has nothing to plan by until it is whole.
async function readWhole({ snapshot, capture }: RestoreStart): Promise<SnapshotRecord> {
  await capture?.complete;
  return readSnapshotRecord(snapshot);
}

interface PlannedDisk {
  layers: SnapshotLayer[];
  overlay: number;
}

async function freshDisk(launch: VmLaunch, { snapshot }: RestoreStart, saved: SavedMachine): Promise<PlannedDisk> {
  const seed = join(launch.directory, machineFiles.overlaySeed);
  const layers = await linkLayers(launch.directory, saved.layers);
  await linkOrCopy(snapshot.overlaySeed, seed);
  await copyOverlay(seed, join(launch.directory, overlayFile(0)), launch);
  return { layers, overlay: 0 };
}

/**
 * The disk as it was when the machine was saved stays as it is, under a new overlay: a start that fails can be tried again. What an earlier
 * try left is removed.
 */
async function continuedDisk({ directory, uid, gid }: VmLaunch): Promise<PlannedDisk> {
  const record = await readMachineRecord(directory).catch((error: unknown) => {
    throw refusal('overlay-missing', 'The machine’s own disk is not in its folder.', error);
  });
  const vmm = await recordedProcess(directory, machineFiles.vmmPid);
  if (vmm !== undefined && (await isAlive(vmm))) throw refusal('still-running', 'The machine has not ended.');
  const saved = record.hibernated;
  if (saved === null) throw refusal('overlay-missing', 'The machine was not saved with its disk in its folder.');
  const kept = new Set(saved.map(({ path }) => path));
  for (const name of await readdir(directory)) {
    if (/^overlay-\d+\.qcow2$/.test(name) && !kept.has(name)) await rm(join(directory, name));
  }
  const [top] = saved;
  if (top !== undefined) await sealFile(join(directory, top.path));
  const overlay = 1 + Math.max(...saved.map(({ path }) => Number(/^overlay-(\d+)\./.exec(path)?.[1] ?? -1)));
  await copyOverlay(join(directory, machineFiles.overlaySeed), join(directory, overlayFile(overlay)), { uid, gid });
  return { layers: saved.map((layer) => absoluteLayer(directory, layer)), overlay };
}

async function keepHibernated({ directory }: VmLaunch, result: PlannedMachine): Promise<PlannedMachine> {
  const { hibernated } = await readMachineRecord(directory);
  return { ...result, record: { ...result.record, hibernated } };
}
