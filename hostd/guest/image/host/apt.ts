import { runChecked, type Runner } from '../../../platform/run.ts';
import { isLoopbackUrl, stripCredentials } from './urls.ts';

/** Settings of apt that decide whether it reaches its mirror at all. */
const carried =
  /^Acquire::(https?::(Proxy(::[A-Za-z0-9.-]+)?|Verify-Peer|Verify-Host)|Check-Valid-Until|Check-Date|ForceIPv4|Retries)$/i;

export interface AptSetting {
  key: string;
  value: string;
}

/** Empty on a host without apt: the bootstrap tool then goes by its own defaults. */
export async function readHostApt(runner: Runner): Promise<AptSetting[]> {
  try {
    return parseAptConfig((await runChecked(runner, 'apt-config', ['dump'])).stdout);
  } catch {
    return [];
  }
}

/** Lines of `apt-config dump`. */
export function parseAptConfig(dump: string): AptSetting[] {
  return dump.split('\n').flatMap((line) => {
    const match = /^(\S+) "(.*)";$/.exec(line);
    const [key = '', value = ''] = match?.slice(1) ?? [];
    return carried.test(key) && value !== '' ? [{ key, value }] : [];
  });
}

/** For apt on the host, credentials included: never written into an image. */
export function renderAptForHost(settings: readonly AptSetting[]): string {
  return settings.map(({ key, value }) => `${key} "${value}";\n`).join('');
}

/** For apt in the guest: no credentials, and no proxy that only the host can reach. */
export function renderAptForGuest(settings: readonly AptSetting[]): string {
  return settings
    .filter(({ key, value }) => !(/proxy/i.test(key) && isLoopbackUrl(value)))
    .map(({ key, value }) => `${key} "${stripCredentials(value)}";\n`)
    .join('');
}
