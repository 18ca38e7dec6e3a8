import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
