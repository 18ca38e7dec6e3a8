import { beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../client/index.ts';
import { buildDefaultImage } from '../../../test/support/shared-image.ts';
import { useHostd } from '../../../test/support/suite.ts';
import { createImageStore } from './image-store.ts';

const suite = useHostd();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await suite.create({ memoryMiB: 768 });
}, 120_000);

async function lines(script: string): Promise<string[]> {
  const { stdout } = await sandbox.exec(['sh', '-euc', script], { check: true });
  return stdout.trimEnd().split('\n');
}

describe('the default image', () => {
  test('is not built again when nothing changed', async () => {
    const first = await buildDefaultImage(suite.stateDirectory);
    expect(await buildDefaultImage(suite.stateDirectory)).toEqual(first);
  });

  test('is Debian 13 with its own kernel, an empty /workspace and no systemd', async () => {
    const { manifest } = await createImageStore({ stateDirectory: suite.stateDirectory }).get('default');
    const found = await lines(
      '. /etc/os-release; echo $ID $VERSION_ID; uname -r; id -un; pwd; cat /proc/1/comm; ls -A /workspace /boot | wc -w',
    );
    expect(found.slice(0, 4)).toEqual(['debian 13', manifest.kernelVersion, 'root', '/workspace']);
    expect(found[4]).not.toBe('systemd');
    expect(found[5]).toBe('2'); // the two headings of ls
  });

  test('has the versions of its recipe', async () => {
    const commands = 'npm npx pip python curl wget gcc g++ make ssh sudo jq unzip zip';
    const found = await lines(
      `node --version; git --version; python3 --version; for c in ${commands}; do command -v $c >/dev/null || echo no $c; done`,
    );
    expect(found[0]).toBe(process.version);
    expect(found[1]).toMatch(/^git version 2\./);
    expect(found[2]).toMatch(/^Python 3\.13/);
    expect(found).toHaveLength(3);
  });

  test('compiles and runs C and C++, and finds the headers of Node and Python', async () => {
    const script = `
      printf '#include <stdio.h>\\nint main(void){puts("c");}' >/tmp/a.c && gcc -o /tmp/a /tmp/a.c && /tmp/a
      printf '#include <Python.h>\\n#include <node_api.h>\\nint x;' >/tmp/b.c
      gcc -fsyntax-only $(python3-config --includes) -I"$npm_package_config_node_gyp_nodedir/include/node" /tmp/b.c && echo headers`;
    expect(await lines(script)).toEqual(['c', 'headers']);
  });

  test('loads kernel modules, and git works in a folder of another owner', async () => {
    const script = `
      modprobe overlay && grep -c ^overlay /proc/modules
      mkdir /tmp/repo && git init -q /tmp/repo && chown -R 1000:1000 /tmp/repo && git -C /tmp/repo status --short && echo trusted`;
    expect(await lines(script)).toEqual(['1', 'trusted']);
  });

  describe('installs from the package indexes that the host uses', () => {
    test.each([
      [
        'npm',
        'npm install --no-audit --no-fund --silent is-number@7.0.0 && node -p \'require("is-number")(5)\'',
        'true',
      ],
      ['pip in the system', 'pip install --quiet iniconfig==2.0.0 && python3 -c "import iniconfig; print(1)"', '1'],
      [
        'pip in a venv',
        'python3 -m venv /tmp/v && /tmp/v/bin/pip install --quiet iniconfig==2.0.0 && /tmp/v/bin/python -c "import iniconfig; print(2)"',
        '2',
      ],
    ])('%s', async (_, script, printed) => expect(await lines(script)).toEqual([printed]), 300_000);
  });

  test('holds no credential, no machine identity and nothing of the build', async () => {
    const script = `
      grep -rlE '://[^/ ]*@' /etc/apt /etc/pip.conf /usr/local/etc/npmrc /etc/offshoot 2>/dev/null | wc -l
      find /var/cache/apt /var/lib/apt/lists -type f | wc -l
      ls /etc/apt/apt.conf.d /etc/dpkg/dpkg.cfg.d | grep -c mmdebstrap || true
      find /usr/share/man /usr/share/locale -type f | wc -l`;
    expect((await lines(script)).map(Number)).toEqual([0, 0, 0, 0]);
  });
});
