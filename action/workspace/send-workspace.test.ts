import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sendWorkspace, type SendOptions, type SentWorkspace } from './send-workspace.ts';

const secret = 'c2VjcmV0LWNyZWRlbnRpYWw';
let folder: string;
let workspace: string;
let guest: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'offshoot-workspace-'));
  workspace = path.join(folder, 'work');
  guest = path.join(folder, 'guest');
  mkdirSync(workspace);
  mkdirSync(guest);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A receiver that unpacks with the system's tar and counts as the guest does. */
async function send(options: Partial<SendOptions> = {}, during: () => void = () => undefined): Promise<SentWorkspace> {
  const uploadArchive = async (archive: Readable): Promise<{ entries: number; bytes: number; skipped: number }> => {
    during();
    const tar = spawn('tar', ['-C', guest, '-vxpf', '-', '--quoting-style=c'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, TAR_OPTIONS: '' },
    });
    let listed = '';
    tar.stdout.on('data', (chunk: Buffer) => (listed += chunk.toString()));
    const closed = once(tar, 'close');
    // tar may end as soon as it has seen the end mark
    tar.stdin.on('error', () => undefined);
    for await (const chunk of archive) tar.stdin.write(chunk);
    tar.stdin.end();
    await closed;
    return { entries: listed.split('\n').length - 1, bytes: 0, skipped: 0 };
  };
  return sendWorkspace({ files: { uploadArchive } }, { folder: workspace, remote: '/w', ...options });
}

function git(cwd: string, ...args: string[]): string {
  const identity = [
    '-c',
    'user.name=T',
    '-c',
    'user.email=t@example.org',
    '-c',
    'protocol.file.allow=always',
    '-c',
    'safe.directory=*',
  ];
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', HOME: folder };
  return execFileSync('git', [...identity, ...args], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function grepSecret(where: string): string[] {
  try {
    return execFileSync('grep', ['-rl', secret, where], { encoding: 'utf8' }).trim().split('\n');
  } catch {
    return [];
  }
}

describe('a tree', () => {
  test('arrives equal: links, modes, holes, odd names', async () => {
    const odd = [
      'ü'.repeat(125),
      `${'n'.repeat(240)}\nend`,
      'new\nline\n',
      '-rf',
      '--help',
      ' lead',
      '"q\\',
      '@list',
      '\xff',
    ];
    for (const name of odd) writeFileSync(path.join(workspace, name), name);
    writeFileSync(Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from([0xff, 0xe9])]), 'bytes');
    mkdirSync(path.join(workspace, 'd/e/empty'), { recursive: true, mode: 0o750 });
    writeFileSync(path.join(workspace, 'd/run'), '#!', { mode: 0o755 });
    symlinkSync('../nowhere', path.join(workspace, 'dangling'));
    symlinkSync('d/e', path.join(workspace, 'to-folder'));
    linkSync(path.join(workspace, 'd/run'), path.join(workspace, 'd/e/same'));
    writeFileSync(path.join(workspace, 'holes'), '');
    truncateSync(path.join(workspace, 'holes'), 1024 ** 3);
    const { entries, warnings, scrubbed } = await send();
    expect(warnings).toEqual([]);
    expect(scrubbed).toEqual([]);
    expect(entries).toBe(19);
    expect(() => execFileSync('diff', ['-r', '--no-dereference', '--exclude=holes', workspace, guest])).not.toThrow();
    expect(statSync(path.join(guest, 'holes')).size).toBe(1024 ** 3);
    expect(statSync(path.join(guest, 'holes')).blocks).toBe(0);
    expect(statSync(path.join(guest, 'd/e/same')).ino).toBe(statSync(path.join(guest, 'd/run')).ino);
    expect(statSync(path.join(guest, 'd/run')).mode & 0o777).toBe(0o755);
    expect(readlinkSync(path.join(guest, 'to-folder'))).toBe('d/e');
    expect(lstatSync(path.join(guest, 'dangling')).isSymbolicLink()).toBe(true);
  });

  test('without what is excluded', async () => {
    for (const name of ['node_modules/a', 'src/node_modules/b', 'src/c.log', 'src/d']) {
      mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
      writeFileSync(path.join(workspace, name), 'x');
    }
    await send({ exclude: ['node_modules', '*.log'] });
    expect(readdirSync(guest, { recursive: true }).sort()).toEqual(['src', 'src/d']);
  });

  test('whatever options for tar the runner has in its environment', async () => {
    writeFileSync(path.join(workspace, 'a'), 'x');
    vi.stubEnv('TAR_OPTIONS', '--exclude=a');
    try {
      expect(await send()).toMatchObject({ entries: 2 });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('that is empty or not there makes an empty folder', async () => {
    expect(await send()).toMatchObject({ entries: 1, warnings: [] });
    expect(await send({ folder: path.join(folder, 'none') })).toMatchObject({ entries: 1, warnings: [] });
    expect(readdirSync(guest)).toEqual([]);
  });

  test('with FIFOs and sockets goes without them; the FIFO is told', async () => {
    execFileSync('mkfifo', [path.join(workspace, 'pipe')]);
    const server = createServer().listen(path.join(workspace, 's'));
    await once(server, 'listening');
    const { warnings, entries } = await send();
    server.close();
    expect(warnings).toEqual(['"pipe" is neither a file nor a folder nor a link and was not sent.']);
    expect(entries).toBe(1);
  });

  test('that changes meanwhile is told, not fatal', async () => {
    writeFileSync(path.join(workspace, 'a-big'), Buffer.alloc(16 * 1024 * 1024, 1));
    writeFileSync(path.join(workspace, 'b-gone'), 'x');
    // the pipe is full long before the end of the first file
    const { warnings } = await send({}, () => {
      const until = Date.now() + 150;
      while (Date.now() < until);
      appendFileSync(path.join(workspace, 'a-big'), 'more');
      rmSync(path.join(workspace, 'b-gone'));
    });
    expect(warnings.some((line) => /"\.\/b-gone".*No such file/.test(line))).toBe(true);
    expect(warnings.some((line) => /"\.\/a-big".*changed/.test(line))).toBe(true);
    expect(existsSync(path.join(guest, 'a-big'))).toBe(true);
  });

  test('that did not arrive whole is an error', async () => {
    writeFileSync(path.join(workspace, 'a'), 'x');
    const receiver = (answer: { entries: number; skipped: number }) => ({
      files: {
        uploadArchive: async (archive: Readable) => {
          archive.resume();
          await once(archive, 'end');
          return { bytes: 0, ...answer };
        },
      },
    });
    const options = { folder: workspace, remote: '/w' };
    await expect(sendWorkspace(receiver({ entries: 1, skipped: 0 }), options)).rejects.toThrow(
      '1 entries of the workspace did not arrive',
    );
    await expect(sendWorkspace(receiver({ entries: 2, skipped: 1 }), options)).rejects.toThrow('did not arrive');
    await expect(sendWorkspace(receiver({ entries: 2, skipped: 0 }), options)).resolves.toMatchObject({ entries: 2 });
  });

  test.skipIf(process.getuid?.() !== 0)('with an unreadable file or folder is an error that names it', () => {
    // root reads everything, so the attempt is made as nobody, from a copy of the code where nobody may read
    const code = path.join(folder, 'code');
    const repository = path.resolve(import.meta.dirname, '../..');
    mkdirSync(code);
    writeFileSync(path.join(code, 'package.json'), '{"type":"module"}');
    execFileSync(
      'cp',
      ['-r', '--parents', 'hostd/client', 'hostd/errors', 'hostd/contract', 'action/workspace', code],
      { cwd: repository },
    );
    symlinkSync(path.join(repository, 'node_modules'), path.join(code, 'node_modules'));
    execFileSync('chmod', ['-R', 'a+rX', folder]);
    writeFileSync(path.join(workspace, 'shut\nfile'), 'x', { mode: 0o600 });
    const attempt = (): string => {
      const script = `import { sendWorkspace } from ${JSON.stringify(path.join(code, 'action/workspace/send-workspace.ts'))};
        const uploadArchive = async (archive) => { for await (const _ of archive); return { entries: 2, bytes: 0, skipped: 0 }; };
        await sendWorkspace({ files: { uploadArchive } }, { folder: ${JSON.stringify(workspace)}, remote: '/w' }).then(
          () => console.log('sent'), (error) => console.log(error.code, error.message));`;
      const nobody = [
        '--reuid=65534',
        '--regid=65534',
        '--clear-groups',
        process.execPath,
        '--input-type=module',
        '-e',
        script,
      ];
      return execFileSync('setpriv', nobody, { encoding: 'utf8', env: { ...process.env, TMPDIR: '/tmp' } });
    };
    expect(attempt()).toMatch(/^local-file-error .*"\.\/shut\\nfile": Cannot open: Permission denied/);
    rmSync(path.join(workspace, 'shut\nfile'));
    mkdirSync(path.join(workspace, 'closed'), { mode: 0o700 });
    expect(attempt()).toMatch(/^local-file-error The folder "closed" of the workspace can't be read \(EACCES\)/);
    rmSync(path.join(workspace, 'closed'), { recursive: true });
    mkdirSync(path.join(workspace, '.git'));
    writeFileSync(path.join(workspace, '.git/config'), '', { mode: 0o600 });
    expect(attempt()).toMatch(/^local-file-error "\.git\/config" can't be read/);
    chmodSync(path.join(workspace, '.git/config'), 0o644);
    expect(attempt()).not.toContain('local-file-error');
  });
});

describe('git', () => {
  function makeRepository(where: string): void {
    mkdirSync(where, { recursive: true });
    git(where, 'init', '-q', '-b', 'main');
    writeFileSync(path.join(where, 'file'), 'content\n');
    git(where, 'add', '-A');
    git(where, 'commit', '-qm', 'first');
  }

  const poison = (config: string): void => {
    appendFileSync(config, `[http "https://example.org/"]\n\textraheader = AUTHORIZATION: basic ${secret}\n`);
  };

  test('works on the synced tree, and no credential is anywhere in it', async () => {
    const upstream = path.join(folder, 'upstream');
    makeRepository(upstream);
    makeRepository(workspace);
    git(workspace, 'branch', 'config');
    git(workspace, 'submodule', '--quiet', 'add', upstream, 'libs/sub');
    git(workspace, 'commit', '-qm', 'submodule');
    git(workspace, 'worktree', 'add', '-q', path.join(workspace, 'linked'), 'config');
    git(workspace, 'config', 'extensions.worktreeConfig', 'true');
    git(workspace, 'clone', '-q', '--bare', upstream, 'bare');
    makeRepository(path.join(workspace, 'nested'));
    appendFileSync(
      path.join(workspace, '.git/info/exclude'),
      '/linked\n/bare\n/nested\n/gitstore\n/shared.config\n/other-name\n.netrc\n.git-credentials\n',
    );
    const dot = path.join(workspace, '.git');
    poison(path.join(dot, 'config'));
    poison(path.join(dot, 'modules/libs/sub/config'));
    poison(path.join(dot, 'worktrees/linked/config.worktree'));
    poison(path.join(dot, 'config.worktree'));
    poison(path.join(workspace, 'bare/config'));
    poison(path.join(workspace, 'nested/.git/config'));
    poison(path.join(workspace, 'shared.config'));
    poison(path.join(folder, 'outside.config'));
    linkSync(path.join(workspace, 'nested/.git/config'), path.join(workspace, 'other-name'));
    renameSync(path.join(workspace, 'nested/.git'), path.join(workspace, 'gitstore'));
    symlinkSync('../gitstore', path.join(workspace, 'nested/.git'));
    git(workspace, 'config', 'remote.origin.url', `https://x-access-token:${secret}@example.org/a.git`);
    git(workspace, 'config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
    git(workspace, 'config', 'include.path', '../shared.config');
    git(workspace, 'config', `includeIf.gitdir:${dot}.path`, path.join(folder, 'outside.config'));
    git(workspace, 'config', 'credential.helper', `store --file=${secret}`);
    writeFileSync(path.join(dot, 'FETCH_HEAD'), `abc\tbranch 'main' of https://${secret}@example.org/a\n`);
    appendFileSync(
      path.join(dot, 'logs/HEAD'),
      readFileSync(path.join(dot, 'logs/HEAD'), 'utf8').replace(
        /\t.*\n[^]*/,
        `\tclone: from https://${secret}@example.org/a\n`,
      ),
    );
    mkdirSync(path.join(dot, 'remotes'), { recursive: true });
    writeFileSync(path.join(dot, 'remotes/old'), `URL: https://${secret}@example.org/a\n`);
    writeFileSync(path.join(workspace, '.git-credentials'), `https://${secret}@example.org\n`);
    writeFileSync(path.join(workspace, '.netrc'), `machine example.org password ${secret}\n`);
    poison(path.join(dot, 'config.lock'));
    const before = execFileSync('tar', ['-C', workspace, '--sort=name', '-cf', '-', '.'], { maxBuffer: 1 << 26 });

    const { scrubbed } = await send();

    expect(grepSecret(workspace).length).toBeGreaterThan(12);
    expect(grepSecret(guest)).toEqual([]);
    expect(
      execFileSync('tar', ['-C', workspace, '--sort=name', '-cf', '-', '.'], { maxBuffer: 1 << 26 }).equals(before),
    ).toBe(true);
    expect(scrubbed).toEqual(
      [
        '.git-credentials',
        '.git/FETCH_HEAD',
        '.git/config',
        '.git/config.lock',
        '.git/config.worktree',
        '.git/logs/HEAD',
        '.git/modules/libs/sub/config',
        '.git/remotes/old',
        '.git/worktrees/linked/config.worktree',
        '.netrc',
        'bare/config',
        'gitstore/config',
        'other-name',
        'shared.config',
      ]
        .map((name) => JSON.stringify(name))
        .sort(),
    );
    rmSync(workspace, { recursive: true });
    renameSync(guest, workspace); // where it would be in the guest
    expect(git(workspace, 'status', '--porcelain')).toBe('');
    expect(git(workspace, 'log', '--format=%s')).toBe('submodule\nfirst\n');
    expect(git(workspace, 'diff', 'HEAD~1', '--stat')).toContain('libs/sub');
    expect(git(workspace, 'config', 'remote.origin.url')).toBe('https://example.org/a.git\n');
    expect(git(workspace, 'config', 'remote.origin.fetch')).toBe('+refs/heads/*:refs/remotes/origin/*\n');
    expect(git(workspace, 'rev-parse', '--verify', 'config')).toMatch(/^[0-9a-f]{40}/);
    expect(git(path.join(workspace, 'libs/sub'), 'status', '--porcelain')).toBe('');
    expect(git(path.join(workspace, 'linked'), 'status', '--porcelain')).toBe('');
    expect(git(path.join(workspace, 'nested'), 'status', '--porcelain')).toBe('');
    expect(git(path.join(workspace, 'bare'), 'log', '--format=%s')).toBe('first\n');
  }, 60_000);

  test('a config without credentials is not touched', async () => {
    makeRepository(workspace);
    const { scrubbed, warnings } = await send();
    expect({ scrubbed, warnings }).toEqual({ scrubbed: [], warnings: [] });
    expect(readFileSync(path.join(guest, '.git/config'))).toEqual(readFileSync(path.join(workspace, '.git/config')));
  });

  test('a config that can not be parsed is not sent, and that is told', async () => {
    makeRepository(workspace);
    appendFileSync(path.join(workspace, '.git/config'), `[http\n extraheader = ${secret}\n`);
    const { scrubbed, warnings } = await send();
    expect(existsSync(path.join(guest, '.git/config'))).toBe(false);
    expect(scrubbed).toEqual(['".git/config"']);
    expect(warnings).toEqual([
      '".git/config" was not sent: it is a git config that can not be read, so it may hold credentials.',
    ]);
  });

  test('the token file of a checkout action inside the workspace stays behind, with the include that names it', async () => {
    makeRepository(workspace);
    mkdirSync(path.join(workspace, '_temp'));
    const file = path.join(workspace, '_temp/git-credentials-1234.config');
    poison(file);
    git(workspace, 'config', 'include.path', file);
    await send();
    expect(grepSecret(guest)).toEqual([]);
    expect(readFileSync(path.join(guest, '.git/config'), 'utf8')).not.toContain('include');
  });

  test('an npmrc with a token is its author’s and goes, unless excluded', async () => {
    writeFileSync(path.join(workspace, '.npmrc'), `//registry.example.org/:_authToken=${secret}\n`);
    await send();
    expect(grepSecret(guest)).toHaveLength(1);
    rmSync(path.join(guest, '.npmrc'));
    await send({ exclude: ['.npmrc'] });
    expect(grepSecret(guest)).toEqual([]);
  });

  test('no copies are left on this machine', async () => {
    const copies = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('offshoot-scrubbed-'));
    makeRepository(workspace);
    poison(path.join(workspace, '.git/config'));
    const before = copies();
    let during: string[] = [];
    await send({}, () => {
      during = copies();
    });
    expect(during.length).toBeGreaterThan(before.length);
    expect(copies().filter((name) => during.includes(name) && !before.includes(name))).toEqual([]);
  });
});
