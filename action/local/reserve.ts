import { readdir, readlink, stat } from 'node:fs/promises';
import path from 'node:path';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import type { Root } from './root.ts';
import { freeSubnets, readRoutes } from './subnet.ts';

/** What must not be shared with another hostd of this machine. */
export interface Reservation {
  subnet: string;
  /** Part of the names of bridges, namespaces and rules. */
  instance: string;
  /** Its VMMs run as users from here on, and as this group. */
  firstUid: number;
}

const attempts = 20;

/** Holds one link for each subnet in use, named after it, to the state folder that uses it: making a link either works or tells it is taken. */
function reservations(stateFolder: string): string {
  return path.join(path.dirname(stateFolder), '.subnets');
}

/** Takes a subnet no route of this machine and no other job's host uses; the state folder has to exist. Throws `local-host-failed`. */
export async function reserveNetwork(root: Root, stateFolder: string): Promise<Reservation> {
  const folder = reservations(stateFolder);
  await root.mustRun(`Making ${folder}`, 'mkdir', ['-p', '-m', '755', folder]);
  const taken = new Set(await readdir(folder));
  const free = freeSubnets(await readRoutes()).filter((subnet) => !taken.has(linkName(subnet)));
  for (const subnet of free.slice(0, attempts)) {
    const link = path.join(folder, linkName(subnet));
    const { code } = await root.run('ln', ['-s', '-T', stateFolder, link]);
    if (code === 0) return reservationOf(subnet);
  }
  throw new OffshootError('local-host-failed', {
    message: 'No subnet is free for the sandboxes of this job: every one is in use or has a route.',
    hint: `Look at \`ip route\` and ${folder}.`,
  });
}

/** Gives back what a state folder has taken, and what folders that are gone had. */
export async function releaseNetwork(root: Root, stateFolder: string): Promise<void> {
  const folder = reservations(stateFolder);
  for (const name of await readdir(folder).catch(() => [])) {
    const link = path.join(folder, name);
    const target = await readlink(link).catch(() => undefined);
    if (target === undefined) continue;
    const isGone = target !== stateFolder && (await stat(target).catch(() => undefined)) === undefined;
    if (isGone || target === stateFolder) await root.run('rm', ['-f', link]);
  }
}

/** The second and third number of an address tell all subnets of all pools apart. */
export function reservationOf(subnet: string): Reservation {
  const [, second = 0, third = 0] = subnet.split(/[./]/).map(Number);
  const number = second * 256 + third;
  return { subnet, instance: `l${number.toString(36)}`, firstUid: 700_000 + number * 256 };
}

function linkName(subnet: string): string {
  return subnet.replace('/', '-');
}
