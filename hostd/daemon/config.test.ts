import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOffshootError, type OffshootError } from '../errors/offshoot-error.ts';
import { loadConfig, parseConfig } from './config.ts';
import { groupId } from './group-id.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offshoot-config-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function file(content: string): Promise<string> {
  const path = join(folder, 'config.json');
  await writeFile(path, content);
  return path;
}

async function failure(promise: Promise<unknown>): Promise<OffshootError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isOffshootError(error)) throw new Error('not an OffshootError', { cause: error });
  expect(error.code).toBe('config-invalid');
  return error;
}

describe('the configuration', () => {
  it('is complete without a file', async () => {
    expect(await loadConfig({}, {})).toMatchObject({
      stateDirectory: '/var/lib/offshoot',
      listen: { kind: 'unix', path: '/run/offshoot/hostd.sock' },
      requireKvm: false,
      kvm: 'probe',
      kvmProbeDeadlineMs: 3000,
      logLevel: 'info',
      sandboxes: { uidBase: 640_000, overcommitRatio: 4, defaultEgressMode: 'audit' },
      network: { instance: 'main' },
    });
  });

  it('takes flags over the environment over the file', async () => {
    const config = await file(
      '{"stateDirectory":"/file","listen":"unix:/file.sock","logLevel":"warn","requireKvm":true,"sandboxes":{"maxSandboxes":3}}',
    );
    const env = { OFFSHOOT_STATE: '/env', OFFSHOOT_LISTEN: 'unix:/env.sock', OFFSHOOT_REQUIRE_KVM: '0' };
    const merged = await loadConfig({ state: '/flag', config }, env);
    expect(merged).toMatchObject({
      stateDirectory: '/flag',
      listen: { path: '/env.sock' },
      requireKvm: false,
      logLevel: 'warn',
      sandboxes: { maxSandboxes: 3 },
    });
    expect(await loadConfig({}, { OFFSHOOT_CONFIG: config, OFFSHOOT_STATE: '' })).toMatchObject({
      stateDirectory: '/file',
    });
  });

  it('makes a relative state directory absolute', async () => {
    expect((await loadConfig({ state: 'here' }, {})).stateDirectory).toBe(join(process.cwd(), 'here'));
  });

  it.each([
    ['{"sandboxes":{"maxSandbox":3}}', 'sandboxes', 'maxSandbox'],
    ['{"sandboxes":{"maxSandboxes":"3"}}', 'sandboxes.maxSandboxes', 'number'],
    ['{"network":{"subnet":"8.8.8.0/24"}}', 'network.subnet', 'must lie in'],
    ['{"listen":"tcp:0.0.0.0:1"}', 'listen', 'loopback'],
    ['{"socketGroup":"a b"}', 'socketGroup', ''],
    ['{"kvmProbeDeadlineMs":0}', 'kvmProbeDeadlineMs', ''],
    ['{"logLevel":"loud"}', 'logLevel', ''],
  ])('%s is refused by name', async (content, path, message) => {
    const error = await failure(loadConfig({ config: await file(content) }, {}));
    expect(error.details.issues).toEqual([expect.objectContaining({ path }) as unknown]);
    expect(JSON.stringify(error.details.issues)).toContain(message);
    expect(error.message).toContain('config.json');
  });

  it('that is no JSON object says so', async () => {
    const error = await failure(loadConfig({ config: await file('{\n  "listen": unix\n}') }, {}));
    expect(error.message).toContain('config.json is not valid JSON: Unexpected token');
    expect((await failure(loadConfig({ config: await file('[]') }, {}))).message).toContain('not a JSON object');
  });

  it('that is not there is named', async () => {
    expect((await failure(loadConfig({ config: join(folder, 'none.json') }, {}))).message).toContain('none.json');
  });

  it('knows only switches for OFFSHOOT_REQUIRE_KVM', async () => {
    expect((await loadConfig({}, { OFFSHOOT_REQUIRE_KVM: '1' })).requireKvm).toBe(true);
    await failure(loadConfig({}, { OFFSHOOT_REQUIRE_KVM: 'perhaps' }));
  });

  it('passes the bounds of the api on', () => {
    expect(parseConfig({ api: { maxFollowers: 7 } }).api).toEqual({ maxFollowers: 7 });
  });
});

describe('the group of the socket', () => {
  it('is found by name, or given by id', async () => {
    const groups = join(folder, 'group');
    await writeFile(groups, 'root:x:0:\nci:x:1234:a,b\n');
    expect(await groupId('ci', groups)).toBe(1234);
    expect(await groupId('root', groups)).toBe(0);
    expect(await groupId(77, groups)).toBe(77);
    expect((await failure(groupId('nobody-here', groups))).hint).toContain('groupadd');
  });
});
