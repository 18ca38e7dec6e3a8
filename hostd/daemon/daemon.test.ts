import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { FakeGuestConnector } from '../guest/fake-guest.ts';
import { FakeNetwork } from '../net/fake-network.ts';
import { FakeImages } from '../sandbox/testing/fake-images.ts';
import { FakeResources } from '../sandbox/testing/world.ts';
import { FakeMachines, FakeVmm } from '../vmm/fake-vmm.ts';
import { parseConfig, type HostdConfig } from './config.ts';
import { startDaemon, type Daemon } from './daemon.ts';
import { createLogger } from './logger.ts';
import { toStateError } from './open-state.ts';
import type { DaemonParts } from './parts.ts';

let folder: string;
let machines: FakeMachines;
let parts: DaemonParts & { opened: string[] };
let config: HostdConfig;
let logLines: string[];
const running: Daemon[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'offshoot-daemon-'));
  config = parseConfig({ stateDirectory: join(folder, 'state'), listen: `unix:${join(folder, 'hostd.sock')}` });
  machines = new FakeMachines();
  logLines = [];
  const opened: string[] = [];
  const network = new FakeNetwork(8);
  const images = new FakeImages();
  parts = {
    opened,
    checkHost: () => Promise.resolve(),
    openVmm: () => {
      opened.push('vmm');
      return Promise.resolve(new FakeVmm({ machines }));
    },
    openNetwork: () => Promise.resolve(network),
    openImages: () => images,
    guests: new FakeGuestConnector(),
    resources: () => new FakeResources(),
  };
});

afterEach(async () => {
  for (const daemon of running.splice(0)) await daemon.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<Daemon> {
  const { log } = createLogger('debug', (line) => logLines.push(line));
  const daemon = await startDaemon(config, { log, parts });
  running.push(daemon);
  return daemon;
}

async function ask(method: string, path: string, json?: unknown): Promise<{ status: number; body: unknown }> {
  if (config.listen.kind !== 'unix') throw new Error('not unix');
  const agent = new Agent({ connect: { socketPath: config.listen.path } });
  try {
    const { statusCode, body } = await request(`http://offshoot${path}`, {
      method: method as 'GET',
      dispatcher: agent,
      ...(json === undefined ? {} : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }),
    });
    return { status: statusCode, body: await body.json() };
  } finally {
    await agent.close();
  }
}

describe('a daemon', () => {
  it('serves its host, leaves sandboxes running when it stops, and finds them when it starts again', async () => {
    const first = await start();
    expect(first.address).toEqual(config.listen);
    const created = await ask('POST', '/v1/sandboxes', { id: 'sbx_1' });
    expect(created).toMatchObject({ status: 201, body: { state: 'running' } });
    const before = machines.running.length;
    await first.stop();
    expect(existsSync(join(folder, 'hostd.sock'))).toBe(false);
    expect(machines.running.length).toBe(before);
    await start();
    expect(await ask('GET', '/v1/sandboxes/sbx_1')).toMatchObject({ status: 200, body: { state: 'running' } });
    expect((await ask('GET', '/v1/host')).body).toMatchObject({ network: { subnet: '10.83.0.0/16' } });
    expect(logLines.filter((line) => line.includes('"msg":"ready"'))).toHaveLength(2);
  });

  it('stops once, however often it is asked', async () => {
    const daemon = await start();
    await Promise.all([daemon.stop(), daemon.stop()]);
    await daemon.stop();
  });
});

describe('a start', () => {
  it('begins with the checks of the host and touches nothing when they fail', async () => {
    parts.checkHost = () => Promise.reject(new OffshootError('not-root'));
    await expect(start()).rejects.toMatchObject({ code: 'not-root' });
    expect(existsSync(config.stateDirectory)).toBe(false);
  });

  it('on the state of another hostd is state-locked', async () => {
    await start();
    config = parseConfig({ stateDirectory: config.stateDirectory, listen: `unix:${join(folder, 'other.sock')}` });
    await expect(start()).rejects.toMatchObject({ code: 'state-locked' });
  });

  it('on a taken socket is socket-taken at once, before anything is probed, and the state is free again', async () => {
    const other = createServer((socket) => socket.destroy()).listen(join(folder, 'hostd.sock'));
    await new Promise((resolve) => other.once('listening', resolve));
    await expect(start()).rejects.toMatchObject({ code: 'socket-taken' });
    expect(parts.opened).toEqual([]);
    await new Promise((resolve) => other.close(resolve));
    await start();
  });

  it('on the state of a newer version is state-newer', async () => {
    await (await start()).stop();
    const database = new DatabaseSync(join(config.stateDirectory, 'hostd.db'));
    database.exec('PRAGMA user_version = 9999');
    database.close();
    await expect(start()).rejects.toMatchObject({ code: 'state-newer' });
    await expect(start()).rejects.toMatchObject({ code: 'state-newer' });
  });

  it('without the KVM that is required is kvm-required, with the reason', async () => {
    config = { ...config, requireKvm: true };
    await expect(start()).rejects.toMatchObject({
      code: 'kvm-required',
      message: expect.stringContaining('a fake VMM runs nothing') as unknown,
    });
    parts.openVmm = () =>
      Promise.resolve(new FakeVmm({ machines, features: { isolation: { tier: 'kvm', reason: '' } } }));
    await start();
  });

  it('whose network fails takes everything back', async () => {
    const working = parts.openNetwork;
    parts.openNetwork = () => Promise.reject(new OffshootError('network-setup-failed'));
    await expect(start()).rejects.toMatchObject({ code: 'network-setup-failed' });
    expect(existsSync(join(folder, 'hostd.sock'))).toBe(false);
    parts.openNetwork = working;
    await start();
  });

  it('with a group nobody knows is config-invalid', async () => {
    config = { ...config, socketGroup: 'no-such-group' };
    await expect(start()).rejects.toMatchObject({ code: 'config-invalid' });
  });
});

describe('a state directory', () => {
  it.each([
    [Object.assign(new Error('write'), { code: 'ENOSPC' }), 'host-disk-full'],
    [new Error('database or disk is full'), 'host-disk-full'],
    [Object.assign(new Error('mkdir'), { code: 'EROFS' }), 'config-invalid'],
    [Object.assign(new Error('mkdir'), { code: 'EACCES' }), 'config-invalid'],
  ])('that can not be written (%s) is %s', (error, code) => {
    expect(toStateError(error, '/state')).toMatchObject({
      code,
      message: expect.stringContaining('/state') as unknown,
    });
  });

  it('that is a file is config-invalid', async () => {
    config = { ...config, stateDirectory: '/etc/hostname' };
    await expect(start()).rejects.toMatchObject({ code: 'config-invalid' });
  });

  it('keeps errors it does not know, and those that are known already', () => {
    const unknown = new Error('?');
    expect(toStateError(unknown, '/state')).toBe(unknown);
    const known = new OffshootError('state-newer');
    expect(toStateError(known, '/state')).toBe(known);
  });
});
