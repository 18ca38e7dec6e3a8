import { mkdtemp, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { placeFile } from './place.ts';

it('replaces a symlink instead of writing through it to the host', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'offshoot-place-'));
  const root = path.join(directory, 'root');
  await mkdir(path.join(root, 'etc'), { recursive: true });
  await writeFile(path.join(directory, 'host-file'), 'host');
  await symlink(path.join(directory, 'host-file'), path.join(root, 'etc/resolv.conf'));
  await placeFile(root, '/etc/resolv.conf', 'guest');
  expect(await readFile(path.join(directory, 'host-file'), 'utf8')).toBe('host');
  expect(await readFile(path.join(root, 'etc/resolv.conf'), 'utf8')).toBe('guest');
});

it('gives files and new folders their modes whatever the umask', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'offshoot-place-'));
  await placeFile(root, '/a/b/c', 'x', 0o755);
  const mode = async (name: string) => (await stat(path.join(root, name))).mode & 0o7777;
  expect([await mode('a'), await mode('a/b'), await mode('a/b/c')]).toEqual([0o755, 0o755, 0o755]);
});
