import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { renderDeb822 } from '../apt/sources.ts';
import { linkPackages } from '../apt/package-cache.ts';
import { renderAptForHost } from '../host/apt.ts';
import { installation } from '../../../platform/installation.ts';
import { runContained } from './contain.ts';
import { rootOf, stepTimeoutMs, type BuildContext } from './context.ts';

/** dpkg in the guest skips what nobody reads in a build, and does not sync a disk that is thrown away. */
export const dpkgOptions = [
  'path-exclude=/usr/share/doc/*',
  'path-include=/usr/share/doc/*/copyright',
  'path-exclude=/usr/share/man/*',
  'path-exclude=/usr/share/info/*',
  'path-exclude=/usr/share/lintian/*',
  'path-exclude=/usr/share/locale/*',
  'force-unsafe-io',
];

export function kernelDownloads(context: BuildContext): string {
  return path.join(context.workDirectory, 'kernel');
}

/** Where a root directory keeps the .deb files it was made from. */
export function archivesOf(root: string): string {
  return path.join(root, 'var/cache/apt/archives');
}

/** Fills the root directory with the suite and its packages, and downloads the kernel's packages beside it. */
export async function bootstrap(context: BuildContext): Promise<void> {
  const { plan, workDirectory } = context;
  const [root, kernel] = [rootOf(context), kernelDownloads(context)];
  await mkdir(archivesOf(root), { recursive: true });
  await mkdir(kernel, { recursive: true });
  await linkPackages(context.packageCache, archivesOf(root));
  const settings = path.join(workDirectory, 'apt.conf');
  await writeFile(settings, `${renderAptForHost(context.host.aptSettings)}APT::Sandbox::User "root";\nAcquire::Languages "none";\n`, {
    mode: 0o600,
  });
  await runContained(context.runner, 'mmdebstrap', await bootstrapArguments(context, settings), {
    timeoutMs: stepTimeoutMs,
    onLine: context.onLine,
    env: {
      ...process.env,
      OFFSHOOT_KERNEL_PACKAGE: plan.suite.kernelPackage,
      OFFSHOOT_KERNEL_INTO: kernel,
      OFFSHOOT_PACKAGE_CACHE: context.packageCache,
    },
  });
  await rm(path.join(root, 'etc/apt/apt.conf.d/99mmdebstrap'), { force: true });
}

async function bootstrapArguments(context: BuildContext, settings: string): Promise<string[]> {
  const { plan, workDirectory } = context;
  const sources = path.join(workDirectory, 'offshoot.sources');
  if (plan.aptSources !== undefined) await writeFile(sources, renderDeb822(plan.aptSources), { mode: 0o600 });
  return [
    '--mode=root',
    '--format=directory',
    '--variant=minbase',
    `--include=${plan.packages.join(',')}`,
    `--aptopt=${settings}`,
    ...dpkgOptions.map((option) => `--dpkgopt=${option}`),
    // The .deb files stay until they are moved to the cache; the root is not empty because they lie in it from the start.
    '--skip=check/empty,essential/unlink,cleanup/apt/cache',
    `--customize-hook=${installation.downloadKernelScript}`,
    plan.suite.name,
    rootOf(context),
    ...(plan.aptSources === undefined ? [] : [sources]),
  ];
}

/** Names of the kernel packages that were downloaded. */
export async function downloadedKernels(context: BuildContext): Promise<string[]> {
  const directory = kernelDownloads(context);
  return (await readdir(directory)).filter((name) => name.endsWith('.deb')).map((name) => path.join(directory, name));
}
