import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeClock } from '../../platform/clock.ts';
import { openSqliteStore } from '../../store/sqlite-store.ts';
import type { Store } from '../../store/store.ts';
import { FakeMachines, FakeVmm } from '../../vmm/fake-vmm.ts';
import { StoredEvents } from '../event-service.ts';
import { hostConfigSchema } from '../host-config.ts';
import { silentLogger } from '../host-parts.ts';
import { Registry } from '../registry.ts';
import { statePaths } from '../sandbox-paths.ts';
import type { SnapshotManifest } from './manifest.ts';
import { Snapshots } from './snapshots.ts';

let directory: string;
let store: Store;
let snapshots: Snapshots;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'offshoot-snapshots-'));
  store = openSqliteStore(join(directory, 'state.db'));
  snapshots = new Snapshots({
    paths: statePaths(directory),
    registry: new Registry(store),
    events: new StoredEvents(store, new FakeClock()),
    log: silentLogger,
    vmm: new FakeVmm({ machines: new FakeMachines() }),
    bootId: 'boot-1',
    config: hostConfigSchema.parse({}),
  });
});
afterEach(async () => {
  store.close();
  await rm(directory, { recursive: true });
});

const folders = () => readdir(join(directory, 'snapshots'));

async function keep(id: string) {
  await mkdir(join(directory, 'snapshots', id), { recursive: true });
  return snapshots.add(manifest(id), undefined);
}

const manifest = (id: string): SnapshotManifest => ({
  format: 1,
  id,
  name: 'prepared',
  sandboxId: 'sbx_1',
  image: 'default',
  imageDigest: 'digest',
  agentProtocol: 1,
  shape: { cpus: 1, memoryMiB: 512, diskMiB: 8192 },
  egressMode: 'open',
  egressAllow: [],
  generation: 1,
  hasEnvValues: false,
  kernelArguments: null,
  createdAtMs: 0,
  expiresAtMs: null,
  storedMiB: 1,
  vmm: { name: 'qemu', version: '7.2', machine: 'microvm', cpuModel: 'max', restoreKey: 'key', tier: 'emulated' },
  files: [],
});

test('who comes late to remove one does not remove its successor of the same name', async () => {
  const first = await keep('snapshot-1');
  await snapshots.remove(first);
  const second = await keep('snapshot-2');
  await expect(snapshots.remove(first)).rejects.toMatchObject({ code: 'snapshot-not-found' });
  expect(snapshots.find('prepared')).toBe(second);
  expect(await folders()).toEqual(['snapshot-2']);
});

test('one whose folder can not be moved away stays', async () => {
  const kept = await keep('snapshot-1');
  await rm(kept.files.directory, { recursive: true });
  await expect(snapshots.remove(kept)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(snapshots.find('prepared')).toBe(kept);
});
