import { access, readFile } from 'node:fs/promises';
import { installation } from '../platform/installation.ts';

/** A Debian package that this host needs. */
export interface HostPackage {
  name: string;
  /** A file that is there when it is installed. */
  probe: string;
  purpose: string;
}

/** The list that set-up installs from. */
export async function readHostPackages(file = installation.packageList): Promise<HostPackage[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [name, probe, ...purpose] = line.split(/\s+/);
    if (name === undefined || probe === undefined) throw new Error(`${file}: a line without package or probe: ${line}`);
    return { name, probe, purpose: purpose.join(' ') };
  });
}

/** Those whose probe is not there. */
export async function missingPackages(packages: readonly HostPackage[]): Promise<HostPackage[]> {
  const present = await Promise.all(
    packages.map(({ probe }) =>
      access(probe).then(
        () => true,
        () => false,
      ),
    ),
  );
  return packages.filter((_, index) => present[index] !== true);
}

/** What to type to get them; undefined when nothing is missing. */
export function installCommand(missing: readonly HostPackage[]): string | undefined {
  if (missing.length === 0) return undefined;
  return `apt-get install --no-install-recommends ${missing.map(({ name }) => name).join(' ')}`;
}
