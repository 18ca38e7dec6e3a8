import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { Served } from '../api/testing/served.ts';
import { denialReasons, egressPolicyInfoSchema, egressReportSchema } from '../contract/egress.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { runOffshoot, type Run } from './testing/run-offshoot.ts';

// each test starts several processes
vi.setConfig({ testTimeout: 60_000 });

let served: Served;
let folder: string;
let listFile: string;
beforeEach(async () => {
  served = await Served.start();
  await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_1' } });
  folder = await mkdtemp(path.join(tmpdir(), 'offshoot-rules-'));
  listFile = path.join(folder, 'rules.txt');
  await writeFile(listFile, '# the build\nfile.example:443\n');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await served[Symbol.asyncDispose]();
});

const offshoot = (...args: string[]): Promise<Run> => runOffshoot(`unix:${served.socketPath}`, args);
const withInput = (input: string, ...args: string[]): Promise<Run> =>
  runOffshoot(`unix:${served.socketPath}`, args, () => Promise.resolve(), input);
const requestOf = (call: string): unknown => served.host.calls.findLast(([name]) => name === call)?.[2];
const createRequest = (): unknown => served.host.calls.findLast(([name]) => name === 'create')?.[1];

describe('options of commands that start sandboxes', () => {
  test('--allow alone means enforce, from the command line and from files', async () => {
    const rules = ['--allow', 'a.example b.example:22', '--allow', '*.c.example', '--allow-from', listFile];
    expect((await offshoot('sandbox', 'create', ...rules)).code).toBe(0);
    expect(createRequest()).toMatchObject({
      egress: {
        mode: 'enforce',
        allow: ['a.example b.example:22', '*.c.example', '# the build\nfile.example:443\n'],
      },
    });
  });

  test('--egress with --allow is that mode with that list', async () => {
    await offshoot('sandbox', 'create', '--egress', 'audit', '--allow', 'a.example');
    expect(createRequest()).toMatchObject({ egress: { mode: 'audit', allow: ['a.example'] } });
  });

  test('--allow-from - reads standard input', async () => {
    await withInput('in.example\n', 'sandbox', 'create', '--allow-from', '-');
    expect(createRequest()).toMatchObject({ egress: { mode: 'enforce', allow: ['in.example\n'] } });
  });

  test('an empty list allows nothing', async () => {
    await offshoot('sandbox', 'create', '--allow', '');
    expect(createRequest()).toMatchObject({ egress: { mode: 'enforce', allow: [''] } });
  });

  test('fork takes them; without them the copies are as the source', async () => {
    await offshoot('sandbox', 'fork', 'sbx_1', '--allow', 'a.example');
    expect(requestOf('fork')).toMatchObject({ egress: { mode: 'enforce', allow: ['a.example'] } });
    await offshoot('sandbox', 'fork', 'sbx_1');
    expect(requestOf('fork')).not.toHaveProperty('egress');
  });

  test('--egress none with rules is refused with the reason', async () => {
    const { code, stderr } = await offshoot('sandbox', 'create', '--egress', 'none', '--allow', 'a.example');
    expect(code).toBe(125);
    expect(stderr).toContain('Mode none allows nothing, so it takes no rules. [usage]');
    const set = await offshoot('sandbox', 'firewall', 'set', 'sbx_1', '--mode', 'none', 'a.example');
    expect(set).toMatchObject({ code: 125, stderr });
    expect(await offshoot('sandbox', 'create', '--egress', 'none', '--allow', '# a note')).toMatchObject({ code: 0 });
  });

  test('a file that can not be read is named', async () => {
    const { code, stderr } = await offshoot('sandbox', 'create', '--allow-from', path.join(folder, 'gone'));
    expect(code).toBe(125);
    expect(stderr).toMatch(/rules could not be read: .*gone.* \[local-file-error\]/);
  });
});

describe('sandbox firewall set', () => {
  test('gives rules and prints the policy in force', async () => {
    const { code, stdout } = await offshoot('sandbox', 'firewall', 'set', 'sbx_1', 'a.example:443', 'b.example:22');
    expect(code).toBe(0);
    expect(stdout).toBe('sbx_1: egress enforce, 2 rules (revision 2)\n  a.example:443\n  b.example:22\n');
    expect(requestOf('egress')).toEqual({ mode: 'enforce', allow: ['a.example:443', 'b.example:22'] });
  });

  test('takes a mode, files and standard input', async () => {
    const args = ['sbx_1', '--mode', 'audit', '--from', listFile, '--from', '-', 'a.example', '--json'];
    const { stdout } = await withInput('in.example', 'sandbox', 'firewall', 'set', ...args);
    const allow = ['a.example', '# the build\nfile.example:443\n', 'in.example'];
    expect(egressPolicyInfoSchema.parse(JSON.parse(stdout))).toEqual({ mode: 'audit', allow, revision: 2 });
  });

  test('takes the options that run has, too', async () => {
    const args = ['sbx_1', '--egress', 'audit', '--allow-from', listFile, '--allow', 'a.example', 'b.example'];
    await offshoot('sandbox', 'firewall', 'set', ...args);
    const allow = ['b.example', 'a.example', '# the build\nfile.example:443\n'];
    expect(requestOf('egress')).toEqual({ mode: 'audit', allow });
  });

  test('takes a mode alone', async () => {
    const { stdout } = await offshoot('sandbox', 'firewall', 'set', 'sbx_1', '--mode', 'none');
    expect(stdout).toBe('sbx_1: egress none (revision 2)\n');
    expect(requestOf('egress')).toEqual({ mode: 'none', allow: [] });
  });

  test('tells each rule that is refused', async () => {
    const issues = [{ path: '*', message: 'allows everything: use mode open' }];
    served.host.sandboxes.setEgress = () =>
      Promise.reject(new OffshootError('egress-rules-invalid', { details: { issues } }));
    const { code, stderr } = await offshoot('sandbox', 'firewall', 'set', 'sbx_1', '*');
    expect(code).toBe(125);
    expect(stderr).toContain('  - *: allows everything: use mode open\n');
    issues.push(...Array.from({ length: 50 }, (_, index) => ({ path: `b${String(index)}`, message: 'is bad' })));
    const many = await offshoot('sandbox', 'firewall', 'set', 'sbx_1', '*');
    expect(many.stderr).toContain('  - b48: is bad\n  - and 1 more\n');
  });
});

test('sandbox firewall clear goes back to the default mode of the host', async () => {
  await offshoot('sandbox', 'firewall', 'set', 'sbx_1', 'a.example');
  const info = await served.host.info();
  served.host.info = () => Promise.resolve({ ...info, network: { ...info.network, defaultEgressMode: 'open' } });
  const { stdout } = await offshoot('sandbox', 'firewall', 'clear', 'sbx_1');
  expect(stdout).toBe('sbx_1: egress open (revision 3)\n');
  expect(requestOf('egress')).toEqual({ mode: 'open', allow: [] });
  served.host.info = () => Promise.resolve({ ...info, network: { ...info.network, defaultEgressMode: 'novel' } });
  const unknown = await offshoot('sandbox', 'firewall', 'clear', 'sbx_1');
  expect(unknown).toMatchObject({ code: 125, stderr: expect.stringContaining('[protocol-mismatch]') as unknown });
});

test('sandbox firewall show prints the report, for people and as it is', async () => {
  await offshoot('sandbox', 'firewall', 'set', 'sbx_1', 'a.example:443');
  const { stdout } = await offshoot('sandbox', 'firewall', 'show', 'sbx_1');
  expect(stdout).toMatch(/^sbx_1: egress enforce, 1 rule \(revision 2\)\n {2}a\.example:443\n/);
  expect(stdout).toMatch(/^packages\.example\.com +443 +3 +50\.8 KiB +1\.2 KiB /m);
  expect(stdout).toMatch(/^other\.example\.com +443 +sni +2 /m);
  expect(stdout).toMatch(/paste:\n\na\.example:443\nother\.example\.com:443\n$/);
  const { stdout: help } = await offshoot('sandbox', 'firewall', 'show', '--help');
  for (const reason of denialReasons) expect(help).toMatch(new RegExp(`^  (\\S+, )*${reason}\\b`, 'm'));
  const json = await offshoot('sandbox', 'firewall', 'show', 'sbx_1', '--json');
  const report = await served.json('GET', '/v1/sandboxes/sbx_1/egress');
  expect(JSON.parse(json.stdout)).toEqual(egressReportSchema.parse(report));
  expect(await offshoot('sandbox', 'firewall', 'show', 'sbx_2')).toMatchObject({ code: 125, stdout: '' });
});

test('inspect shows mode and rules, of a sandbox and of a snapshot', async () => {
  await offshoot('sandbox', 'firewall', 'set', 'sbx_1', 'a.example:443', 'b.example:443');
  const shown = /^egress +enforce, 2 rules\n +a\.example:443\n +b\.example:443\ncreated /m;
  expect((await offshoot('sandbox', 'inspect', 'sbx_1')).stdout).toMatch(shown);
  await served.send('POST', '/v1/sandboxes/sbx_1/snapshot', { json: { name: 'monday' } });
  expect((await offshoot('snapshot', 'inspect', 'monday')).stdout).toMatch(shown);
});

describe('the end of exec', () => {
  async function exec(exitCode: number, ...options: string[]): Promise<Run> {
    served.host.running.clear();
    const ended = offshoot('sandbox', 'exec', ...options, 'sbx_1', '--', 'true');
    await expect.poll(() => served.host.running.size, { timeout: 15_000 }).toBe(1);
    for (const id of served.host.running.keys()) served.host.endExec(id, exitCode);
    return ended;
  }

  test('tells what was denied when the command failed; of one that succeeded it asks nobody', async () => {
    await offshoot('sandbox', 'firewall', 'set', 'sbx_1', 'a.example:443');
    let asked = 0;
    const ask = served.host.sandboxes.egressReport.bind(served.host.sandboxes);
    served.host.sandboxes.egressReport = (id) => {
      asked += 1;
      return ask(id);
    };
    const silent = { stdout: '', stderr: '' };
    expect(await exec(0)).toEqual({ code: 0, ...silent });
    expect(await exec(3, '--json')).toMatchObject({ code: 3, stderr: '' });
    expect(asked).toBe(0);
    expect(await exec(3)).toEqual({
      code: 3,
      stdout: '',
      stderr: `offshoot: egress enforce: 1 place not allowed while it ran
  other.example.com, port 443: sni
  to allow it: offshoot sandbox firewall set sbx_1 a.example:443 other.example.com:443
`,
    });
    served.host.sandboxes.egressReport = () => Promise.reject(new OffshootError('internal'));
    expect(await exec(3)).toEqual({ code: 3, ...silent });
  });
});

describe('the end of run', () => {
  async function run(...args: string[]): Promise<Run> {
    served.host.running.clear();
    const ended = offshoot('run', ...args, '--', 'true');
    await expect.poll(() => served.host.running.size, { timeout: 15_000 }).toBe(1);
    for (const id of served.host.running.keys()) served.host.endExec(id, 3);
    return ended;
  }

  test('tells on stderr what was denied; the exit code stays', async () => {
    const { code, stdout, stderr } = await run('--allow', 'a.example:443');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toBe(`offshoot: egress enforce: 1 place not allowed, twice
  other.example.com, port 443: sni, twice
  to allow it: --allow other.example.com:443
`);
  });

  test('shows the list to paste after a run without a policy, in the default mode audit', async () => {
    expect(await run()).toMatchObject({
      code: 3,
      stdout: '',
      stderr: `offshoot: egress audit: let through to 1 host that no rule names
  to allow only what was let through: --allow other.example.com:443
`,
    });
  });

  test('with --json is no text, but the report of the sandbox when it had ended', async () => {
    const stateWhenAsked: string[] = [];
    const ask = served.host.sandboxes.egressReport.bind(served.host.sandboxes);
    served.host.sandboxes.egressReport = async (id) => {
      stateWhenAsked.push((await served.host.sandboxes.get(id)).state);
      return ask(id);
    };
    const json = await run('--allow', 'a.example:443', '--json');
    expect(json).toMatchObject({ code: 3, stderr: '' });
    const printed = z.looseObject({ egress: egressReportSchema }).parse(JSON.parse(json.stdout));
    expect(printed).toMatchObject({ exitCode: 3, egress: { policy: { mode: 'enforce' }, deniedCount: 2 } });
    expect(printed.egress.suggestedAllow).toEqual(['a.example:443', 'other.example.com:443']);
    expect(stateWhenAsked).toEqual(['gone']);
  });

  test('with --json has what there is when no report, no file and no end can be had', async () => {
    served.host.sandboxes.egressReport = () => new Promise(() => undefined);
    const hanging = await run('--json');
    expect({ ...hanging, stdout: z.unknown().parse(JSON.parse(hanging.stdout)) }).toMatchObject({
      code: 3,
      stderr: '',
      stdout: { exitCode: 3, egress: null },
    });
    const noFile = await run('--json', '--download', 'gone:no/such/folder/x');
    expect(noFile.code).toBe(125);
    expect(JSON.parse(noFile.stdout)).toMatchObject({ exitCode: 3 });
    served.host.sandboxes.stop = () => Promise.reject(new OffshootError('invalid-request'));
    const noEnd = await run('--json');
    expect(noEnd.code).toBe(125);
    expect(JSON.parse(noEnd.stdout)).toMatchObject({ exitCode: 3, egress: null });
  });

  test('tells it before a sandbox that is kept', async () => {
    const { stderr } = await run('--allow', 'a.example:443', '--keep');
    expect(stderr).toMatch(/^offshoot: egress enforce: 1 place [^]*offshoot: sbx_\w+ goes on/);
  });

  test('is as ever when the report can not be had', async () => {
    served.host.sandboxes.egressReport = () => Promise.reject(new OffshootError('internal'));
    expect(await run('--allow', 'a.example:443')).toEqual({ code: 3, stdout: '', stderr: '' });
    served.host.sandboxes.egressReport = () => new Promise(() => undefined);
    const startedMs = performance.now();
    expect(await run('--allow', 'a.example:443')).toEqual({ code: 3, stdout: '', stderr: '' });
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });

  test('comes with no report asked for when it was interrupted', async () => {
    let asked = 0;
    served.host.sandboxes.egressReport = () => {
      asked += 1;
      return Promise.reject(new OffshootError('internal'));
    };
    const { code } = await runOffshoot(`unix:${served.socketPath}`, ['run', '--', 'true'], async (child) => {
      await expect.poll(() => served.host.running.size, { timeout: 15_000 }).toBe(1);
      child.kill('SIGINT');
    });
    expect({ code, asked }).toEqual({ code: 130, asked: 0 });
  });
});
