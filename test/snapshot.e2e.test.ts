import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../hostd/client/index.ts';
import { countIn, expectCounting } from './support/guest-counter.ts';
import { useHostd } from './support/suite.ts';

const suite = useHostd();

const answer = async (sandbox: Sandbox, command: string) =>
  (await sandbox.exec(command, { check: true })).stdout.trim();

describe('snapshots', { timeout: 180_000 }, () => {
  test('taken today, started from tomorrow: processes, files and memory are there', async () => {
    const source = await suite.create({ env: { TOKEN: 'secret' } });
    await source.exec('echo prepared > /workspace/state', { check: true });
    await source.spawn('n=0; while :; do n=$((n+1)); echo $n > /run/n.new; mv /run/n.new /run/n; sleep 0.05; done');
    await countIn(source, '/run/n');
    const info = await source.snapshot({ name: 'prepared', retentionDays: 1 });
    expect(info).toMatchObject({ name: 'prepared', hasEnvValues: true, restorable: { ok: true } });
    await source.exec('echo later > /workspace/state', { check: true });
    await source.stop();
    await suite.hostd.stop();
    await suite.hostd.start();
    const copies = [await suite.create({ snapshot: 'prepared' }), await suite.create({ snapshot: 'prepared' })];
    const ids = new Set<string>();
    for (const copy of copies) {
      expect(copy.info).toMatchObject({ snapshot: 'prepared', generation: 2 });
      const [state, machineId] = (await answer(copy, 'cat /workspace/state /etc/machine-id')).split('\n');
      expect(state).toBe('prepared');
      ids.add(machineId ?? '');
      await expectCounting(copy, '/run/n');
      expect(await answer(copy, 'echo "[$TOKEN]"')).toBe('[]');
    }
    expect(ids.size).toBe(2);
    await expect(suite.client.snapshots.remove('prepared')).rejects.toMatchObject({
      code: 'snapshot-in-use',
      details: { usedBy: copies.map(({ id }) => id).sort() },
    });
    await using grandchild = await (copies[0] as Sandbox).fork();
    expect(await answer(grandchild, 'cat /workspace/state')).toBe('prepared');
    for (const copy of copies) await copy.stop();
    await suite.client.snapshots.remove('prepared');
    expect(await answer(grandchild, 'echo alive')).toBe('alive');
  });

  test('its disk boots cold where its memory can not be restored', async () => {
    const source = await suite.create();
    await source.exec('echo on disk > /workspace/state; sync', { check: true });
    await source.snapshot({ name: 'disk' });
    await source.stop();
    await using booted = await suite.create({ snapshot: 'disk', bootDisk: true });
    expect(await answer(booted, 'cat /workspace/state')).toBe('on disk');
    expect(Number(await answer(booted, 'cut -d. -f1 /proc/uptime'))).toBeLessThan(60);
    await using copy = await booted.fork();
    expect(await answer(copy, 'cat /workspace/state')).toBe('on disk');
    await booted.stop();
    await suite.client.snapshots.remove('disk');
  });
});
