import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { Served } from '../api/testing/served.ts';
import { egressReportSchema } from '../contract/egress.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { runOffshoot, type Run } from './testing/run-offshoot.ts';

// each test starts several processes
vi.setConfig({ testTimeout: 60_000 });

let served: Served;
beforeEach(async () => {
  served = await Served.start();
  await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_1' } });
});
afterEach(async () => {
  await served[Symbol.asyncDispose]();
});

const offshoot = (...args: string[]): Promise<Run> => runOffshoot(`unix:${served.socketPath}`, args);

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
