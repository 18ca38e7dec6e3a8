import { join } from 'node:path';
import { faultPoint } from '../../platform/fault-points.ts';
import type { CaptureResult, VmExit, VmSnapshotFiles } from '../vmm.ts';
import { linkDisk, removeCapture, syncFiles, takeDevices } from './capture-files.ts';
import { openFreezer, type CaptureSource } from './capture-preparation.ts';
import { saveDevices } from './duplicate.ts';
import { asFreezeError } from './freeze-error.ts';
import { recordSnapshot, toMiB } from './machine-capture.ts';
import { anything, readStatus } from './machine-monitor.ts';
import { readMachineRecord, writeMachineRecord, type MachineLayer, type MachineRecord } from './machine-record.ts';
import type { FreezerPort } from './memory-freezer-port.ts';
import { sealFile } from './overlay.ts';
import { prepareDevicesFile } from './plan-machine.ts';
import type { QmpClient } from './qmp-client.ts';
import { terminateMachine } from './terminate.ts';

/** How long QEMU may take to close a disk that is flushed already. */
const quitMs = 10_000;

/**
 * Writes a paused machine's memory and device state and ends its process; its disk stays in its folder, linked into the snapshot, so that
 * other machines can be started from it as well. All of it survives a crash of the host. A failure before the process is ended leaves it paused.
 */
export async function hibernateMachine(
  source: CaptureSource,
  qmp: QmpClient,
  into: VmSnapshotFiles,
  ended: Promise<VmExit>,
): Promise<CaptureResult> {
  const { directory } = source;
  let freezer: FreezerPort | undefined;
  let saved = false;
  try {
    const record = await readMachineRecord(directory);
    const { status } = await readStatus(qmp);
    if (status !== 'paused' || !record.paused) throw new Error(`the machine is not paused but ${status}`);
    await prepareDevicesFile(directory, record);
    await saveDevices(qmp);
    await faultPoint('hibernate.saved');
    freezer = await openFreezer(source, record, into, { method: 'copy', options: { minAvailableMiB: 0 } });
    await freezer.freeze();
    const { imageBytes, touchedBytes } = await freezer.write();
    await takeDevices(directory, into);
    const chain = sealed(record.chain);
    const layers = await linkDisk(directory, { ...record, chain }, into);
    // Stopping flushed the disk into the files; this puts the files on disk.
    await syncFiles([into.memory, into.devices, into.overlaySeed, ...overlaysOf(directory, record)]);
    await recordSnapshot(into, { record, layers, durable: true });
    await writeMachineRecord(directory, { ...record, hibernated: chain }, true);
    await faultPoint('hibernate.written');
    saved = true;
    await quit(qmp, directory, ended);
    await syncFiles(overlaysOf(directory, record));
    await sealFile(into.disk);
    await faultPoint('hibernate.ended');
    return { imageMiB: toMiB(imageBytes), touchedMiB: toMiB(touchedBytes) };
  } catch (error) {
    await freezer?.abandon();
    if (!saved) await removeCapture(into);
    throw asFreezeError(error);
  }
}

async function quit(qmp: QmpClient, directory: string, ended: Promise<VmExit>): Promise<void> {
  // It may be gone before it answers.
  await qmp.execute('quit', {}, anything, quitMs).catch(() => undefined);
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, quitMs, 'late').unref());
  if ((await Promise.race([ended, late])) === 'late') await terminateMachine(directory, undefined);
}

/** The layers this machine wrote itself; the VMM that did has ended, so nobody can write them any more. */
function sealed(chain: readonly MachineLayer[]): MachineLayer[] {
  return chain.map((layer) => (layer.fdset === null ? { ...layer, sealed: true } : layer));
}

function overlaysOf(directory: string, { chain }: MachineRecord): string[] {
  return chain.filter(({ fdset }) => fdset === null).map(({ path }) => join(directory, path));
}
