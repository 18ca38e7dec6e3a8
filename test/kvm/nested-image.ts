import { randomUUID } from 'node:crypto';
import { access, link, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { runContained } from '../../hostd/guest/image/build/contain.ts';
import { digestOf } from '../../hostd/guest/image/build/plan.ts';
import { helperFlags } from '../../hostd/net/egress/gate/helper-flags.ts';
import { readImage } from '../../hostd/guest/image/image-folders.ts';
import { runChecked, systemRunner } from '../../hostd/platform/run.ts';
import { downloadTrixiePackages } from '../tiers/trixie-packages.ts';

const checkout = path.resolve(import.meta.dirname, '../..');

/** What hostd needs inside; socat carries its socket out. */
const packages = ['qemu-system-x86', 'qemu-utils', 'nftables', 'iproute2', 'kmod', 'socat'];

/** Of the checkout, besides the packages it needs at run time. */
const parts = ['package.json', 'hostd', 'build/native', 'build/agent/offshoot-agent'];

/** Node only interprets: code that is made at run time is translated again and again under emulation (seen: twice the time with it). */
export const innerNodeFlags = ['--no-opt', '--no-sparkplug', '--no-maglev', '--max-semi-space-size=16'];

/** Where the image `default` for the sandboxes inside is. */
export const innerImages = '/var/lib/inner/images';

/**
 * Makes the image `nested` beside the image `default` of a state directory: the same with hostd and QEMU in it, and `default` itself for the
 * sandboxes inside. Quick, because the disk is copied and furnished on the host.
 */
export async function makeNestedImage(stateDirectory: string): Promise<void> {
  const images = path.join(stateDirectory, 'images');
  const base = await readImage(images, 'default');
  const files = base.manifest.files;
  const from = (name: string) => path.join(base.directory, name);
  const nested = path.join(images, 'nested');
  await mkdir(nested);
  const disk = path.join(nested, files.rootDisk);
  await runChecked(systemRunner, 'cp', ['--sparse=always', '--reflink=auto', from(files.rootDisk), disk], {
    timeoutMs: 120_000,
  });
  for (const name of [files.kernel, files.initramfs, files.modules]) await link(from(name), path.join(nested, name));
  await furnish(disk, base.directory);
  const facts = {
    ...base.manifest,
    name: 'nested',
    fileSizesBytes: { ...base.manifest.fileSizesBytes, [files.rootDisk]: (await stat(disk)).size },
  };
  const manifest = { ...facts, digest: digestOf({ facts, build: randomUUID() }) };
  await writeFile(path.join(nested, 'manifest.json'), JSON.stringify(manifest), { mode: 0o644 });
}

async function furnish(disk: string, image: string): Promise<void> {
  const work = await mkdtemp(path.join(tmpdir(), 'offshoot-nested-'));
  try {
    const at = (name: string) => path.join(work, name);
    await mkdir(at('root'));
    await mkdir(at('packages'));
    const status = await runChecked(systemRunner, 'debugfs', ['-R', 'cat /var/lib/dpkg/status', disk]);
    for (const file of await downloadTrixiePackages(packages, status.stdout))
      await runChecked(systemRunner, 'cp', [file, at('packages')]);
    await writeFile(at('parts'), `${[...parts, ...(await productionPackages())].join('\n')}\n`);
    const script = path.join(import.meta.dirname, 'furnish-root.sh');
    const words = [
      disk,
      at('root'),
      at('packages'),
      checkout,
      at('parts'),
      image,
      innerNodeFlags.join(' '),
      helperFlags.join(' '),
    ];
    await runContained(systemRunner, 'sh', [script, ...words], { timeoutMs: 300_000 });
  } finally {
    // its mounts went with the namespace they were in
    await rm(work, { recursive: true, force: true });
  }
}

const lockSchema = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });

/** Folders of the npm packages that hostd runs on, the pinned Node among them. */
async function productionPackages(): Promise<string[]> {
  const lock = lockSchema.parse(JSON.parse(await readFile(path.join(checkout, 'package-lock.json'), 'utf8')));
  const wanted = Object.entries(lock.packages).filter(
    ([name, entry]) => /^node_modules\/.+/.test(name) && entry.dev !== true,
  );
  const present = await Promise.all(
    wanted.map(([name]) =>
      access(path.join(checkout, name)).then(
        () => [name],
        () => [],
      ),
    ),
  );
  const found = present.flat();
  // a package's folder brings those nested in it
  return found.filter((name) => !found.some((other) => name.startsWith(`${other}/node_modules/`)));
}
