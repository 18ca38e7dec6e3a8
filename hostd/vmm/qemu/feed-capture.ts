import type { VmCapture } from '../vmm.ts';
import { incomingUri } from './command-line.ts';
import { anything, MachineMonitor } from './machine-monitor.ts';
import type { QemuVersion } from './qemu-version.ts';

const loadTimeoutMs = 30_000;
/** One of many machines that start together may be long in coming to its monitor. */
const startTimeoutMs = 60_000;

/**
 * Lets a machine that was started over an unfinished image load its device state once the image is whole; until then it has touched none of
 * its memory. Rejects as the capture does.
 */
export async function feedCapture(directory: string, version: QemuVersion, capture: VmCapture): Promise<void> {
  await new MachineMonitor(directory, startTimeoutMs).session(async (qmp) => {
    await capture.complete;
    await qmp.execute('migrate-incoming', { uri: incomingUri(version) }, anything, loadTimeoutMs);
  });
}
