import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sourcesForSuite } from '../../hostd/guest/image/apt/mirror.ts';
import { renderDeb822 } from '../../hostd/guest/image/apt/sources.ts';
import { renderAptForHost } from '../../hostd/guest/image/host/apt.ts';
import { readHostConfig } from '../../hostd/guest/image/host/host-config.ts';
import { runChecked, systemRunner } from '../../hostd/platform/run.ts';

/** An apt of its own, kept between runs: nothing of the machine's is changed. */
const folder = path.resolve(import.meta.dirname, '../../build/trixie-packages');
const archives = path.join(folder, 'cache/archives');
const listsStayFreshMs = 24 * 3_600_000;

/**
 * Downloads packages of Debian 13 from the host's own mirror, with all they need that `installed` (text of a dpkg status file) has not:
 * nothing when it is empty, so that they run on the files of each other alone. Gives the paths of the .deb files.
 */
export async function downloadTrixiePackages(names: readonly string[], installed = ''): Promise<string[]> {
  const options = await prepareApt(installed);
  const install = (more: readonly string[]) =>
    runChecked(systemRunner, 'apt-get', [...options, '-q', '-y', ...more, 'install', ...names], {
      timeoutMs: 300_000,
      env: aptEnvironment(),
    });
  await refreshLists(options, false);
  try {
    await install(['--download-only']);
  } catch {
    // the mirror may have newer packages than the lists know
    await refreshLists(options, true);
    await install(['--download-only']);
  }
  const present = new Set(await readdir(archives));
  const wanted = (await install(['--print-uris', '-o', 'Dir::Cache::archives=/nonexistent'])).stdout;
  const files = [...wanted.matchAll(/^'[^']*' (\S+\.deb) /gm)].flatMap(([, name]) => name ?? []);
  const missing = files.filter((name) => !present.has(name));
  if (files.length === 0 || missing.length > 0)
    throw new Error(`apt did not download what it was told to: ${missing.join(' ') || names.join(' ')}`);
  return files.map((name) => path.join(archives, name));
}

async function prepareApt(installed: string): Promise<string[]> {
  for (const name of ['etc/apt.conf.d', 'etc/preferences.d', 'etc/sources.list.d', 'lists/partial'])
    await mkdir(path.join(folder, name), { recursive: true });
  await mkdir(path.join(archives, 'partial'), { recursive: true });
  const host = await readHostConfig(systemRunner, false);
  const sources = sourcesForSuite(host.aptSources, host.release, { distribution: 'debian', suite: 'trixie' });
  if (sources === undefined)
    throw new Error('apt of this host names no mirror of Debian to take packages of trixie from');
  const status = path.join(folder, 'status');
  await writeFile(status, installed);
  await writeFile(path.join(folder, 'etc/sources.list.d/trixie.sources'), renderDeb822(sources), { mode: 0o600 });
  await writeFile(path.join(folder, 'apt.conf'), renderAptForHost(host.aptSettings), { mode: 0o600 });
  const settings = {
    'Dir::Etc': path.join(folder, 'etc'),
    'Dir::State': folder,
    'Dir::State::Lists': path.join(folder, 'lists'),
    'Dir::State::status': status,
    'Dir::Cache': path.join(folder, 'cache'),
    'APT::Architecture': 'amd64',
    'APT::Install-Recommends': 'false',
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

function aptEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, APT_CONFIG: path.join(folder, 'apt.conf') };
}

async function refreshLists(options: readonly string[], always: boolean): Promise<void> {
  const stamp = path.join(folder, 'lists-fetched');
  const ageMs = await stat(stamp).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => Infinity,
  );
  if (!always && ageMs < listsStayFreshMs) return;
  await runChecked(systemRunner, 'apt-get', [...options, '-q', 'update'], {
    timeoutMs: 300_000,
    env: aptEnvironment(),
  });
  await writeFile(stamp, '');
}
