import path from 'node:path';
import type { HelperRole } from './messages.ts';

export interface HelperFiles {
  folder: string;
  /** Held by the helper for as long as it lives. */
  lock: string;
  /** Who holds it: pid and start time, as JSON. */
  identity: string;
  controlSocket: string;
  /** Of its last run: what it said before it died. */
  log: string;
}

/** Where a state directory keeps what belongs to the helpers. */
export function gateFolder(stateDirectory: string): string {
  return path.join(stateDirectory, 'gate');
}

export function helperFiles(folder: string, role: HelperRole): HelperFiles {
  const file = (ending: string) => path.join(folder, `${role}.${ending}`);
  return { folder, lock: file('lock'), identity: file('json'), controlSocket: file('sock'), log: file('log') };
}

/** Where the resolver answers the proxy. */
export function namesSocket(folder: string): string {
  return path.join(folder, 'names.sock');
}

/** What is pinned, for a resolver that starts after one that died. */
export function pinsFile(folder: string): string {
  return path.join(folder, 'pins.json');
}
