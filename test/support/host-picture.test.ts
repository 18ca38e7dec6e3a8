import { spawn } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { comparePictures, ofHostd, rulesOf, takeHostPicture } from './host-picture.ts';

const loader = '/lib64/ld-linux-x86-64.so.2';

/** What a picture says of a process that runs a program of this name. */
async function seen(name: string, throughLoader: boolean): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'host-picture-'));
  const before = await takeHostPicture();
  const program = path.join(folder, name);
  await copyFile('/bin/sleep', program);
  const [command, ...words] = throughLoader ? [loader, '--argv0', name, program, '60'] : [program, '60'];
  const child = spawn(command, words, { cwd: folder });
  await new Promise((resolve) => child.once('spawn', resolve));
  // until the program is there in the place of the process that started it
  await new Promise((resolve) => setTimeout(resolve, 100));
  try {
    const left = comparePictures(before, await takeHostPicture());
    return ofHostd(left, { instance: 'none', folders: [folder] });
  } finally {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true });
  }
}

test.each([true, false])('a VMM is seen, through a loader: %s', async (throughLoader) => {
  const lines = await seen('qemu-system-x86_64', throughLoader);

  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^processes: \d+ \/.*\/qemu-system-x86_64 .* in \/.*host-picture-/);
});

test('what is not ours is not seen', async () => {
  expect(await seen('another-program', true)).toEqual([]);
});

test('a rule is told with its table, without what it counted', () => {
  const ruleset = 'table inet offshoot_a {\n\tchain c {\n\t\tcounter packets 3 bytes 9 drop\n\t}\n}\ntable ip b {\n}\n';
  expect(rulesOf(ruleset)).toEqual([
    'inet offshoot_a: table inet offshoot_a {',
    'inet offshoot_a: chain c {',
    'inet offshoot_a: counter  drop',
    'inet offshoot_a: }',
    'inet offshoot_a: }',
    'ip b: table ip b {',
    'ip b: }',
  ]);
});

test('one hostd’s leftovers are told from those of others', () => {
  const ours = [
    'processes: 7 /usr/bin/qemu-system-x86_64 -M microvm in /state/one/sandboxes/sbx_1/vm',
    'netns: offshoot-mine-3',
    'links: ov-mine-3@if2',
    'links: ob-mine',
    'rules: inet offshoot_mine: drop',
    'mounts: nsfs /run/netns/offshoot-mine-3 nsfs',
    'images: offshoot-mine-x1/offshoot-abc/fork-1',
  ];
  const others = [
    'processes: 8 /usr/bin/qemu-system-x86_64 -M microvm in /state/two/sandboxes/sbx_1/vm',
    'processes: 9 /usr/bin/qemu-system-x86_64 -name x-mine in /',
    'netns: offshoot-mine2-3',
    'links: ob-other',
    'rules: inet offshoot_other: drop',
  ];

  expect(ofHostd([...others, ...ours], { instance: 'mine', folders: ['/state/one/'] })).toEqual(ours);
});
