import { readFile } from 'node:fs/promises';
import type { Runner } from '../../../platform/run.ts';
import { parseLenient, type TrustedCertificate } from '../certificates.ts';
import { parseOsRelease, readHostSources, type HostRelease } from '../apt/mirror.ts';
import type { AptSource } from '../apt/sources.ts';
import { readHostApt, type AptSetting } from './apt.ts';
import { readHostNpm, type HostNpm } from './npm.ts';
import { readHostPip, type HostPip } from './pip.ts';
import { proxyEnvironment } from './proxy.ts';

/** How this host gets packages: for building here, and for guests when asked. */
export interface HostConfig {
  release: HostRelease;
  aptSources: readonly AptSource[];
  aptSettings: readonly AptSetting[];
  pip: HostPip;
  npm: HostNpm;
  proxies: Readonly<Record<string, string>>;
  /** Of the files that pip and npm are told to trust. */
  certificates: readonly TrustedCertificate[];
}

const nothingOfNpm: HostNpm = { settings: {} };

/** Asks apt and pip's files, and npm (which takes a second to answer) only when guests are to be like the host. */
export async function readHostConfig(
  runner: Runner,
  forGuests: boolean,
  env: NodeJS.ProcessEnv = process.env,
): Promise<HostConfig> {
  const [osRelease, aptSources, aptSettings, pip, npm] = await Promise.all([
    readFile('/etc/os-release', 'utf8').catch(() => ''),
    readHostSources('/etc/apt'),
    readHostApt(runner),
    readHostPip(env),
    forGuests ? readHostNpm(runner, '/') : nothingOfNpm,
  ]);
  const files = new Set([pip.certificateFile, npm.certificateFile].filter((file) => file !== undefined));
  const texts = await Promise.all([...files].map((file) => readFile(file, 'utf8').catch(() => '')));
  return {
    release: parseOsRelease(osRelease),
    aptSources,
    aptSettings,
    pip,
    npm,
    proxies: proxyEnvironment(env),
    certificates: texts.flatMap(parseLenient),
  };
}
