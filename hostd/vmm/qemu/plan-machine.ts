import { chown, open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { Runner } from '../../platform/run.ts';
import type { ColdStart, RestoreStart, VmLaunch } from '../vmm.ts';
import type { MachinePlan } from './command-line.ts';
import { machineFiles } from './machine-files.ts';
import { copyOverlay, createOverlay, ownOverlay } from './overlay.ts';
import { readSnapshotRecord, requireSameMachine, type SnapshotRecord } from './snapshot-record.ts';

/** A tap of this name lives in the empty network namespace of a machine that is given none. */
const privateTapName = 'offshoot0';

/** Makes a machine's own files in its folder and says what it is started with. */
export async function planMachine(launch: VmLaunch, restoreKey: string, runner: Runner): Promise<MachinePlan> {
  const plan =
    launch.start.kind === 'cold'
      ? await planCold(launch, launch.start, runner)
      : await planRestore(launch, launch.start, restoreKey);
  await ownOverlay(plan.overlayPath, launch.uid, launch.gid);
  return plan;
}

/** What must be the same at a restore as it was at the cold start. */
export function machineIdentity(
  { shape, network }: VmLaunch,
  restoreKey: string,
): Pick<SnapshotRecord, 'restoreKey' | 'cpus' | 'memoryMiB' | 'link'> {
  const link = network === undefined ? null : { guestMac: network.guestMac, mtu: network.mtu };
  return { restoreKey, cpus: shape.cpus, memoryMiB: shape.memoryMiB, link };
}

/** Makes the overlay, and for a template in the making the files its memory and device state go to. */
async function planCold(launch: VmLaunch, start: ColdStart, runner: Runner): Promise<MachinePlan> {
  const { directory, shape, uid, gid } = launch;
  const overlayPath = join(directory, machineFiles.overlay);
  await requireRoomForBase(start, shape.diskMiB);
  await createOverlay(runner, overlayPath, start.baseDisk, shape.diskMiB);
  if (start.memoryFile !== undefined) {
    const memory = await open(start.memoryFile, 'wx', 0o600);
    await memory.truncate(shape.memoryMiB * 2 ** 20).finally(() => memory.close());
    await chown(start.memoryFile, uid, gid);
    const devices = join(directory, machineFiles.devices);
    await writeFile(devices, '', { mode: 0o600, flag: 'wx' });
    await chown(devices, uid, gid);
  }
  return {
    shape,
    link: linkOf(launch),
    overlayPath,
    layers: [start.baseDisk],
    memory:
      start.memoryFile === undefined ? { kind: 'anonymous' } : { kind: 'written-through', path: start.memoryFile },
    boot: start,
  };
}

// qemu-img would cut the file system off without a word, and the guest could not mount it.
async function requireRoomForBase({ baseDisk }: ColdStart, diskMiB: number): Promise<void> {
  if (baseDisk.format !== 'raw') return;
  const baseMiB = Math.ceil((await stat(baseDisk.path)).size / 2 ** 20);
  if (baseMiB <= diskMiB) return;
  const message = `The disk (${String(diskMiB)} MiB) is smaller than that of its image (${String(baseMiB)} MiB).`;
  throw new OffshootError('boot-failed', { message, details: { reason: 'disk-too-small', imageDiskMiB: baseMiB } });
}

/** Checks that the snapshot is whole, untouched and of this very machine, and copies its overlay. */
async function planRestore(launch: VmLaunch, { snapshot }: RestoreStart, restoreKey: string): Promise<MachinePlan> {
  const { directory, shape } = launch;
  const overlayPath = join(directory, machineFiles.overlay);
  const record = await readSnapshotRecord(snapshot);
  requireSameMachine(record, machineIdentity(launch, restoreKey));
  await copyOverlay(snapshot.overlaySeed, overlayPath);
  return {
    shape,
    link: linkOf(launch),
    overlayPath,
    layers: [{ path: snapshot.disk, format: 'qcow2' }, record.baseDisk],
    memory: { kind: 'private-copy', path: snapshot.memory },
    boot: { kind: 'restore', devices: snapshot.devices },
  };
}

function linkOf({ network }: VmLaunch): MachinePlan['link'] {
  if (network === undefined) return undefined;
  return { guestMac: network.guestMac, mtu: network.mtu, tapName: network.tapName ?? privateTapName };
}
