import { readFile } from 'node:fs/promises';
import { OffshootError } from '../errors/offshoot-error.ts';

/** The id of a group given by name or id. Throws `config-invalid` for a name this host does not know. */
export async function groupId(group: string | number, groupFile = '/etc/group'): Promise<number> {
  if (typeof group === 'number') return group;
  const lines = (await readFile(groupFile, 'utf8')).split('\n').map((line) => line.split(':'));
  const id = Number(lines.find(([name]) => name === group)?.[2] ?? Number.NaN);
  if (Number.isInteger(id)) return id;
  throw new OffshootError('config-invalid', {
    message: `socketGroup: this host has no group ${group}.`,
    hint: `Make it: sudo groupadd --system ${group}`,
    details: { issues: [{ path: 'socketGroup', message: `this host has no group ${group}` }] },
  });
}
