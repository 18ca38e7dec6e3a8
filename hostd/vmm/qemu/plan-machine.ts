import { chown, copyFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Runner } from '../../platform/run.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { ColdStart, VmLaunch, VmSnapshotFiles, VmSnapshotOrigin } from '../vmm.ts';
import type { MachinePlan } from './command-line.ts';
import { firstLayerDescriptor } from './disk-chain.ts';
import { layerFile, machineFiles, overlayFile } from './machine-files.ts';
import { snapshotFormatVersion, type MachineLayer, type MachineRecord } from './machine-record.ts';
import { createEmptyImage, openToVmms } from './memory-image.ts';
import { copyOverlay, createOverlay, linkOrStay, ownOverlay } from './overlay.ts';
import type { QemuVersion } from './qemu-version.ts';
import { readDiskRecord, type SnapshotLayer } from './snapshot-record.ts';
import { initramfsOfWholePages } from './whole-pages.ts';

export interface PlanParts {
  runner: Runner;
  version: QemuVersion;
  origin: VmSnapshotOrigin;
}

/** What a machine is started with, and what a later hostd has to know of it. */
export interface PlannedMachine {
  plan: MachinePlan;
  record: MachineRecord;
}

/** A tap of this name lives in the empty network namespace of a machine that is given none. */
const privateTapName = 'offshoot0';

/** Makes the files of a machine that boots: from an image, or from the disk of a snapshot. */
export async function planCold(launch: VmLaunch, start: ColdStart, parts: PlanParts): Promise<PlannedMachine> {
  const { directory, shape, uid, gid } = launch;
  const seed = join(directory, machineFiles.overlaySeed);
  const { layers, foundation } = await coldLayers(launch, start, parts.runner);
  if (start.disk !== undefined) await linkOrCopy(start.disk.overlaySeed, seed);
  await copyOverlay(seed, join(directory, overlayFile(0)), launch);
  const memory = start.memoryFile ?? join(directory, machineFiles.memory);
  await createEmptyImage(memory, shape.memoryMiB);
  if (start.memoryFile === undefined)
    await openToVmms(memory, { memoryMiB: shape.memoryMiB, gid, version: parts.version });
  else await prepareSaving(start.memoryFile, directory, { uid, gid });
  const kind = start.memoryFile === undefined ? 'private-copy' : 'written-through';
  const boot = { ...start, initramfs: await initramfsOfWholePages(start.initramfs, directory) };
  return planned(launch, parts, { layers, foundation, overlay: 0, memory: { kind, path: memory }, boot });
}

/** The part of a plan that depends on how the machine starts. */
export interface PlanFacts {
  layers: readonly SnapshotLayer[];
  foundation: number;
  /** Number of the overlay it begins with. */
  overlay: number;
  memory: MachinePlan['memory'];
  boot: MachinePlan['boot'];
}

/** Puts a plan and its record together. */
export function planned(launch: VmLaunch, { origin }: PlanParts, facts: PlanFacts): PlannedMachine {
  const { shape, uid, gid, network } = launch;
  const overlay = { node: `overlay-${String(facts.overlay)}`, file: overlayFile(facts.overlay) };
  const layers = facts.layers.map((layer, index) => ({
    ...layer,
    node: `layer-${String(facts.layers.length - 1 - index)}`,
  }));
  const chain: MachineLayer[] = [
    { node: overlay.node, path: overlay.file, format: 'qcow2', sealed: false, fdset: null },
    ...layers.map((layer, index) => ({
      ...layer,
      path: relative(launch.directory, layer.path),
      fdset: firstLayerDescriptor + index,
    })),
  ];
  const link = network === undefined ? null : { guestMac: network.guestMac, mtu: network.mtu };
  const record: MachineRecord = {
    formatVersion: snapshotFormatVersion,
    hardware: { origin, cpus: shape.cpus, memoryMiB: shape.memoryMiB, link },
    ...{ uid, gid, chain, foundation: facts.foundation },
    nextOverlay: facts.overlay + 1,
    capturable: facts.memory.kind === 'private-copy',
    paused: false,
    hibernated: null,
  };
  const { memory, boot } = facts;
  return { plan: { shape, link: linkOf(launch), overlay, layers, memory, boot }, record };
}

/** Links the layers of a disk into a machine's folder, so that it needs nobody else's. */
export async function linkLayers(directory: string, layers: readonly SnapshotLayer[]): Promise<SnapshotLayer[]> {
  return Promise.all(
    layers.map(async (layer, index) => {
      const name = layerFile(layers.length - 1 - index, layer.format);
      return { ...layer, path: await linkOrStay(layer.path, join(directory, name)) };
    }),
  );
}

/** Gives a machine the seed of its overlays. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  if ((await linkOrStay(from, to)) === from) await copyFile(from, to);
}

async function coldLayers(
  launch: VmLaunch,
  { baseDisk, disk }: ColdStart,
  runner: Runner,
): Promise<{ layers: SnapshotLayer[]; foundation: number }> {
  const { directory, shape } = launch;
  if (disk !== undefined) {
    const { layers, foundation } = await readDisk(disk);
    return { layers: await linkLayers(directory, layers), foundation };
  }
  await requireRoomForBase(baseDisk, shape.diskMiB);
  await createOverlay(runner, join(directory, machineFiles.overlaySeed), baseDisk, shape.diskMiB);
  return { layers: await linkLayers(directory, [{ ...baseDisk, sealed: true }]), foundation: 1 };
}

async function readDisk(disk: VmSnapshotFiles): Promise<{ layers: SnapshotLayer[]; foundation: number }> {
  const record = await readDiskRecord(disk);
  if (record.layers.length > 0) return record;
  const message = 'This state of a sandbox has no disk of its own to boot from.';
  throw new OffshootError('boot-failed', { message, details: { reason: 'snapshot-missing' } });
}

/** The files that a template in the making writes its memory and device state to. */
async function prepareSaving(memory: string, directory: string, owner: { uid: number; gid: number }): Promise<void> {
  await chown(memory, owner.uid, owner.gid);
  await prepareDevicesFile(directory, owner);
}

/** An empty file for the VMM to write its device state to. */
export async function prepareDevicesFile(directory: string, owner: { uid: number; gid: number }): Promise<void> {
  const devices = join(directory, machineFiles.devices);
  await rm(devices, { force: true });
  await writeFile(devices, '', { mode: 0o600, flag: 'wx' });
  await ownOverlay(devices, owner);
}

// qemu-img would cut the file system off without a word, and the guest could not mount it.
async function requireRoomForBase(baseDisk: ColdStart['baseDisk'], diskMiB: number): Promise<void> {
  if (baseDisk.format !== 'raw') return;
  const baseMiB = Math.ceil((await stat(baseDisk.path)).size / 2 ** 20);
  if (baseMiB <= diskMiB) return;
  const message = `The disk (${String(diskMiB)} MiB) is smaller than that of its image (${String(baseMiB)} MiB).`;
  throw new OffshootError('boot-failed', { message, details: { reason: 'disk-too-small', imageDiskMiB: baseMiB } });
}

function linkOf({ network }: VmLaunch): MachinePlan['link'] {
  if (network === undefined) return undefined;
  return { guestMac: network.guestMac, mtu: network.mtu, tapName: network.tapName ?? privateTapName };
}
