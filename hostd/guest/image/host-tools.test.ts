import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { checkHost } from './host-tools.ts';

it('names what is missing: root, then a tool with its package', async () => {
  await expect(checkHost('/', process.env, 1000)).rejects.toMatchObject({ code: 'not-root' });
  const tools = await mkdtemp(path.join(tmpdir(), 'offshoot-tools-'));
  for (const tool of ['mmdebstrap', 'apt-get', 'dpkg-deb']) {
    await writeFile(path.join(tools, tool), '');
    await chmod(path.join(tools, tool), 0o755);
  }
  await expect(checkHost('/', { PATH: tools }, 0)).rejects.toMatchObject({
    code: 'tool-missing',
    details: { tool: 'mkfs.ext4', package: 'e2fsprogs' },
  });
});
