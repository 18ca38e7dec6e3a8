import { OffshootError } from '../../errors/offshoot-error.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import type { Runner } from '../../platform/run.ts';
import type { CaptureOptions, CaptureResult, VmSnapshotFiles } from '../vmm.ts';
import { makeDurable, removeCapture, syncFiles, takeDevices } from './capture-files.ts';
import { prepareCapture, type CaptureSource, type PreparedCapture } from './capture-preparation.ts';
import { duplicate, type Duplicated } from './duplicate.ts';
import { asFreezeError } from './freeze-error.ts';
import { readStatus } from './machine-monitor.ts';
import { readMachineRecord, writeMachineRecord, type MachineRecord } from './machine-record.ts';
import type { FreezerPort } from './memory-freezer-port.ts';
import { sealFile } from './overlay.ts';
import { QemuCapture } from './qemu-capture.ts';
import type { QmpClient } from './qmp-client.ts';
import { reconcile } from './reconcile.ts';
import { stampMemory, writeSnapshotRecord, type SnapshotLayer } from './snapshot-record.ts';

export interface CaptureTools extends CaptureSource {
  runner: Runner;
  method: 'clone' | 'copy';
}

/**
 * Duplicates a machine: what can be done before is done before; then, while the vCPUs stand still, device state, memory and disk of one
 * moment; then the rest. A failure takes everything back and the machine goes on.
 */
export async function captureMachine(
  tools: CaptureTools,
  qmp: QmpClient,
  into: VmSnapshotFiles,
  options: CaptureOptions,
): Promise<QemuCapture> {
  const { directory } = tools;
  let freezer: FreezerPort | undefined;
  try {
    options.signal?.throwIfAborted();
    const record = await readMachineRecord(directory);
    requireCapturable(record);
    const { running } = await readStatus(qmp);
    const prepared = await prepareCapture(tools, qmp, record, into, { method: tools.method, options });
    freezer = prepared.freezer;
    await faultPoint('capture.prepared');
    options.signal?.throwIfAborted();
    const wake = running && options.wake;
    const { pausedMs, method, parts, woken } = await duplicateBetween(qmp, prepared, { running, wake, options });
    await writeMachineRecord(directory, switched(record, prepared, running ? !wake : record.paused));
    await faultPoint('capture.woken');
    await sealFile(into.disk);
    await takeDevices(directory, into);
    await woken;
    return new QemuCapture({
      ...{ files: into, method, pauseParts: parts },
      pausedMs: running ? pausedMs : 0,
      saved: { hardware: record.hardware, layers: prepared.layers, foundation: record.foundation },
      complete: finish(tools, { record, prepared, into, options }),
    });
  } catch (error) {
    await freezer?.abandon();
    await removeCapture(into);
    await reconcile(qmp, directory).catch(() => undefined);
    throw asFreezeError(error, options.signal);
  }
}

/** The caller's own stops and starts are as close to those of the vCPUs as can be. */
async function duplicateBetween(
  qmp: QmpClient,
  prepared: PreparedCapture,
  { running, wake, options }: { running: boolean; wake: boolean; options: CaptureOptions },
): Promise<Duplicated & { woken: Promise<void> | undefined }> {
  const wakeUp = () => {
    const woken = options.afterWake?.();
    woken?.catch(() => undefined); // whoever awaits it hears of it
    return woken;
  };
  try {
    await options.beforeStop?.();
    const duplicated = await duplicate(qmp, prepared, { running, wake });
    return { ...duplicated, woken: wakeUp() };
  } catch (error) {
    await wakeUp();
    throw error;
  }
}

function requireCapturable({ capturable }: MachineRecord): void {
  if (capturable) return;
  throw new OffshootError('freeze-failed', { message: 'A template in the making can not be duplicated.' });
}

function switched(record: MachineRecord, { next }: PreparedCapture, paused: boolean): MachineRecord {
  return { ...record, chain: [next, ...record.chain], nextOverlay: record.nextOverlay + 1, paused };
}

interface CaptureUnderWay {
  record: MachineRecord;
  prepared: PreparedCapture;
  into: VmSnapshotFiles;
  options: CaptureOptions;
}

/** Writes the image while the source runs, and the record when all else is there. A failure removes the files. */
async function finish(
  tools: CaptureTools,
  { record, prepared, into, options }: CaptureUnderWay,
): Promise<CaptureResult> {
  try {
    const { touchedBytes, imageBytes } = await prepared.freezer.write();
    await faultPoint('capture.written');
    const layers = options.durable
      ? await makeDurable(tools.runner, into, prepared.layers, options.signal)
      : prepared.layers;
    options.signal?.throwIfAborted();
    await recordSnapshot(into, { record, layers, durable: options.durable });
    return { imageMiB: toMiB(imageBytes), touchedMiB: toMiB(touchedBytes) };
  } catch (error) {
    await prepared.freezer.abandon();
    await removeCapture(into);
    throw asFreezeError(error, options.signal);
  }
}

/** The last step: with it the snapshot is whole. */
export async function recordSnapshot(
  into: VmSnapshotFiles,
  { record, layers, durable }: { record: MachineRecord; layers: readonly SnapshotLayer[]; durable: boolean },
): Promise<void> {
  const memoryStamp = await stampMemory(into.memory);
  const { hardware, foundation } = record;
  const path = await writeSnapshotRecord(into.directory, { hardware, foundation, layers: [...layers], memoryStamp });
  if (durable) await syncFiles([path]);
}

export function toMiB(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
