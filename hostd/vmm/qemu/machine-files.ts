import { join } from 'node:path';

/** Names of the files in a machine's folder; the launcher (native/launcher) writes and reads the same. */
export const machineFiles = {
  spec: 'launch.spec',
  launcherPid: 'launcher.pid',
  vmmPid: 'vmm.pid',
  exit: 'exit.json',
  qmpSocket: 'qmp.sock',
  agentSocket: 'agent.sock',
  /** What the driver has to know of the machine, whichever hostd asks; see machine-record.ts. */
  record: 'machine.json',
  /** Copied for each new overlay. */
  overlaySeed: 'seed.qcow2',
  /** The empty memory image of a machine that was booted cold. */
  memory: 'memory',
  /** That of a machine that was booted cold, when the image's own is no whole number of pages. */
  initramfs: 'initramfs',
  /** Where the VMM writes device state; empty until then, and the VMM's own, because it can make no file here. */
  devices: 'devices.state',
  console: { head: 'console.log', tail: 'console.tail.log', older: 'console.older.log' },
  vmmLog: { head: 'vmm.log', tail: 'vmm.tail.log', older: 'vmm.older.log' },
} as const;

/** A machine begins with overlay 0; each duplicate freezes the one in use and begins the next. */
export function overlayFile(number: number): string {
  return `overlay-${String(number)}.qcow2`;
}

/** The name under which a layer below the overlays is linked, counted from the bottom of the chain. */
export function layerFile(fromBottom: number, format: 'raw' | 'qcow2'): string {
  return `layer-${String(fromBottom)}.${format}`;
}

export function agentSocketPath(directory: string): string {
  return join(directory, machineFiles.agentSocket);
}

export function qmpSocketPath(directory: string): string {
  return join(directory, machineFiles.qmpSocket);
}
