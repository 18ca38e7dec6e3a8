import path from 'node:path';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { missingPackages as missingOf, readHostPackages } from '../../hostd/setup/packages.ts';
import { checkSums } from '../bundle/sums.ts';
import type { Root } from './root.ts';

const aptTimeoutMs = 600_000;
/** Another apt, as on machines that update themselves, has this long to end. */
const aptLock = ['-o', 'DPkg::Lock::Timeout=120'];

/** Throws `local-host-failed` unless sandboxes can run on such a machine. */
export function checkMachine(platform: string = process.platform, architecture: string = process.arch): void {
  if (platform === 'linux' && architecture === 'x64') return;
  throw new OffshootError('local-host-failed', {
    message: `host: local needs a Linux runner on x86-64; this one is ${platform} on ${architecture}.`,
    hint: 'Use runs-on: ubuntu-latest, or host: unix:PATH.',
  });
}

/** Nothing that is not what was bundled is run as root. Throws `local-host-failed` naming each wrong file. */
export async function checkBundle(distFolder: string): Promise<void> {
  const problems = await checkSums(distFolder);
  if (problems.length === 0) return;
  throw new OffshootError('local-host-failed', {
    message: `The action's files in ${distFolder} are not those it was published with: ${problems.slice(0, 10).join('; ')}.`,
    hint: 'Something changed them after the runner had fetched the action. Remove its folder, so that it is fetched again.',
  });
}

/** Debian packages of the list that are not there; those that only compile are not needed, for the bundle is compiled. */
export async function missingPackages(list: string): Promise<string[]> {
  const needed = (await readHostPackages(list)).filter(({ purpose }) => !purpose.startsWith('compiles'));
  return (await missingOf(needed)).map(({ name }) => name);
}

/** Installs what is missing, quietly. Throws `local-host-failed` and logs what apt said when it fails. */
export async function installPackages(
  root: Root,
  distFolder: string,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const missing = await missingPackages(path.join(distFolder, 'debian-packages.txt'));
  if (missing.length === 0) return;
  log(`installing ${missing.join(', ')}`);
  const options = { timeoutMs: aptTimeoutMs, ...(signal === undefined ? {} : { signal }) };
  // an update that fails in part may still have found what is needed
  const update = await root.run('apt-get', [...aptLock, '-qq', 'update'], options);
  const install = await root.run(
    'env',
    [
      ...['DEBIAN_FRONTEND=noninteractive', 'apt-get', ...aptLock],
      ...['-qq', '-y', '--no-install-recommends', 'install', ...missing],
    ],
    options,
  );
  if (install.code === 0) return;
  for (const text of [update.stdout, update.stderr, install.stdout, install.stderr]) {
    for (const line of text.split('\n')) if (line.trim() !== '') log(line);
  }
  throw new OffshootError('local-host-failed', {
    message: `The packages ${missing.join(', ')} could not be installed.`,
    hint: `What apt-get said is above. On a runner of your own install them ahead: apt-get install ${missing.join(' ')}`,
  });
}
