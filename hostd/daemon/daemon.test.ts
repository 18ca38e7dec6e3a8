import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { FakeVmm } from '../vmm/fake-vmm.ts';
import { parseConfig } from './config.ts';
import { toStateError } from './open-state.ts';
import { FakeSurroundings } from './testing/fake-surroundings.ts';

let around: FakeSurroundings;
beforeEach(async () => {
  around = await FakeSurroundings.create();
});
afterEach(async () => {
  await around[Symbol.asyncDispose]();
});

describe('a daemon', () => {
  it('serves its host, leaves sandboxes running when it stops, and finds them when it starts again', async () => {
    const first = await around.start();
    expect(first.address).toEqual(around.config.listen);
    const created = await around.ask('POST', '/v1/sandboxes', { json: { id: 'sbx_1' } });
    expect(created).toMatchObject({ status: 201, body: { state: 'running' } });
    const before = around.machines.running.length;
    await first.stop();
    expect(existsSync(around.socketPath)).toBe(false);
    expect(around.machines.running.length).toBe(before);
    await around.start();
    expect(await around.ask('GET', '/v1/sandboxes/sbx_1')).toMatchObject({ status: 200, body: { state: 'running' } });
    expect((await around.ask('GET', '/v1/host')).body).toMatchObject({ network: { subnet: '10.83.0.0/16' } });
    expect(around.logLines.filter((line) => line.includes('"msg":"ready"'))).toHaveLength(2);
  });

  it('stops once, however often it is asked', async () => {
    const daemon = await around.start();
    await Promise.all([daemon.stop(), daemon.stop()]);
    await daemon.stop();
  });
});

describe('a start', () => {
  it('begins with the checks of the host and touches nothing when they fail', async () => {
    around.parts.checkHost = () => Promise.reject(new OffshootError('not-root'));
    await expect(around.start()).rejects.toMatchObject({ code: 'not-root' });
    expect(existsSync(around.config.stateDirectory)).toBe(false);
  });

  it('on the state of another hostd is state-locked', async () => {
    await around.start();
    around.config = parseConfig({
      stateDirectory: around.config.stateDirectory,
      listen: `unix:${join(around.folder, 'other.sock')}`,
    });
    await expect(around.start()).rejects.toMatchObject({ code: 'state-locked' });
  });

  it('on a taken socket is socket-taken at once, before anything is probed, and the state is free again', async () => {
    const other = createServer((socket) => socket.destroy()).listen(around.socketPath);
    await new Promise((resolve) => other.once('listening', resolve));
    await expect(around.start()).rejects.toMatchObject({ code: 'socket-taken' });
    expect(around.opened).toEqual([]);
    await new Promise((resolve) => other.close(resolve));
    await around.start();
  });

  it('on the state of a newer version is state-newer', async () => {
    await (await around.start()).stop();
    const database = new DatabaseSync(join(around.config.stateDirectory, 'hostd.db'));
    database.exec('PRAGMA user_version = 9999');
    database.close();
    await expect(around.start()).rejects.toMatchObject({ code: 'state-newer' });
    await expect(around.start()).rejects.toMatchObject({ code: 'state-newer' });
  });

  it('without the KVM that is required is kvm-required, with the reason', async () => {
    around.config = { ...around.config, requireKvm: true };
    await expect(around.start()).rejects.toMatchObject({
      code: 'kvm-required',
      message: expect.stringContaining('a fake VMM runs nothing') as unknown,
    });
    around.parts.openVmm = () =>
      Promise.resolve(new FakeVmm({ machines: around.machines, features: { isolation: { tier: 'kvm', reason: '' } } }));
    await around.start();
  });

  it('whose network fails takes everything back', async () => {
    const working = around.parts.openNetwork;
    around.parts.openNetwork = () => Promise.reject(new OffshootError('network-setup-failed'));
    await expect(around.start()).rejects.toMatchObject({ code: 'network-setup-failed' });
    expect(existsSync(around.socketPath)).toBe(false);
    around.parts.openNetwork = working;
    await around.start();
  });

  it('with a group nobody knows is config-invalid', async () => {
    around.config = { ...around.config, socketGroup: 'no-such-group' };
    await expect(around.start()).rejects.toMatchObject({ code: 'config-invalid' });
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

  it.each(['/etc/hostname', '/etc/hostname/x', '/proc/nothing'])('%s can not be', async (stateDirectory) => {
    around.config = { ...around.config, stateDirectory };
    await expect(around.start()).rejects.toMatchObject({ code: 'config-invalid' });
  });

  it('keeps errors it does not know, and those that are known already', () => {
    const unknown = new Error('?');
    expect(toStateError(unknown, '/state')).toBe(unknown);
    const known = new OffshootError('state-newer');
    expect(toStateError(known, '/state')).toBe(known);
  });
});
