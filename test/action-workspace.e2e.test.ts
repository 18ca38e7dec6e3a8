import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectArtifacts } from '../action/artifacts/collect-artifacts.ts';
import { sendWorkspace } from '../action/workspace/send-workspace.ts';
import type { Sandbox } from '../hostd/client/index.ts';
import { useHostd } from './support/suite.ts';

const suite = useHostd();
const secret = 'c2VjcmV0LWNyZWRlbnRpYWw';
let sandbox: Sandbox;
let folder: string;
let workspace: string;

beforeAll(async () => {
  // artifacts by the thousand: in memory where there is a place for them
  folder = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'offshoot-action-'));
  workspace = path.join(folder, 'work', 'name', 'name');
  mkdirSync(workspace, { recursive: true });
  sandbox = await suite.create();
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function inGuest(script: string): Promise<string> {
  return (await sandbox.exec(['/bin/sh', '-c', `set -e\n${script}`], { cwd: '/', check: true })).stdout;
}

test('a workspace arrives as it is, root’s, with a git tree that has no credentials', async () => {
  const long = `${'n'.repeat(240)}\n${'ü'.repeat(4)}`;
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.org'];
    execFileSync('git', [...identity, ...args], { cwd: workspace, stdio: 'ignore' });
  };
  git('init', '-q', '-b', 'main');
  mkdirSync(path.join(workspace, 'd/e'), { recursive: true });
  writeFileSync(path.join(workspace, 'd/run'), '#!/bin/sh\necho ran\n', { mode: 0o755 });
  writeFileSync(path.join(workspace, long), 'odd');
  symlinkSync('run', path.join(workspace, 'd/relative'));
  symlinkSync('/nowhere', path.join(workspace, 'dangling'));
  symlinkSync('d', path.join(workspace, 'to-folder'));
  writeFileSync(path.join(workspace, '.gitignore'), 'holes\nnode_modules\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('config', 'remote.origin.url', `https://x-access-token:${secret}@example.org/a.git`);
  git('config', 'http.https://example.org/.extraheader', `AUTHORIZATION: basic ${secret}`);
  git('config', `includeIf.gitdir:${workspace}/.git.path`, '/runner/_temp/git-credentials-1.config');
  linkSync(path.join(workspace, 'd/run'), path.join(workspace, 'd/e/same'));
  git('add', '-A');
  git('commit', '-qm', 'second');
  writeFileSync(path.join(workspace, 'holes'), '');
  truncateSync(path.join(workspace, 'holes'), 1024 ** 3);
  mkdirSync(path.join(workspace, 'node_modules'));
  writeFileSync(path.join(workspace, 'node_modules/x'), '');
  execFileSync('chown', ['-R', '1000:1000', workspace]);

  const sent = await sendWorkspace(sandbox, { folder: workspace, remote: workspace, exclude: ['node_modules'] });

  const expected = execFileSync('find', ['.', '-name', 'node_modules', '-prune', '-o', '-printf', 'x'], {
    cwd: workspace,
  });
  expect(sent.entries).toBe(expected.length);
  expect(sent).toMatchObject({ warnings: [], scrubbed: ['".git/config"'] });
  const facts = await inGuest(`cd ${workspace}
stat -c '%u:%g %a %h' d/run; ./to-folder/relative; readlink dangling; stat -c %s holes; du -k holes | cut -f1
[ -e node_modules ] || echo excluded; [ "$(ls | grep -c nnn)" = 1 ] && echo long; find . ! -user root | wc -l
grep -rl ${secret} . || echo clean; cat .git/config`);
  expect(facts.split('\n').slice(0, 9)).toEqual([
    '0:0 755 2',
    'ran',
    '/nowhere',
    '1073741824',
    '0',
    'excluded',
    'long',
    '0',
    'clean',
  ]);
  expect(facts).toContain('url = "https://example.org/a.git"');
  expect(facts).not.toContain('include');
  expect(readFileSync(path.join(workspace, '.git/config'), 'utf8')).toContain(secret);
  if ((await sandbox.exec('command -v git')).exitCode === 0)
    expect(await inGuest(`cd ${workspace}; git status --porcelain; git log --format=%s`)).toBe('second\nfirst\n');
});

test('an empty workspace, and one that is not there, make an empty folder', async () => {
  for (const name of ['empty', 'missing']) {
    const local = path.join(folder, name);
    if (name === 'empty') mkdirSync(local);
    expect(await sendWorkspace(sandbox, { folder: local, remote: `/made/${name}` })).toMatchObject({ entries: 1 });
    expect(await inGuest(`ls -A /made/${name} | wc -l`)).toBe('0\n');
  }
});

test('artifacts come by glob in one stream: ten thousand, with paths, without what was not asked for', async () => {
  await inGuest(`mkdir -p /build/out/deep /build/other /tmp/reports; cd /build
seq -f out/d%g 0 99 | xargs mkdir
awk 'BEGIN { for (d = 0; d < 100; d++) for (n = 0; n < 100; n++) { f = "out/d" d "/" n; printf "" > f; close(f) } }'
echo js > out/deep/a.js; echo map > out/deep/a.js.map; echo no > other/no; echo top > top.log; echo '<x/>' > /tmp/reports/r.xml`);
  const into = path.join(folder, 'artifacts');
  const globs = ['out/**', '!**/*.map', '{top,none}.log', '/tmp/reports/*.xml', 'nothing/**'];
  const collected = await collectArtifacts(sandbox, { globs, base: '/build', into });
  expect(collected).toEqual({
    files: 10_003,
    bytes: 3 + 4 + 5,
    unmatched: ['nothing/**'],
    refused: [],
    warnings: [],
  });
  expect(readdirSync(into).sort()).toEqual(['out', 'r.xml', 'top.log']);
  expect(readdirSync(path.join(into, 'out/deep'))).toEqual(['a.js']);
  expect(readdirSync(path.join(into, 'out/d99'))).toHaveLength(100);
});

test('what a hostile guest plants among artifacts stays out', async () => {
  await inGuest(`rm -rf /h; mkdir -p /h/dir/.git /h/real; cd /h
ln -s /etc absolute; ln -s ../../.. dir/up; ln -s ../real dir/inside; mkfifo pipe; mknod null c 1 3
echo set > suid; chmod 6777 suid; echo x > "$(printf 'end\\nx\\n.')"; echo A > Case; echo a > case
echo hook > dir/.git/config; ln Case hard; echo deep > real/file; echo l > absolute-not`);
  const into = path.join(folder, 'hostile');
  const { files, refused } = await collectArtifacts(sandbox, { globs: ['**'], base: '/h', into });
  expect(refused.sort()).toEqual([
    '"absolute" is a link to an absolute path',
    '"dir/.git/config" was not asked for',
    '"dir/up" is a link out of the folder',
  ]);
  expect(readdirSync(into).sort()).toEqual([
    'Case',
    'absolute-not',
    'case',
    'dir',
    'end\nx\n.',
    'hard',
    'real',
    'suid',
  ]);
  expect(files).toBe(8);
  expect(lstatSync(path.join(into, 'suid')).mode & 0o7777).toBe(0o755);
  expect(readFileSync(path.join(into, 'dir/inside/file'), 'utf8')).toBe('deep\n');
  // the link that came is not gone through by what comes later
  await inGuest(`cd /h/dir && rm inside && mkdir inside && echo evil > inside/file`);
  const again = await collectArtifacts(sandbox, { globs: ['dir/inside/**'], base: '/h', into });
  expect(again).toMatchObject({ files: 0, refused: ['"dir/inside" needs a folder where a file or a link is'] });
  expect(readFileSync(path.join(into, 'real/file'), 'utf8')).toBe('deep\n');
  await expect(collectArtifacts(sandbox, { globs: ['**'], base: '/h', into, maxEntries: 3 })).rejects.toThrow(
    'more than 3 entries',
  );
});

test('the SDK downloads by include globs too', async () => {
  const local = path.join(folder, 'download');
  await sandbox.files.download('/build', local, { include: ['out/deep/*.{js,map}', '!**/*.map'] });
  expect(readdirSync(local, { recursive: true }).sort()).toEqual(['out', 'out/deep', 'out/deep/a.js']);
});
