import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Served } from '../api/testing/served.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { EgressPolicyInput } from './index.ts';
import { Sandbox } from './sandbox.ts';
import { answerJson, ScriptedServer } from './testing/scripted-server.ts';

let served: Served;
let tools: string;
let connection: { host: string };
beforeEach(async () => {
  served = await Served.start();
  connection = { host: `unix:${served.socketPath}` };
  tools = await mkdtemp(path.join(tmpdir(), 'offshoot-tools-'));
  vi.stubEnv('PATH', `${tools}:${process.env['PATH'] ?? ''}`);
  await npmAnswers(`echo '{"registry":"https://192.0.2.7/"}'`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(tools, { recursive: true });
  await served[Symbol.asyncDispose]();
});

/** This machine's npm. */
async function npmAnswers(script: string): Promise<void> {
  const npm = path.join(tools, 'npm');
  await writeFile(npm, `#!/bin/sh\n${script}\n`);
  await chmod(npm, 0o755);
}

function requestOf(call: string): unknown {
  return served.host.calls.findLast(([name]) => name === call)?.at(call === 'create' ? 1 : 2);
}

async function sandbox(egress?: EgressPolicyInput): Promise<Sandbox> {
  return Sandbox.create({ id: 'sbx_1', connection, ...(egress === undefined ? {} : { egress }) });
}

const given: [EgressPolicyInput, object][] = [
  [['a.example'], { mode: 'enforce', allow: ['a.example'] }],
  [[], { mode: 'enforce', allow: [] }],
  [
    { mode: 'audit', allow: ['a.example'] },
    { mode: 'audit', allow: ['a.example'] },
  ],
  [{ mode: 'none' }, { mode: 'none', allow: [] }],
  [['a.example:22', 'auto:npm b.example'], { mode: 'enforce', allow: ['a.example:22', '192.0.2.7:443', 'b.example'] }],
  [
    { mode: 'audit', allow: ['auto:npm'] },
    { mode: 'audit', allow: ['192.0.2.7:443'] },
  ],
];

describe('a policy', () => {
  test.each(given)('%j goes with create, fork and setEgress, filled in', async (egress, expected) => {
    const source = await sandbox(egress);
    expect(requestOf('create')).toMatchObject({ egress: expected });
    const copy = await source.fork({ egress });
    expect(requestOf('fork')).toMatchObject({ egress: expected });
    await source.setEgress(egress);
    expect(requestOf('egress')).toEqual(expected);
    await copy.disconnect();
    await source.disconnect();
  });

  test('that is not given is not sent', async () => {
    const source = await sandbox();
    expect(requestOf('create')).not.toHaveProperty('egress');
    await (await source.fork()).disconnect();
    expect(requestOf('fork')).not.toHaveProperty('egress');
    await source.disconnect();
  });

  test('that can not be filled in fails before anything is asked of hostd', async () => {
    const source = await sandbox();
    const asked = served.host.calls.length;
    await npmAnswers('exit 3');
    for (const attempt of [
      () => sandbox(['auto:npm']),
      () => source.fork({ egress: ['auto:npm'] }),
      () => source.setEgress(['auto:npm']),
    ]) {
      const error: unknown = await attempt().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OffshootError);
      expect(error).toMatchObject({ code: 'egress-auto-failed' });
    }
    expect(served.host.calls).toHaveLength(asked);
    await source.disconnect();
  });

  test('that takes long to fill in is given up when the signal fires, and nothing is sent', async () => {
    const source = await sandbox();
    const asked = served.host.calls.length;
    await npmAnswers('exec sleep 30');
    const startedMs = performance.now();
    const create = Sandbox.create({ connection, egress: ['auto:npm'], signal: AbortSignal.timeout(50) });
    await expect(create).rejects.toMatchObject({ code: 'aborted' });
    const leaving = new AbortController();
    const fork = source.fork({ egress: { allow: ['auto:npm'] }, signal: leaving.signal });
    leaving.abort('enough');
    await expect(fork).rejects.toBe('enough');
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    expect(served.host.calls).toHaveLength(asked);
    await source.disconnect();
  });

  test.each(['a.example', [1], { allow: 'a.example' }, { mode: 'half' }, {}])(
    '%j from a program without types is refused by hostd',
    async (egress) => {
      const source = await sandbox();
      const refused = source.setEgress(egress as unknown as EgressPolicyInput);
      await expect(refused).rejects.toMatchObject({ code: 'invalid-request' });
      await source.disconnect();
    },
  );
});

test('setEgress answers the policy in force, and the object knows it', async () => {
  const source = await sandbox(['a.example']);
  expect(await source.setEgress({ mode: 'audit' })).toEqual({ mode: 'audit', allow: [], revision: 2 });
  expect(source.info.egress).toEqual({ mode: 'audit', allow: [], revision: 2 });
  expect(source.info.id).toBe('sbx_1');
  await source.disconnect();
});

test('rules that hostd refuses are an OffshootError with an issue each', async () => {
  const source = await sandbox();
  const issues = [{ path: '*', message: 'allows everything' }];
  served.host.sandboxes.setEgress = () =>
    Promise.reject(new OffshootError('egress-rules-invalid', { details: { issues } }));
  await expect(source.setEgress(['*'])).rejects.toMatchObject({ code: 'egress-rules-invalid', details: { issues } });
  expect(source.info.egress.revision).toBe(1);
  await source.disconnect();
});

describe('the report', () => {
  test('tells policy, allowed and denied, and renews what the object knows', async () => {
    const source = await sandbox(['a.example']);
    const other = await Sandbox.connect('sbx_1', connection);
    await other.setEgress(['b.example']);
    await other.disconnect();
    const report = await source.egressReport();
    expect(report).toMatchObject({
      policy: { mode: 'enforce', allow: ['b.example'], revision: 2 },
      denied: [{ name: 'other.example.com', reason: 'sni', blocked: true, count: 2 }],
      suggestedAllow: ['b.example', 'other.example.com:443'],
    });
    expect(source.info.egress).toEqual(report.policy);
    await source.disconnect();
  });

  test('of a sandbox that is forgotten throws sandbox-not-found', async () => {
    const source = await sandbox();
    served.host.machines.clear();
    await expect(source.egressReport()).rejects.toMatchObject({ code: 'sandbox-not-found' });
    await source.disconnect();
  });

  test('is given up when its signal fires', async () => {
    const info = (await sandbox()).info;
    await using silent = await ScriptedServer.start((request, response) => {
      if (request.url?.endsWith('/egress') !== true) answerJson(response, 200, info);
    });
    const source = await Sandbox.connect('sbx_1', { host: silent.host });
    await expect(source.egressReport({ signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ code: 'aborted' });
    await source.disconnect();
  });
});
