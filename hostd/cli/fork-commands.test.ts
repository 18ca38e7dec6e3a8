import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { forkResultSchema } from '../contract/fork.ts';
import { Served } from '../api/testing/served.ts';
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
const requestOf = (call: string) => served.host.calls.find(([name]) => name === call)?.[2];

describe('sandbox fork', () => {
  test('prints the ids of the copies on stdout and what happened on stderr', async () => {
    const options = [
      '--count',
      '2',
      '--label',
      'a=b',
      '--timeout',
      '60',
      '--egress',
      'none',
      '--keep-snapshot',
      'mine',
    ];
    const { code, stdout, stderr } = await offshoot('sandbox', 'fork', 'sbx_1', ...options);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sbx_\w+-0\nsbx_\w+-1\n$/);
    expect(stderr).toContain('2 copies; the source stood still for 9 ms (clone); kept as the snapshot mine');
    expect(requestOf('fork')).toMatchObject({
      count: 2,
      labels: { a: 'b' },
      timeoutSeconds: 60,
      egress: { mode: 'none' },
      keepSnapshot: 'mine',
    });
  });

  test('without options is one copy as its source is', async () => {
    const { stdout } = await offshoot('sandbox', 'fork', 'sbx_1', '--json');
    expect(forkResultSchema.parse(JSON.parse(stdout)).sandboxes).toHaveLength(1);
    const request = requestOf('fork');
    expect(request).toMatchObject({ count: 1, labels: {}, keepSnapshot: false });
    expect(request).not.toHaveProperty('egress');
    expect(request).not.toHaveProperty('timeoutSeconds');
  });

  test('takes --keep-snapshot without a name', async () => {
    await offshoot('sandbox', 'fork', 'sbx_1', '--keep-snapshot');
    expect(requestOf('fork')).toMatchObject({ keepSnapshot: true });
  });

  test('that partly fails prints what runs, and why the rest does not', async () => {
    served.host.forks.failing.add(0);
    const { code, stdout, stderr } = await offshoot('sandbox', 'fork', 'sbx_1', '--count', '2');
    expect(code).toBe(125);
    expect(stdout).toMatch(/^sbx_\w+-1\n$/);
    expect(stderr).toContain('copy 0 did not start: The host has no room. [capacity-exhausted]');
    expect(stderr).toContain('[fork-failed]');
  });

  test('that is interrupted is cancelled', async () => {
    served.host.forks.held = new Promise(() => undefined);
    const { code, stdout, stderr } = await runOffshoot(
      `unix:${served.socketPath}`,
      ['sandbox', 'fork', 'sbx_1', '--count', '3'],
      async (child) => {
        await expect.poll(() => served.host.forks.underWay, { timeout: 15_000 }).toBe(1);
        child.kill('SIGINT');
      },
    );
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toContain('cancelling');
    expect([...served.host.machines.keys()]).toEqual(['sbx_1']);
  });
});

test('sandbox pause and resume take several, and list and inspect show it', async () => {
  await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_2', snapshot: 'monday' } });
  const paused = await offshoot('sandbox', 'pause', 'sbx_1', 'sbx_2', '--hibernate-after', '0');
  expect(paused).toEqual({ code: 0, stdout: 'sbx_1\nsbx_2\n', stderr: '' });
  expect(served.host.calls).toContainEqual(['pause', 'sbx_2', 0]);
  const list = (await offshoot('sandbox', 'list')).stdout;
  expect(list).toMatch(/^sbx_1 +paused \(hibernated\) +default +1 /m);
  expect(list).toMatch(/^sbx_2 +paused \(hibernated\) +snapshot monday +1 /m);
  const inspected = (await offshoot('sandbox', 'inspect', 'sbx_2')).stdout;
  expect(inspected).toMatch(/^snapshot +monday$/m);
  expect(inspected).toMatch(/^paused since +2030/m);
  const resumed = await offshoot('sandbox', 'resume', 'sbx_2', '--json');
  expect(JSON.parse(resumed.stdout)).toMatchObject({ sandboxes: [{ id: 'sbx_2', state: 'running', paused: null }] });
  await offshoot('sandbox', 'pause', 'sbx_1');
  expect(served.host.calls).toContainEqual(['pause', 'sbx_1', undefined]);
});

test('list and inspect show where a copy comes from', async () => {
  const fork = forkResultSchema.parse(await served.json('POST', '/v1/sandboxes/sbx_1/fork'));
  const id = fork.sandboxes[0]?.id ?? '';
  expect((await offshoot('sandbox', 'list')).stdout).toMatch(new RegExp(`^${id} +running +sbx_1 +2 `, 'm'));
  const inspected = (await offshoot('sandbox', 'inspect', id)).stdout;
  expect(inspected).toMatch(/^forked from +sbx_1$/m);
  expect(inspected).toMatch(/^generation +2$/m);
});

describe('snapshots', () => {
  test('are taken, listed, inspected and removed', async () => {
    const taken = await offshoot('sandbox', 'snapshot', 'sbx_1', '--name', 'monday', '--retention-days', '0.5');
    expect(taken).toEqual({ code: 0, stdout: 'monday\n', stderr: '' });
    expect(requestOf('snapshot')).toEqual({ name: 'monday', retentionDays: 0.5 });
    expect((await offshoot('snapshot', 'list')).stdout).toMatch(/^monday +default +1 +512 MiB +131 MiB +yes /m);
    const inspected = (await offshoot('snapshot', 'inspect', 'monday')).stdout;
    expect(inspected).toMatch(/^taken of +sbx_1$/m);
    expect(inspected).toMatch(/^made with +qemu 7\.2\.22, microvm, CPU max, emulated$/m);
    expect(await offshoot('snapshot', 'rm', 'monday')).toEqual({ code: 0, stdout: 'monday\n', stderr: '' });
    expect(await offshoot('snapshot', 'rm', 'monday')).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('[snapshot-not-found]') as unknown,
    });
  });

  test('are what create starts from, with nothing of its own size', async () => {
    const { code } = await offshoot('sandbox', 'create', '--snapshot', 'monday', '--boot-disk', '--id', 'sbx_2');
    expect(code).toBe(0);
    const request = served.host.calls.at(-1)?.[1];
    expect(request).toMatchObject({ id: 'sbx_2', snapshot: 'monday', bootDisk: true });
    for (const field of ['image', 'cpus', 'memoryMiB', 'diskMiB']) expect(request).not.toHaveProperty(field);
    const both = await offshoot('sandbox', 'create', '--snapshot', 'monday', '--memory', '512');
    expect(both.code).toBe(125);
    expect(both.stderr).toContain('memoryMiB: can not be given together with snapshot');
  });

  test('are what run starts from', async () => {
    const run = offshoot('run', '--snapshot', 'monday', '--boot-disk', '--', 'true');
    await expect.poll(() => served.host.running.size, { timeout: 15_000 }).toBe(1);
    for (const id of served.host.running.keys()) served.host.endExec(id, 3);
    expect(await run).toMatchObject({ code: 3 });
    expect(served.host.calls.filter(([call]) => call === 'create').at(-1)?.[1]).toMatchObject({
      snapshot: 'monday',
      bootDisk: true,
    });
  });
});
