import { join } from 'node:path';

/** Names of the files in a machine's folder; the launcher (native/launcher) writes and reads the same. */
export const machineFiles = {
  spec: 'launch.spec',
  launcherPid: 'launcher.pid',
  vmmPid: 'vmm.pid',
  exit: 'exit.json',
  qmpSocket: 'qmp.sock',
  agentSocket: 'agent.sock',
  overlay: 'overlay.qcow2',
  /** Where the VMM writes device state; empty until then, and the VMM's own, because it can make no file here. */
  devices: 'devices.state',
  console: { head: 'console.log', tail: 'console.tail.log', older: 'console.older.log' },
  vmmLog: { head: 'vmm.log', tail: 'vmm.tail.log', older: 'vmm.older.log' },
} as const;

export function agentSocketPath(directory: string): string {
  return join(directory, machineFiles.agentSocket);
}

export function qmpSocketPath(directory: string): string {
  return join(directory, machineFiles.qmpSocket);
}
