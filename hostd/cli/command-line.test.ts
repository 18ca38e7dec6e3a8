import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { completionScript } from './commands/completion.ts';
import { buildProgram } from './command-line.ts';

const main = path.join(import.meta.dirname, 'main.ts');

function offshoot(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const result = spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    env: { ...process.env, OFFSHOOT_HOST: 'unix:/nonexistent/hostd.sock', NO_COLOR: '1' },
  });
  return { code: result.status, stdout: result.stdout, stderr: result.stderr };
}

describe('failures of the command line', () => {
  test('no daemon: one sentence, the hint, exit code 125, no stack trace', () => {
    const { code, stdout, stderr } = offshoot('sandbox', 'list');
    expect(code).toBe(125);
    expect(stdout).toBe('');
    expect(stderr).toContain('[host-unreachable]');
    expect(stderr).toContain('hint: Start it: offshoot hostd');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('--json gives the error as JSON on stderr', () => {
    const { code, stderr } = offshoot('sandbox', 'list', '--json');
    expect(code).toBe(125);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'host-unreachable', retryable: true } });
  });

  test.each([
    [['run']],
    [['sandbox', 'exec', 'sbx_1']],
    [['sandbox', 'exec', 'sbx_1', '--user', 'nobody', '--', 'id']],
    [['sandbox', 'cp', 'a', 'b']],
    [['run', '--memory', 'NaN', '--', 'true']],
    [['run', '--cpus', '-1', '--', 'true']],
    [['sandbox', 'create', '--label', 'novalue']],
    [['nonsense']],
    [['sandbox', 'list', '--nonsense']],
    [['completion', 'fish']],
    [['sandbox', 'fork']],
    [['sandbox', 'fork', 'sbx_1', '--count', '0']],
    [['sandbox', 'fork', 'sbx_1', '--count', '1.5']],
    [['sandbox', 'fork', 'sbx_1', '--egress', 'some']],
    [['run', '--egress', 'closed', '--', 'true']],
    [['run', '--stdin', '--allow-from', '-', '--', 'cat']],
    [['sandbox', 'create', '--allow-from', '-', '--allow-from', '-']],
    [['sandbox', 'create', '--allow-from', '/nonexistent/rules']],
    [['sandbox', 'firewall', 'set']],
    [['sandbox', 'firewall', 'set', 'sbx_1']],
    [['sandbox', 'firewall', 'set', 'sbx_1', '--mode', 'closed']],
    [['sandbox', 'firewall', 'show']],
    [['sandbox', 'firewall', 'clear']],
    [['sandbox', 'pause']],
    [['sandbox', 'pause', 'sbx_1', '--hibernate-after', '-1']],
    [['sandbox', 'snapshot', 'sbx_1']],
    [['sandbox', 'snapshot', 'sbx_1', '--name', 'a', '--retention-days', '0']],
    [['snapshot', 'rm']],
  ])('%j is a usage error', (args) => {
    const { code, stderr } = offshoot(...args);
    expect(code).toBe(125);
    expect(stderr).not.toContain('host-unreachable');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stderr.length).toBeGreaterThan(20);
  });

  test('--help and --version succeed', () => {
    expect(offshoot('--help').code).toBe(0);
    expect(offshoot('sandbox', '--help').stdout).toContain('exec');
    expect(offshoot('--version').stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe('completion', () => {
  function complete(...words: string[]): string[] {
    const script = completionScript(buildProgram(), 'bash');
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const probe = `${script}\nCOMP_WORDS=(offshoot ${quoted}); COMP_CWORD=${String(words.length)}; _offshoot; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', probe], { encoding: 'utf8' })
      .split('\n')
      .filter((word) => word !== '');
  }

  test('commands, subcommands and options are offered where they belong', () => {
    expect(complete('san')).toEqual(['sandbox']);
    expect(complete('sandbox', 'in')).toEqual(['inspect']);
    expect(complete('sandbox', 'create', '--mem')).toEqual(['--memory']);
    expect(complete('image', 'build', '--inc')).toEqual(['--include']);
    expect(complete('sandbox', 'exec', 'sbx_1', '--', '--mem')).toEqual([]);
    expect(complete('sandbox', 'fo')).toEqual(['fork']);
    expect(complete('sandbox', 'fork', 'sbx_1', '--ke')).toEqual(['--keep-snapshot']);
    expect(complete('sandbox', 'pause', '--hi')).toEqual(['--hibernate-after']);
    expect(complete('sandbox', 'snapshot', 'sbx_1', '--re')).toEqual(['--retention-days']);
    expect(complete('snapshot', '')).toEqual(['list', 'inspect', 'rm', '--help']);
    expect(complete('run', '--boot')).toEqual(['--boot-disk']);
    expect(complete('run', '--al')).toEqual(['--allow', '--allow-from']);
    expect(complete('sandbox', 'fork', 'sbx_1', '--eg')).toEqual(['--egress']);
    expect(complete('run', '--egress', '')).toEqual(['enforce', 'audit', 'open', 'none']);
    expect(complete('sandbox', 'firewall', 'set', 'sbx_1', '--mode', 'a')).toEqual(['audit']);
    expect(complete('sandbox', 'firewall', 'set', 'sbx_1', '--egress', 'a')).toEqual(['audit']);
    expect(complete('run', '--', '--egress', '')).toEqual([]);
    expect(complete('sandbox', 'fire')).toEqual(['firewall']);
    expect(complete('sandbox', 'firewall', '')).toEqual(['set', 'show', 'clear', '--help']);
    expect(complete('sandbox', 'firewall', 'set', 'sbx_1', '--mo')).toEqual(['--mode']);
  });
});
