import { describe, expect, it } from 'vitest';
import { systemRunner, type Runner, type RunOptions } from '../../hostd/platform/run.ts';
import { Root, rootSearchPath } from './root.ts';

function recorder(
  code: number,
  stderr = '',
): { runner: Runner; calls: [string, readonly string[], RunOptions | undefined][] } {
  const calls: [string, readonly string[], RunOptions | undefined][] = [];
  const runner: Runner = {
    run: (command, args, options) => {
      calls.push([command, args, options]);
      return Promise.resolve({ code, signal: null, stdout: '', stderr });
    },
  };
  return { runner, calls };
}

const env = {
  PATH: '/usr/bin',
  GITHUB_TOKEN: 'secret',
  https_proxy: 'http://proxy:1',
  npm_config_registry: 'r',
  HOME: '/home/r',
};

describe('programs of root', () => {
  it('run with sudo, keeping only how packages are reached', async () => {
    const { runner, calls } = recorder(0);
    await new Root(runner, 1001, env).run('mkdir', ['a b']);
    const [command, args] = calls[0] ?? [];
    expect(command).toBe('sudo');
    expect(args?.slice(0, 4)).toEqual(['-n', '--preserve-env=https_proxy,npm_config_registry', '--', 'env']);
    expect(args?.slice(4)).toEqual([`PATH=${rootSearchPath('/usr/bin')}`, 'mkdir', 'a b']);
  });

  it('run as they are when the runner is root, without its secrets', async () => {
    const { runner, calls } = recorder(0);
    await new Root(runner, 0, env).run('mkdir', ['a']);
    expect(calls[0]?.[0]).toBe('env');
    expect(calls[0]?.[2]?.env).toEqual({
      PATH: '/usr/bin',
      https_proxy: 'http://proxy:1',
      npm_config_registry: 'r',
      HOME: '/home/r',
    });
    const real = await new Root(systemRunner, 0, { ...env, PATH: process.env['PATH'] }).run('sh', [
      '-c',
      'echo $GITHUB_TOKEN-$npm_config_registry',
    ]);
    expect(real.stdout).toBe('-r\n');
  });

  it('need sudo without a password', async () => {
    const refused = new Root(recorder(1, 'sudo: a password is required').runner, 1001, env).check();
    await expect(refused).rejects.toMatchObject({
      code: 'local-host-failed',
      message: expect.stringContaining('a password is required'),
    });
    await new Root(recorder(1).runner, 0, env).check();
    const without = new Root(
      { run: (command, args, options) => systemRunner.run(`/nowhere/${command}`, args, options) },
      1001,
      env,
    );
    await expect(without.check()).rejects.toThrow(/sudo does not give it.*ENOENT/s);
  });

  it('that fail say so in their own words', async () => {
    const root = new Root(recorder(2, 'first\nmkdir: no room').runner, 0, env);
    await expect(root.mustRun('Making it', 'mkdir', ['a'])).rejects.toThrow('Making it failed: mkdir: no room');
  });
});

describe('a program', () => {
  const root = new Root(systemRunner, 0, { PATH: process.env['PATH'] });

  it('that takes too long is killed and says so', async () => {
    const { code, stderr } = await root.run('sleep', ['60'], { timeoutMs: 50 });
    expect([code, stderr]).toEqual([null, 'env did not end within 50 ms']);
  });

  it('ends with its signal', async () => {
    const stop = new AbortController();
    const running = root.run('sleep', ['60'], { signal: stop.signal });
    stop.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
  });

  it('gets its input and gives code and output', async () => {
    const result = await root.run('sh', ['-c', 'cat; echo e >&2; exit 3'], { input: 'in' });
    expect(result).toEqual({ code: 3, signal: null, stdout: 'in', stderr: 'e\n' });
  });
});
