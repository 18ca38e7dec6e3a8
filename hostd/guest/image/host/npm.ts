import { z } from 'zod';
import { runChecked, type Runner } from '../../../platform/run.ts';
import { parseNpmConfigList } from '../../../platform/npm-config.ts';
import { isLoopbackUrl, stripCredentials } from './urls.ts';

export interface HostNpm {
  /** Lines of an npmrc, without tokens or passwords. */
  settings: Readonly<Record<string, string>>;
  certificateFile?: string;
}

const carried = ['registry', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl', 'fetch-timeout', 'fetch-retries'];

/** npm's own defaults need not be said again (npm help config). */
const defaults: Readonly<Record<string, string>> = {
  'strict-ssl': 'true',
  'fetch-timeout': '300000',
  'fetch-retries': '2',
};

/** How the host's npm reaches its registry, asked of npm itself. Scoped registries are taken, credentials never. */
export async function readHostNpm(runner: Runner, cwd: string): Promise<HostNpm> {
  const ask = (...args: string[]) => runChecked(runner, 'npm', ['config', 'list', ...args], { cwd, timeoutMs: 60_000 });
  const [json, shown] = await Promise.all([ask('--json'), ask()]);
  const told = z.record(z.string(), z.unknown()).parse(JSON.parse(json.stdout));
  return hostNpmFrom({ ...parseNpmConfigList(shown.stdout), ...told });
}

export function hostNpmFrom(config: Readonly<Record<string, unknown>>): HostNpm {
  const settings: Record<string, string> = {};
  for (const [key, raw] of Object.entries(config)) {
    if (!carried.includes(key) && !/^@[^:/]+:registry$/.test(key)) continue;
    const value = stripCredentials(Array.isArray(raw) ? raw.join(',') : raw === null ? '' : String(raw));
    if (value === '' || value === defaults[key] || (key.endsWith('proxy') && isLoopbackUrl(value))) continue;
    settings[key] = value;
  }
  const certificateFile = config['cafile'];
  return {
    settings,
    ...(typeof certificateFile === 'string' && certificateFile !== '' ? { certificateFile } : {}),
  };
}

export function renderNpmrc(npm: HostNpm): string {
  return Object.entries(npm.settings)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}
