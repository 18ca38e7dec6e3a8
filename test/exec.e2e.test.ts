import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../hostd/client/index.ts';
import { useHostd } from './support/suite.ts';

const suite = useHostd();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await suite.create({ memoryMiB: 768 });
}, 120_000);

describe('results', () => {
  test.each([
    ['a success', ['true'], { exitCode: 0, signal: null }],
    ['a failure', ['sh', '-c', 'exit 7'], { exitCode: 7, signal: null }],
    ['a missing command', ['no-such-command'], { exitCode: 127 }],
    ['a missing path', ['/no/such/command'], { exitCode: 127 }],
    ['a file that is no program', ['/etc/passwd'], { exitCode: 126 }],
    ['a signal', ['sh', '-c', 'kill -9 $$'], { exitCode: 137, signal: 'SIGKILL' }],
    ['another signal', ['sh', '-c', 'kill -TERM $$'], { exitCode: 143, signal: 'SIGTERM' }],
  ])('%s', async (_name, argv, expected) => {
    expect(await sandbox.exec(argv)).toMatchObject(expected);
  });

  test('a missing cwd and a missing user are named', async () => {
    const cwd = await sandbox.spawn(['true'], { cwd: '/no/such/folder' });
    expect(await cwd.wait()).toMatchObject({ failure: { code: 'cwd-missing' } });
    const user = await sandbox.spawn(['true'], { user: 'nobody-knows' });
    expect(await user.wait()).toMatchObject({ failure: { code: 'user-missing' } });
  });

  test('check turns a failure into an error that carries the result', async () => {
    await expect(sandbox.exec('echo out; echo err >&2; exit 4', { check: true })).rejects.toMatchObject({
      code: 'command-failed',
      details: { exitCode: 4, stdout: 'out\n', stderr: 'err\n' },
    });
  });

  test('a timeout ends the whole process group and says so', async () => {
    const result = await sandbox.exec('trap "" TERM; sleep 1000 & sleep 1000', { timeoutMs: 500 });
    expect(result).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
    const left = async () => (await sandbox.exec("ps -eo args | grep '[s]leep 1000' | wc -l")).stdout.trim();
    await expect.poll(left, { timeout: 20_000 }).toBe('0');
  });

  test('an abort signal kills the exec', async () => {
    const started = Date.now();
    await expect(sandbox.exec('sleep 1000', { signal: AbortSignal.timeout(300) })).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(Date.now() - started).toBeLessThan(20_000);
  });

  test('an exec ends when its process ends, though a child holds its pipes open', async () => {
    const handle = await sandbox.spawn('sleep 300 & echo started');
    const ended = await Promise.race([handle.wait(), sleep(20_000)]);
    expect(ended).toMatchObject({ exitCode: 0 });
  });

  test('zombies are reaped', async () => {
    await sandbox.exec('for i in $(seq 50); do (sleep 0.01 & ) ; done; sleep 0.5', { check: true });
    const zombies = async () => (await sandbox.exec("ps -eo stat | grep -c '^Z' || true")).stdout.trim();
    await expect.poll(zombies, { timeout: 20_000 }).toBe('0');
  });
});

describe('what a command is given', () => {
  test('arguments arrive as they are: nothing is spliced into a shell line', async () => {
    const odd = ['a b', '$HOME', '`id`', "quote'd", '"dq"', 'new\nline', '', '*', '\\', 'ü', '-n'];
    const { stdout } = await sandbox.exec([
      'python3',
      '-c',
      'import sys, json; print(json.dumps(sys.argv[1:]))',
      ...odd,
    ]);
    expect(JSON.parse(stdout)).toEqual(odd);
  });

  test('env of sandbox and exec, cwd and user', async () => {
    const result = await sandbox.exec('echo "$A|$PATH|$HOME|$USER"; pwd; id -u', {
      env: { A: 'x y\n"z"' },
      cwd: '/tmp',
      user: 'nobody',
    });
    expect(result.stdout).toContain('x y\n"z"|/');
    expect(result.stdout).toContain('\n/tmp\n65534\n');
  });

  test('a script of 300 KB runs', async () => {
    const script = `${'# padding padding padding\n'.repeat(12_000)}echo end of the script`;
    expect(script.length).toBeGreaterThan(300_000);
    expect((await sandbox.exec(script)).stdout).toBe('end of the script\n');
  });

  test('an env value of 1 MB is refused before anything starts', async () => {
    await expect(sandbox.exec('true', { env: { BIG: 'x'.repeat(1_000_000) } })).rejects.toMatchObject({
      code: 'invalid-request',
    });
  });

  test.each([
    ['an empty argv', []],
    ['NUL in an argument', ['echo', 'a\0b']],
  ])('%s is refused', async (_name, argv) => {
    await expect(sandbox.exec(argv)).rejects.toMatchObject({ code: 'invalid-request' });
  });
});

describe('input', () => {
  test('arrives whole, binary and in order, then ends', async () => {
    const input = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * 7) % 251));
    const result = await sandbox.exec('sha256sum', { input });
    const { createHash } = await import('node:crypto');
    expect(result.stdout.split(' ')[0]).toBe(createHash('sha256').update(input).digest('hex'));
  });

  test('input that never ends does not keep a command that does not read it', async () => {
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(65_536);
      })(),
    );
    expect(await sandbox.exec('head -c 1000 >/dev/null; echo enough', { input: endless })).toMatchObject({
      exitCode: 0,
      stdout: 'enough\n',
    });
  });

  test('a command without input reads an empty one', async () => {
    expect(await sandbox.exec('cat; echo done')).toMatchObject({ stdout: 'done\n' });
  });
});

describe('terminals', () => {
  test('a pty has the size it is given, and takes a new one', async () => {
    const handle = await sandbox.spawn('stty size; read x; stty size; test -t 0 && echo tty', {
      stdin: true,
      pty: { rows: 33, cols: 111 },
    });
    const screen = follow(handle.output());
    await expect.poll(() => screen.text, { timeout: 30_000 }).toContain('33 111');
    await handle.resize(44, 122);
    await handle.write('\n');
    await screen.over;
    expect(screen.text).toMatch(/33 111[\s\S]*44 122\r\ntty\r\n/);
  });

  test('Ctrl-C reaches the foreground job', async () => {
    const handle = await sandbox.spawn('trap "echo interrupted; exit 5" INT; echo ready; while :; do sleep 0.1; done', {
      stdin: true,
      pty: { rows: 24, cols: 80 },
    });
    const screen = follow(handle.output());
    await expect.poll(() => screen.text, { timeout: 30_000 }).toContain('ready');
    await handle.write('\u0003');
    await screen.over;
    expect(screen.text).toContain('interrupted');
    expect(await handle.wait()).toMatchObject({ exitCode: 5 });
  });
});

/** What has come so far, and when all has. */
function follow(chunks: AsyncGenerator<{ bytes: Buffer }, unknown>): { readonly text: string; over: Promise<void> } {
  const seen = { text: '', over: Promise.resolve() };
  seen.over = (async () => {
    for await (const chunk of chunks) seen.text += chunk.bytes.toString();
  })();
  return seen;
}
