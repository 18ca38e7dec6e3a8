import { expect, test } from 'vitest';
import { Served } from '../api/testing/served.ts';
import { HostClient } from './host-client.ts';
import { Sandbox } from './sandbox.ts';

test('snapshots are listed, described and removed', async () => {
  await using served = await Served.start();
  const connection = { host: `unix:${served.socketPath}` };
  await using host = new HostClient(connection);
  expect(await host.snapshots.list()).toEqual([]);
  const sandbox = await Sandbox.create({ id: 'sbx_1', connection });
  const taken = await sandbox.snapshot({ name: 'monday' });
  await sandbox.disconnect();
  expect(await host.snapshots.list()).toEqual([taken]);
  expect(await host.snapshots.get('monday')).toEqual(taken);
  served.host.kept.set('monday', { ...taken, usedBy: ['sbx_9'] });
  await expect(host.snapshots.remove('monday')).rejects.toMatchObject({
    code: 'snapshot-in-use',
    details: { usedBy: ['sbx_9'] },
  });
  served.host.kept.set('monday', taken);
  await host.snapshots.remove('monday');
  await expect(host.snapshots.get('monday')).rejects.toMatchObject({ code: 'snapshot-not-found' });
  await expect(host.snapshots.get('../host')).rejects.toMatchObject({ code: 'invalid-request' });
});
