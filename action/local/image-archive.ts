import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Root } from './root.ts';

/** The files of an image (hostd/guest/image/image.ts); nothing else comes out of an archive. */
const imageFiles = ['manifest.json', 'root.ext4', 'vmlinux', 'initramfs.cpio', 'modules.cpio'];
const archiveTimeoutMs = 300_000;

function filesIn(folder: string): { archive: string; sum: string } {
  return { archive: path.join(folder, 'image.tar.zst'), sum: path.join(folder, 'image.tar.zst.sha256') };
}

/** Packs an image into `folder`, with the holes of its disk as holes: the cache's own archives would store 8 GiB of zeros. */
export async function packImage(root: Root, image: string, folder: string): Promise<void> {
  const { archive, sum } = filesIn(folder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const tar = ['--create', '--sparse', '--sort=name', '--use-compress-program=zstd -3 -T0', '--file', archive];
  const options = { timeoutMs: archiveTimeoutMs };
  await root.mustRun('Packing the image', 'tar', [...tar, '--directory', image, ...imageFiles], options);
  await root.mustRun('Packing the image', 'chmod', ['644', archive]);
  await writeFile(sum, `${await sha256(archive)}\n`);
}

/** Unpacks what `packImage` has packed, into a new folder of root. Throws when its digest is another, or a part is missing or no plain file. */
export async function unpackImage(root: Root, folder: string, into: string): Promise<void> {
  const { archive, sum } = filesIn(folder);
  const wanted = (await readFile(sum, 'utf8')).trim();
  if ((await sha256(archive)) !== wanted) throw new Error('its digest is not the one it was saved with');
  await root.mustRun('Unpacking the image', 'mkdir', ['-m', '755', into]);
  const tar = ['--extract', '--no-same-owner', '--use-compress-program=zstd', '--file', archive];
  const options = { timeoutMs: archiveTimeoutMs };
  await root.mustRun('Unpacking the image', 'tar', [...tar, '--directory', into, ...imageFiles], options);
  for (const name of imageFiles) {
    if (!(await lstat(path.join(into, name))).isFile()) throw new Error(`its ${name} is no plain file`);
  }
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
