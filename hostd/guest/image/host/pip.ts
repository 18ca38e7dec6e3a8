import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { stripCredentials } from './urls.ts';

/** Settings that say where packages come from; paths of the host and anything secret stay behind. */
const carried = ['index-url', 'extra-index-url', 'trusted-host', 'proxy', 'timeout', 'retries'] as const;
type PipSetting = (typeof carried)[number];

export interface HostPip {
  settings: Partial<Record<PipSetting, string>>;
  /** A file of authorities on the host. */
  certificateFile?: string;
}

/** Files in the order in which later ones win: https://pip.pypa.io/en/stable/topics/configuration/ */
function configFiles(env: NodeJS.ProcessEnv): string[] {
  if (env['PIP_CONFIG_FILE'] === '/dev/null') return [];
  const home = env['HOME'] ?? '/root';
  const config = env['XDG_CONFIG_HOME'] ?? path.join(home, '.config');
  return [
    '/etc/xdg/pip/pip.conf',
    '/etc/pip.conf',
    path.join(home, '.pip/pip.conf'),
    path.join(config, 'pip/pip.conf'),
    ...(env['PIP_CONFIG_FILE'] === undefined ? [] : [env['PIP_CONFIG_FILE']]),
  ];
}

/** How the host's pip reaches its index: configuration files, then the environment. */
export async function readHostPip(env: NodeJS.ProcessEnv, files = configFiles(env)): Promise<HostPip> {
  const merged = new Map<string, string>();
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '');
    for (const [key, value] of parsePipConfig(text)) merged.set(key, value);
  }
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !name.startsWith('PIP_')) continue;
    merged.set(canonical(name.slice(4)), value);
  }
  const settings: HostPip['settings'] = {};
  for (const key of carried) {
    const value = merged.get(key);
    if (value !== undefined && value.trim() !== '')
      settings[key] = value.trim().split(/\s+/).map(stripCredentials).join(' ');
  }
  const certificateFile = merged.get('cert');
  return { settings, ...(certificateFile === undefined ? {} : { certificateFile }) };
}

/** The [global] and [install] sections of pip.conf, names in pip's own spelling. */
export function parsePipConfig(text: string): Map<string, string> {
  const values = new Map<string, string>();
  let section = '';
  let last: string | undefined;
  for (const line of text.split('\n')) {
    if (/^\s*([#;].*)?$/.test(line)) continue;
    const header = /^\[(.+)\]\s*$/.exec(line);
    if (header !== null) {
      section = header[1] ?? '';
      last = undefined;
      continue;
    }
    if (section !== 'global' && section !== 'install') continue;
    if (/^\s/.test(line) && last !== undefined) {
      values.set(last, `${values.get(last) ?? ''} ${line.trim()}`);
      continue;
    }
    const pair = /^\s*([^=:\s]+)\s*[=:]\s*(.*)$/.exec(line);
    if (pair === null) continue;
    last = canonical(pair[1] ?? '');
    values.set(last, (pair[2] ?? '').trim());
  }
  return values;
}

/** pip.conf for the guest; undefined when there is nothing to say. */
export function renderPipConfig(pip: HostPip): string | undefined {
  const lines = Object.entries(pip.settings).map(([key, value]) => `${key} = ${value.split(' ').join('\n    ')}`);
  return lines.length === 0 ? undefined : `[global]\n${lines.join('\n')}\n`;
}

/** `DEFAULT_TIMEOUT`, `default-timeout` and `timeout` are one setting. */
function canonical(name: string): string {
  const dashed = name.toLowerCase().replaceAll('_', '-');
  return dashed === 'default-timeout' ? 'timeout' : dashed;
}
