import { faultPoint } from '../../platform/fault-points.ts';
import type { PreparedCapture } from './capture-preparation.ts';
import { machineFiles } from './machine-files.ts';
import { anything } from './machine-monitor.ts';
import type { PauseParts } from './qemu-capture.ts';
import type { QmpClient } from './qmp-client.ts';

const saveTimeoutMs = 30_000;

export interface Duplicated {
  method: 'clone' | 'copy';
  /** From the request to stop to the answer that the vCPUs run. */
  pausedMs: number;
  parts: PauseParts;
}

/**
 * Device state, memory and disk of one moment. A machine that ran is woken before anything else when a step fails; the next overlay may be in
 * use then.
 */
export async function duplicate(
  qmp: QmpClient,
  { freezer, current, next }: PreparedCapture,
  { running, wake }: { running: boolean; wake: boolean },
): Promise<Duplicated> {
  const lap = stopwatch();
  try {
    if (running) await qmp.execute('stop', {}, anything, saveTimeoutMs);
    const stopMs = lap();
    await saveDevices(qmp);
    const saveMs = lap();
    await faultPoint('capture.stopped');
    const method = await freezer.freeze();
    const freezeMs = lap();
    await faultPoint('capture.frozen');
    await qmp.execute('blockdev-snapshot', { node: current.node, overlay: next.node }, anything);
    await faultPoint('capture.switched');
    if (wake) await qmp.execute('cont', {}, anything);
    const switchMs = lap();
    return { method, pausedMs: stopMs + saveMs + freezeMs + switchMs, parts: { stopMs, saveMs, freezeMs, switchMs } };
  } catch (error) {
    if (running) await qmp.execute('cont', {}, anything).catch(() => undefined);
    throw error;
  }
}

/** Has QEMU write its device state, without RAM; needs no Xen. QEMU may make no file in its folder, so the file is there already. */
export async function saveDevices(qmp: QmpClient): Promise<void> {
  const filename = machineFiles.devices;
  await qmp.execute('xen-save-devices-state', { filename, live: false }, anything, saveTimeoutMs);
}

function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const now = performance.now();
    const lapMs = now - last;
    last = now;
    return lapMs;
  };
}
