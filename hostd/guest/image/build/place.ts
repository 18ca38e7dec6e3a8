import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Writes a guest file below `root`, in place of whatever is there: a symlink in the guest never leads to a file of the host. */
export async function placeFile(root: string, guestPath: string, content: string | Buffer, mode = 0o644): Promise<void> {
  const target = path.join(root, guestPath);
  await placeFolder(root, path.dirname(guestPath));
  await rm(target, { force: true });
  await writeFile(target, content, { flag: 'wx' });
  await chmod(target, mode); // whatever the umask of the host
}

/** Makes a guest folder and those above it, readable by all. */
export async function placeFolder(root: string, guestPath: string): Promise<void> {
  let folder = root;
  for (const part of guestPath.split('/').filter((name) => name !== '')) {
    folder = path.join(folder, part);
    if ((await stat(folder).catch(() => undefined)) !== undefined) continue;
    await mkdir(folder);
    await chmod(folder, 0o755);
  }
}
