import { setTimeout as sleep } from 'node:timers/promises';
import { HostClient, Sandbox } from '../../hostd/client/index.ts';
import type { HostdProcess } from '../support/hostd-process.ts';
import { figure, type Figure } from './figures.ts';
import { vmmMemoryMiB } from './vmm-memory.ts';

type Report = (figure: Figure) => void;

/** Touches memory that stays in use, with content that no page shares with another. */
async function touch(sandbox: Sandbox, mib: number): Promise<void> {
  const program = `import os,time; kept=[os.urandom(1<<20) for _ in range(${String(mib)})]; open('/run/touched','w'); time.sleep(1e6)`;
  await sandbox.spawn(['python3', '-c', program]);
  await sandbox.exec('until [ -e /run/touched ]; do sleep 0.1; done', { check: true, timeoutMs: 300_000 });
  await sleep(1000);
}

/** A 512 MiB sandbox of which some 120 MiB are touched: its own python, kernel and caches take a part of them. */
async function usualSandbox(host: string): Promise<Sandbox> {
  const sandbox = await Sandbox.create({ memoryMiB: 512, connection: { host } });
  await touch(sandbox, 80);
  return sandbox;
}

async function stopAll(sandboxes: readonly Sandbox[]): Promise<void> {
  await Promise.all(
    sandboxes.map(async (sandbox) => {
      await sandbox.stop();
      await sandbox.disconnect();
    }),
  );
}

const hello = (sandbox: Sandbox) => sandbox.exec(['echo', 'hello'], { check: true });

/** The pause of the source, the way to a copy's first output, ten copies, and what a copy costs. */
export async function measureForks(host: string, n: number, report: Report): Promise<void> {
  const source = await usualSandbox(host);
  const pauses: number[] = [];
  const answered: number[] = [];
  for (let i = 0; i <= n; i += 1) {
    const startedMs = performance.now();
    const copy = await source.fork();
    await hello(copy);
    if (i > 0) answered.push(performance.now() - startedMs);
    if (i > 0) pauses.push(source.lastFork?.pausedMs ?? Number.NaN);
    await stopAll([copy]);
    await sleep(200);
  }
  report(figure('source paused by a fork, 512 MiB, ~120 touched', 'ms', '<= 20 ms', pauses));
  report(figure('fork call to first output of the copy', 'ms', '<= 220 ms', answered));

  const ten: number[] = [];
  const perCopy: number[] = [];
  for (let i = 0; i < Math.max(3, Math.ceil(n / 2)); i += 1) {
    const before = await vmmMemoryMiB();
    const startedMs = performance.now();
    const copies = await source.fork({ count: 10 });
    await Promise.all(copies.map(hello));
    ten.push(performance.now() - startedMs);
    await sleep(1000);
    const after = await vmmMemoryMiB();
    perCopy.push((total(after) - total(before)) / 10);
    await stopAll(copies);
  }
  report(figure('10 copies, all answer', 'ms', '<= 1200 ms', ten));
  report(figure('added memory per idle copy (PSS), 10 alive', 'MiB', '<= 50 MiB', perCopy));
  await stopAll([source]);

  const large = await Sandbox.create({ memoryMiB: 2048, connection: { host } });
  await touch(large, 960);
  const largePauses: number[] = [];
  for (let i = 0; i <= n; i += 1) {
    const copy = await large.fork();
    if (i > 0) largePauses.push(large.lastFork?.pausedMs ?? Number.NaN);
    await stopAll([copy]);
    await sleep(500);
  }
  report(figure('source paused by a fork, 2 GiB, ~1 GiB touched', 'ms', '<= 60 ms', largePauses));
  await stopAll([large]);
}

/** A hundred copies of one sandbox, alive at once. */
export async function measureHundredCopies(host: string, report: Report): Promise<void> {
  const source = await usualSandbox(host);
  const startedMs = performance.now();
  const copies = await source.fork({ count: 100 });
  const runningMs = performance.now() - startedMs;
  await Promise.all(copies.map(hello));
  report(figure('100 copies run', 'ms', 'all of them', [runningMs]));
  report(figure('100 copies alive, all answer', 'ms', 'all of them', [performance.now() - startedMs]));
  report(figure('PSS of 100 copies and their source', 'MiB', 'below 24 GiB', [total(await vmmMemoryMiB())]));
  await stopAll([...copies, source]);
}

/** Pause to resume from memory and from disk, until the first output. */
export async function measurePauses(host: string, n: number, report: Report): Promise<void> {
  const sandbox = await usualSandbox(host);
  const fromMemory: number[] = [];
  const fromDisk: number[] = [];
  for (let i = 0; i <= n; i += 1) {
    await sandbox.pause();
    const memoryMs = performance.now();
    await sandbox.resume();
    if (i > 0) fromMemory.push(performance.now() - memoryMs);
    await hello(sandbox);
    await sandbox.pause({ hibernateAfterSeconds: 0 });
    const diskMs = performance.now();
    await sandbox.resume();
    if (i > 0) fromDisk.push(performance.now() - diskMs);
    await hello(sandbox);
  }
  report(figure('resume, still in memory', 'ms', '<= 30 ms', fromMemory));
  report(figure('resume, hibernated', 'ms', '<= 400 ms', fromDisk));
  await stopAll([sandbox]);
}

/** A snapshot until it is safe on disk, and a sandbox from it after hostd was started again. */
export async function measureSnapshots(hostd: HostdProcess, n: number, report: Report): Promise<void> {
  const { host } = hostd;
  await removeLeftSnapshots(host);
  const source = await usualSandbox(host);
  const kept: number[] = [];
  const created: number[] = [];
  for (let i = 0; i < n; i += 1) {
    const name = `bench-${String(i)}`;
    const startedMs = performance.now();
    await source.snapshot({ name });
    kept.push(performance.now() - startedMs);
    if (i % 4 === 0) {
      await hostd.stop();
      await hostd.start();
    }
    const createMs = performance.now();
    const sandbox = await Sandbox.create({ snapshot: name, connection: { host } });
    await hello(sandbox);
    created.push(performance.now() - createMs);
    await stopAll([sandbox]);
    await removeSnapshot(host, name);
  }
  report(figure('snapshot kept, ~120 MiB touched', 'ms', '<= 1500 ms', kept));
  report(figure('create from a snapshot to first output', 'ms', '<= 400 ms', created));
  await stopAll([source]);
}

/** Of a bench that was cut off. */
async function removeLeftSnapshots(host: string): Promise<void> {
  await using client = new HostClient({ host });
  for (const { name } of await client.snapshots.list())
    if (name.startsWith('bench-')) await client.snapshots.remove(name);
}

async function removeSnapshot(host: string, name: string): Promise<void> {
  await using client = new HostClient({ host });
  await client.snapshots.remove(name);
}

function total(sizes: ReadonlyMap<number, number>): number {
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
