import { describe, expect, test } from 'vitest';
import { HostClient, Sandbox, type CreateOptions } from '../../hostd/client/index.ts';

/** A hostd on another tier or another QEMU than the one of this machine. */
export interface TierSubject {
  readonly host: string;
  /** Ends hostd and starts it again on the same state. */
  restart(): Promise<void>;
}

export interface TierExpectations {
  tier: 'kvm' | 'emulated';
  /** Of the VMM. */
  version: RegExp;
  /** `least` is what has to be seen at all; `full` also what takes long: two CPUs, hibernation, memory over generations. */
  extent: 'least' | 'short' | 'full';
}

const unlimitedMs = 600_000;
/** Of one test; the slowest make the first template inside an emulated machine, and the full extent copies what has touched most of its memory there. */
const patienceMs = { least: 300_000, short: 300_000, full: 1_200_000 } satisfies Record<
  TierExpectations['extent'],
  number
>;

// A counter and a file as they were when a copy was made. Bash alone does it all: each process that starts costs seconds in an emulated
// machine's machine. It writes in place, so that a reader finds a number at any moment.
const life = [
  'bash',
  '-c',
  `
exec 3<> <(:)
( n=1000; while :; do n=$((n+1)); echo $n 1<>counter; read -t 1 -u 3; done ) >/dev/null 2>&1 &
echo of-the-source >mark
until [ -s counter ]; do read -t 0.1 -u 3 || :; done
`,
];
const facts = [
  'bash',
  '-c',
  'for f in counter mark /proc/sys/kernel/random/{uuid,boot_id} /etc/machine-id; do read -r line <$f; echo "$line"; done',
];
const count = ['cat', 'counter'];

/** What hostd does to a sandbox and its copies, in one order of tests: each stands on those before. Call it at the top of a test file. */
export function describeTier(name: string, subject: () => TierSubject, expected: TierExpectations): void {
  describe(name, { timeout: patienceMs[expected.extent] }, () => {
    const least = expected.extent === 'least';
    const started: Sandbox[] = [];
    const connection = () => ({ host: subject().host, requestTimeoutMs: unlimitedMs });
    const create = async (options: CreateOptions = {}) =>
      kept(await Sandbox.create({ timeoutSeconds: 3600, ...options, connection: connection() }));
    const kept = (sandbox: Sandbox) => {
      started.push(sandbox);
      return sandbox;
    };
    const numbered = (index: number): Sandbox => {
      const sandbox = started[index];
      if (sandbox === undefined) throw new Error('an earlier test made no sandbox');
      return sandbox;
    };

    test('the host tells its tier and its QEMU', async () => {
      await using client = new HostClient(connection());
      const { isolation, vmm } = await client.info();
      expect(isolation).toMatchObject({ tier: expected.tier });
      expect(vmm.version).toMatch(expected.version);
    });

    test('a sandbox runs on it', async () => {
      const sandbox = await create({ labels: { line: 'source' }, ...(least ? { memoryMiB: 256 } : {}) });
      expect(sandbox.info).toMatchObject({ state: 'running', isolation: { tier: expected.tier } });
      const result = await sandbox.exec('uname -r; dmesg | grep -c "Hypervisor detected: KVM"; echo err >&2; exit 3');
      expect(result).toMatchObject({ exitCode: 3, stderr: 'err\n' });
      // what the guest's own kernel found: no claim of ours
      expect(result.stdout.trim().split('\n').at(-1)).toBe(expected.tier === 'kvm' ? '1' : '0');
      await sandbox.exec(life, { check: true });
      await sandbox.files.write('/workspace/blob', Buffer.alloc(300_000, 'pattern '));
      expect((await sandbox.files.read('/workspace/blob')).length).toBe(300_000);
    });

    test('a fork of a fork goes on where it was made, and nobody shares anything after', async () => {
      const source = numbered(0);
      const child = kept(await source.fork({ labels: { line: 'child' } }));
      await child.exec('echo of-the-child >mark', { check: true });
      const grandchild = kept(await child.fork({ labels: { line: 'grandchild' } }));
      expect([source, child, grandchild].map(({ info }) => info.isolation.tier)).toEqual(Array(3).fill(expected.tier));
      expect([child.info.forkedFrom, grandchild.info.forkedFrom]).toEqual([source.id, child.id]);
      expect(source.lastFork?.pausedMs).toBeGreaterThan(0);
      const [a, b, c] = await Promise.all([source, child, grandchild].map(readFacts));
      expect([a?.mark, b?.mark, c?.mark]).toEqual(['of-the-source', 'of-the-child', 'of-the-child']);
      for (const fact of ['random', 'bootId', 'machineId'] as const)
        expect(new Set([a?.[fact], b?.[fact], c?.[fact]]).size, fact).toBe(3);
      await grandchild.exec('echo of-the-grandchild >mark; rm blob', { check: true });
      expect(await child.exec('cat mark; wc -c <blob')).toMatchObject({ stdout: 'of-the-child\n300000\n' });
      expect(await source.exec('cat mark; wc -c <blob')).toMatchObject({ stdout: 'of-the-source\n300000\n' });
      await expectCounting(least ? [grandchild] : [source, child, grandchild]);
    });

    // Not defined where it is not wanted: a skipped test looks like one that should have run.
    const testIf = (wanted: boolean, name: string, run: () => Promise<void>): void => {
      if (wanted) test(name, run);
    };

    testIf(!least, 'two copies at once answer', async () => {
      const copies = await numbered(1).fork({ count: 2 });
      copies.forEach(kept);
      const results = await Promise.all(copies.map((copy) => copy.exec('cat mark', { check: true })));
      expect(results.map(({ stdout }) => stdout)).toEqual(['of-the-child\n', 'of-the-child\n']);
      for (const copy of copies) await copy.stop();
    });

    test(
      least ? 'a snapshot outlives its sandbox' : 'a snapshot outlives its sandbox and a restart of hostd',
      async () => {
        const source = numbered(0);
        const before = (await readFacts(source)).count;
        const snapshot = await source.snapshot({ name: 'tier' });
        expect(snapshot).toMatchObject({ restorable: { ok: true }, vmm: { tier: expected.tier } });
        expect(snapshot.vmm.version).toMatch(expected.version);
        await source.exec('echo changed >mark', { check: true });
        await numbered(1).stop();
        if (!least) {
          await subject().restart();
          await source.exec('grep -qx changed mark', { check: true });
        }
        await source.stop();
        const restored = await create({ snapshot: 'tier' });
        const now = await readFacts(restored);
        expect(now.mark).toBe('of-the-source');
        expect(now.count).toBeGreaterThanOrEqual(before);
        await expectCounting([restored]);
      },
    );

    testIf(expected.extent === 'full', 'a paused sandbox stands still and a hibernated one comes back', async () => {
      const sandbox = numbered(2);
      await sandbox.pause();
      expect(sandbox.info).toMatchObject({ state: 'paused', paused: { hibernated: false } });
      await sandbox.resume();
      await expectCounting([sandbox]);
      await sandbox.pause({ hibernateAfterSeconds: 0 });
      expect(sandbox.info).toMatchObject({ state: 'paused', paused: { hibernated: true } });
      const copy = kept(await sandbox.fork());
      expect((await sandbox.refresh()).state).toBe('paused');
      await expectCounting([copy]);
      await sandbox.resume();
      await expectCounting([sandbox]);
      expect((await readFacts(sandbox)).mark).toBe('of-the-grandchild');
    });

    testIf(expected.extent === 'full', 'patterned memory is whole after three generations, with two CPUs', async () => {
      let sandbox = await create({ cpus: 2 });
      await sandbox.exec(
        'nproc | grep -x 2; mkdir -p /dev/shm/m; cd /dev/shm/m; seq 1 3000000 >pattern; sha256sum pattern >sum',
        { check: true },
      );
      for (let generation = 2; generation <= 4; generation += 1) {
        const next = kept(await sandbox.fork());
        await sandbox.exec('dd if=/dev/urandom of=/dev/shm/m/pattern bs=1M count=4 conv=notrunc status=none', {
          check: true,
        });
        await sandbox.stop();
        sandbox = next;
        expect(sandbox.info.generation).toBe(generation);
        await sandbox.exec('cd /dev/shm/m && sha256sum -c sum && nproc | grep -x 2', { check: true });
      }
    });

    test('stopped sandboxes are gone, and a snapshot nobody uses can be removed', async () => {
      for (const sandbox of started) {
        expect(await sandbox.stop()).toMatchObject({ state: 'gone', end: { reason: 'stopped' } });
        await sandbox.disconnect();
      }
      await using client = new HostClient(connection());
      await client.snapshots.remove('tier');
      expect(await client.snapshots.list()).toEqual([]);
      expect(await Sandbox.list({ connection: connection() })).toEqual([]);
    });
  });
}

interface Facts {
  count: number;
  mark: string;
  random: string;
  bootId: string;
  machineId: string;
}

async function readFacts(sandbox: Sandbox): Promise<Facts> {
  const { stdout } = await sandbox.exec(facts, { check: true });
  const [counter, mark = '', random = '', bootId = '', machineId = ''] = stdout.trim().split('\n');
  return { count: Number(counter), mark, random, bootId, machineId };
}

async function readCount(sandbox: Sandbox): Promise<number> {
  return Number((await sandbox.exec(count, { check: true })).stdout);
}

/** The processes in them live on. */
async function expectCounting(sandboxes: readonly Sandbox[]): Promise<void> {
  for (const sandbox of sandboxes) {
    const before = await readCount(sandbox);
    await expect.poll(() => readCount(sandbox), { timeout: 60_000, interval: 500 }).toBeGreaterThan(before);
  }
}
