import { randomUUID } from 'node:crypto';
import { link, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkout } from '../../action/bundle/layout.ts';
import { makeBundle } from '../../action/bundle/make-bundle.ts';
import { runContained } from '../../hostd/guest/image/build/contain.ts';
import { digestOf } from '../../hostd/guest/image/build/plan.ts';
import { helperFlags } from '../../hostd/net/egress/gate/helper-flags.ts';
import { readImage } from '../../hostd/guest/image/image-folders.ts';
import { runChecked, systemRunner } from '../../hostd/platform/run.ts';
import { downloadTrixiePackages } from '../tiers/trixie-packages.ts';

/** What hostd needs inside; socat carries its socket out. */
const packages = ['qemu-system-x86', 'qemu-utils', 'nftables', 'iproute2', 'kmod', 'socat'];

/** Node only interprets: code that is made at run time is translated again and again under emulation (seen: twice the time with it). */
const innerNodeFlags = ['--no-opt', '--no-sparkplug', '--no-maglev', '--max-semi-space-size=16'];

/** Node and the command of the bundle inside. */
export const innerOffshoot = [
  '/opt/offshoot/node',
  '--disable-warning=ExperimentalWarning',
  ...innerNodeFlags,
  '/opt/offshoot/offshoot.mjs',
].join(' ');

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
    // Modules one by one take Node twice as long, and inside that is half a minute.
    await makeBundle(checkout, at('bundle'));
    const script = path.join(import.meta.dirname, 'furnish-root.sh');
    const words = [
      disk,
      at('root'),
      at('packages'),
      process.execPath,
      at('bundle'),
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
