import type { DoctorCheck } from '../contract/doctor.ts';
import { installCommand, missingPackages, readHostPackages } from '../setup/packages.ts';
import type { Installation } from '../platform/installation-parts.ts';
import { runtimeTools, missingTools } from '../daemon/host-tools.ts';
import type { DoctorHost } from './doctor-host.ts';

const comfortableMiB = 2_048;
const leastMiB = 1_024;

export function checkArchitecture(host: DoctorHost): DoctorCheck {
  const name = 'processor';
  if (host.architecture === 'x64') return { name, result: 'ok', found: 'x86_64' };
  return {
    name,
    result: 'fail',
    found: `${host.architecture}; sandboxes run on x86_64 hosts only`,
    mend: 'Run hostd on an x86_64 machine; this one can be a client of it.',
  };
}

export function checkRoot(host: DoctorHost): DoctorCheck {
  const name = 'root';
  if (host.uid === 0) return { name, result: 'ok', found: 'running as root' };
  return {
    name,
    result: 'warn',
    found: `running as uid ${String(host.uid)}; hostd needs root, and some checks below were left out`,
    mend: 'sudo offshoot doctor',
  };
}

export async function checkMemory(host: DoctorHost): Promise<DoctorCheck> {
  const name = 'memory';
  const meminfo = (await host.readText('/proc/meminfo')) ?? '';
  const field = (key: string) =>
    Math.floor(Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? 0) / 1024);
  const [totalMiB, availableMiB] = [field('MemTotal'), field('MemAvailable')];
  const found = `${String(availableMiB)} MiB of ${String(totalMiB)} MiB available`;
  if (availableMiB >= comfortableMiB) return { name, result: 'ok', found };
  return {
    name,
    result: availableMiB >= leastMiB ? 'warn' : 'fail',
    found: `${found}; a sandbox takes 512 MiB by default`,
    mend: 'Give the machine more memory, or stop what uses it.',
  };
}

export async function checkCgroups(host: DoctorHost): Promise<DoctorCheck> {
  const unified = await host.exists('/sys/fs/cgroup/cgroup.controllers');
  return { name: 'cgroups', result: 'ok', found: unified ? 'version 2' : 'version 1 (nothing depends on it yet)' };
}

/** Programs that hostd runs to serve: without one of them nothing works. */
export async function checkTools(host: DoctorHost): Promise<DoctorCheck> {
  const name = 'programs';
  const missing = await missingTools(Object.keys(runtimeTools), host.searchPath);
  if (missing.length === 0) return { name, result: 'ok', found: Object.keys(runtimeTools).join(', ') };
  const packages = [...new Set(missing.map((tool) => runtimeTools[tool] ?? tool))];
  return {
    name,
    result: 'fail',
    found: `missing: ${missing.join(', ')}`,
    mend: `sudo apt-get install --no-install-recommends ${packages.join(' ')}`,
  };
}

/** Packages that set-up installs, for building images and the native parts too: without an image they are needed, with one only for the next. */
export async function checkPackages(host: DoctorHost, stateDirectory: string): Promise<DoctorCheck> {
  const name = 'packages';
  const packages = await readHostPackages();
  const missing = await missingPackages(packages);
  const mend = installCommand(missing);
  if (mend === undefined) return { name, result: 'ok', found: `all ${String(packages.length)} are installed` };
  const hasImage = await host.exists(`${stateDirectory}/images/default/manifest.json`);
  return {
    name,
    result: hasImage ? 'warn' : 'fail',
    found: `missing: ${missing.map((one) => `${one.name} (${one.purpose})`).join(', ')}`,
    mend: `sudo ${mend}`,
  };
}

/** The programs that are compiled, in a checkout by its user. */
export async function checkNative(
  host: DoctorHost,
  { nativeDirectory, agentPath, mendNative }: Pick<Installation, 'nativeDirectory' | 'agentPath' | 'mendNative'>,
): Promise<DoctorCheck> {
  const name = 'native parts';
  const wanted = [`${nativeDirectory}/launcher`, `${nativeDirectory}/kvm-probe.bin`, agentPath];
  const missing: string[] = [];
  for (const file of wanted) if (!(await host.exists(file))) missing.push(file);
  if (missing.length === 0) return { name, result: 'ok', found: 'launcher, KVM probe and guest agent are built' };
  return { name, result: 'fail', found: `not there: ${missing.join(', ')}`, mend: mendNative };
}

export async function checkImages(host: DoctorHost, stateDirectory: string): Promise<DoctorCheck> {
  const name = 'images';
  if (host.uid !== 0 && (await host.list(stateDirectory)).length === 0)
    return {
      name,
      result: 'warn',
      found: 'not checked: the state directory can not be read',
      mend: 'sudo offshoot doctor',
    };
  const folders = await host.list(`${stateDirectory}/images`);
  const images: string[] = [];
  for (const image of folders)
    if (await host.exists(`${stateDirectory}/images/${image}/manifest.json`)) images.push(image);
  if (images.includes('default')) return { name, result: 'ok', found: images.join(', ') };
  return {
    name,
    result: 'warn',
    found: images.length === 0 ? 'none yet' : `${images.join(', ')}, but no default`,
    mend: 'offshoot image build default (with hostd running)',
  };
}
