import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { renderDeb822, type AptSource } from '../apt/sources.ts';
import { extraBundle, guestBundle, missingCertificates, parseLenient } from '../certificates.ts';
import { archivesOf, dpkgOptions } from './bootstrap.ts';
import { runInRoot } from './contain.ts';
import { rootOf, stepTimeoutMs, type BuildContext } from './context.ts';
import { placeFile, placeFolder } from './place.ts';
import { withoutCredentials } from './plan.ts';

/** Makes the filled root the guest's: certificates, configuration, the recipe's steps; then takes out what only the build needed. */
export async function settleRoot(context: BuildContext, kernelVersion: string): Promise<void> {
  await trustCertificates(context);
  await writeConfiguration(context, kernelVersion);
  for (const step of context.plan.recipe.steps) {
    context.onLine(step.name);
    await runInRoot(context.runner, rootOf(context), step.run, { timeoutMs: stepTimeoutMs, onLine: context.onLine });
  }
  await cleanRoot(rootOf(context));
}

async function trustCertificates(context: BuildContext): Promise<void> {
  const root = rootOf(context);
  const present = parseLenient(await readFile(path.join(root, guestBundle), 'utf8').catch(() => ''));
  const missing = missingCertificates(context.plan.certificates, present);
  for (const { fingerprint, pem } of missing) {
    await placeFile(root, `/usr/local/share/ca-certificates/offshoot-${fingerprint.slice(0, 16)}.crt`, pem);
  }
  if (context.plan.certificates.length > 0) {
    await placeFile(root, extraBundle, missing.map((certificate) => certificate.pem).join(''));
  }
  if (missing.length === 0) return;
  context.onLine(`${String(missing.length)} more certificate authorities`);
  await runInRoot(context.runner, root, 'update-ca-certificates', { timeoutMs: stepTimeoutMs, onLine: context.onLine });
}

async function writeConfiguration(context: BuildContext, kernelVersion: string): Promise<void> {
  const root = rootOf(context);
  const { plan } = context;
  const environment = Object.entries(plan.environment).map(([name, value]) => `${name}=${value}\n`);
  const about = {
    suite: plan.suite.name,
    kernel: kernelVersion,
    packages: plan.packages,
    npmPackages: plan.recipe.npmPackages.map(({ name, version }) => `${name}@${version}`),
    rootDigest: plan.rootDigest,
  };
  const files: Record<string, string> = {
    '/etc/offshoot/env': environment.join(''),
    '/etc/offshoot/image.json': `${JSON.stringify(about, null, 2)}\n`,
    '/etc/hostname': 'offshoot\n',
    '/etc/hosts': '127.0.0.1 localhost offshoot\n::1 localhost ip6-localhost ip6-loopback\n',
    '/etc/resolv.conf': '',
    '/etc/machine-id': '',
    '/etc/fstab': '/dev/vda / ext4 defaults 0 0\n',
    '/etc/dpkg/dpkg.cfg.d/offshoot': dpkgOptions.map((option) => `${option}\n`).join(''),
    ...plan.guestFiles,
  };
  for (const [name, text] of Object.entries(files)) await placeFile(root, name, text);
  await rm(path.join(root, 'etc/dpkg/dpkg.cfg.d/99mmdebstrap'), { force: true });
  if (plan.aptSources !== undefined) await replaceSources(root, plan.suite.distribution, plan.aptSources);
  await placeFolder(root, 'workspace');
}

/** The guest's apt uses the same mirrors, without credentials, under the file name that the distribution itself uses. */
async function replaceSources(root: string, distribution: string, sources: readonly AptSource[]): Promise<void> {
  const parts = path.join(root, 'etc/apt/sources.list.d');
  for (const name of await readdir(parts)) await rm(path.join(parts, name));
  await rm(path.join(root, 'etc/apt/sources.list'), { force: true });
  await placeFile(root, `/etc/apt/sources.list.d/${distribution}.sources`, renderDeb822(withoutCredentials(sources)));
  for (const { signedBy } of sources) {
    if (signedBy?.startsWith('/') === true) await copyKeyring(root, signedBy);
  }
}

async function copyKeyring(root: string, keyring: string): Promise<void> {
  const there = await readFile(path.join(root, keyring)).catch(() => undefined);
  if (there === undefined) await placeFile(root, keyring, await readFile(keyring));
}

async function cleanRoot(root: string): Promise<void> {
  const archives = archivesOf(root);
  const emptied = ['boot', 'tmp', 'var/tmp', 'run', 'var/lib/apt/lists', 'var/cache/debconf', 'var/log', 'root/.npm', 'root/.cache'];
  const caches = ['var/cache/apt/pkgcache.bin', 'var/cache/apt/srcpkgcache.bin', 'var/lib/dpkg/status-old', 'var/cache/ldconfig/aux-cache'];
  for (const name of emptied) {
    const directory = path.join(root, name);
    for (const entry of await readdir(directory).catch(() => [])) await rm(path.join(directory, entry), { recursive: true, force: true });
  }
  for (const name of caches) await rm(path.join(root, name), { force: true });
  for (const name of await readdir(archives).catch(() => [])) await rm(path.join(archives, name), { recursive: true, force: true });
  await mkdir(path.join(archives, 'partial'), { recursive: true });
  await mkdir(path.join(root, 'var/lib/apt/lists/partial'), { recursive: true });
  await mkdir(path.join(root, 'var/log/apt'), { recursive: true });
}
