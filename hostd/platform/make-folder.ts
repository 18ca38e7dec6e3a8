import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, with `mode` for the new ones. Throws the system's error. Node's own recursive form is not used: it
 * never returns for a path that can not be made beneath /proc, and on a read-only file system it says ENOENT (seen with Node 24).
 */
export function makeFolder(path: string, mode = 0o755): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // another process may have been faster
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
