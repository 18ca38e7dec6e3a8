import { describe, expect, test } from 'vitest';
import { Sandbox } from '../hostd/client/index.ts';
import { threeGenerations } from './support/generations.ts';
import { expectRightClock } from './support/guest-clock.ts';
import { countIn, expectCounting } from './support/guest-counter.ts';
import { useHostd } from './support/suite.ts';

const suite = useHostd();

const answer = async (sandbox: Sandbox, command: string) =>
  (await sandbox.exec(command, { check: true })).stdout.trim();

async function stopAll(sandboxes: readonly Sandbox[]): Promise<void> {
  await Promise.all(sandboxes.map((sandbox) => sandbox.stop()));
}

/** Its next read after the copy is the very first thing that happens there; a copy ends it soon, to leave the others the CPU. */
const readWithoutPause = [
  'import itertools, os',
  "log = open('/run/reads', 'w', buffering=1); left = 50",
  'for turn in itertools.count():',
  "  log.write('%d %s\\n' % (turn, os.urandom(16).hex()))",
  "  if open('/run/offshoot/fork-generation').read() != '1\\n': left -= 1",
  '  if left == 0 or turn > 20000: break',
].join('\n');

function expectAllDifferent(values: readonly string[]): void {
  expect(new Set(values).size).toBe(values.length);
}

describe('20 copies of one sandbox', { timeout: 240_000 }, () => {
  test('share no random number, id or name, and know what time it is', async () => {
    await using source = await suite.create();
    await source.files.write('/workspace/read.py', readWithoutPause);
    await source.spawn('python3 /workspace/read.py');
    await expect
      .poll(() => answer(source, 'wc -l < /run/reads || true').then(Number), { timeout: 30_000 })
      .toBeGreaterThan(20);
    // without a process for each count: in 21 machines at once those would take all the CPU there is
    const count =
      "import os, time; n = 0\nwhile True: n += 1; open('/run/count.new', 'w').write(str(n)); os.rename('/run/count.new', '/run/count'); time.sleep(0.1)";
    await source.spawn(['python3', '-c', count]);
    await expect
      .poll(() => answer(source, 'cat /run/count || echo 0').then(Number), { timeout: 30_000 })
      .toBeGreaterThan(3);
    const copies = await source.fork({ count: 20, labels: { copy: 'yes' } });
    try {
      const facts = await Promise.all(
        copies.map(async (copy) => {
          const text = await answer(
            copy,
            'cat /proc/sys/kernel/random/boot_id /etc/machine-id; hostname; cat /run/offshoot/fork-generation; ' +
              'cat /proc/sys/kernel/random/uuid; head -c 16 /dev/urandom | od -An -tx1; cat /run/count',
          );
          return text.split('\n');
        }),
      );
      for (const column of [0, 1, 2, 4, 5]) expectAllDifferent(facts.map((row) => row[column] ?? ''));
      expect(new Set(facts.map((row) => row[3]))).toEqual(new Set(['2']));
      // programs with generators of their own, started after the fork; they start slowly under emulation, so not in every copy
      const python = 'python3 -c "import uuid; print(uuid.uuid4())"';
      const node = 'node -e "console.log(crypto.randomUUID())"';
      const inPython = copies.slice(0, 6).map((copy) => answer(copy, python));
      const inNode = copies.slice(6, 8).map((copy) => answer(copy, node));
      const uuids = await Promise.all([...inPython, ...inNode]);
      for (const uuid of uuids) expect(uuid).toMatch(/^[0-9a-f-]{36}$/);
      expectAllDifferent(uuids);
      for (const copy of copies.slice(0, 4)) await expectRightClock(copy);
      const counts = facts.map((row) => Number(row[6]));
      expect(Math.min(...counts)).toBeGreaterThan(3);

      const reads = await Promise.all([source, ...copies].map(async (sandbox) => answer(sandbox, 'cat /run/reads')));
      const byRead = reads.map((text) => new Map(text.split('\n').map((line) => line.split(' ') as [string, string])));
      const shared = [...(byRead[1] ?? new Map<string, string>()).keys()].filter((turn) =>
        byRead.every((own) => own.get(turn) === byRead[0]?.get(turn)),
      );
      const lastShared = Math.max(...shared.map(Number));
      expect(lastShared).toBeGreaterThan(5); // they have a past in common
      for (const later of [1, 2, 3]) {
        const own = byRead.slice(1).map((read) => read.get(String(lastShared + later)) ?? '');
        expect(own).not.toContain('');
        expectAllDifferent(own);
      }
      const found = await Sandbox.list({ labels: { copy: 'yes' }, connection: { host: suite.host } });
      expect(found.map(({ forkedFrom }) => forkedFrom)).toEqual(copies.map(() => source.id));
    } finally {
      await stopAll(copies);
    }
  });
});

describe('what a copy has', { timeout: 180_000 }, () => {
  test('a server started before answers in every copy, and no file of one shows in another', async () => {
    await using source = await suite.create();
    await source.files.write('/workspace/page', 'from the source');
    await source.spawn('python3 -m http.server --bind 127.0.0.1 8000');
    await expect
      .poll(() => source.exec('curl -sf http://127.0.0.1:8000/page').then(({ exitCode }) => exitCode), {
        timeout: 30_000,
      })
      .toBe(0);
    const copies = await source.fork({ count: 3 });
    try {
      for (const [index, copy] of copies.entries()) {
        expect(await answer(copy, 'curl -sf http://127.0.0.1:8000/page')).toBe('from the source');
        await copy.exec(`echo copy ${String(index)} > /workspace/page; sync`, { check: true });
      }
      for (const [index, copy] of copies.entries()) {
        expect(await answer(copy, 'echo 3 > /proc/sys/vm/drop_caches; cat /workspace/page')).toBe(
          `copy ${String(index)}`,
        );
      }
      expect(await answer(source, 'echo 3 > /proc/sys/vm/drop_caches; cat /workspace/page')).toBe('from the source');
    } finally {
      await stopAll(copies);
    }
  });

  test('memory and disk are right after three generations, and the source is as it was', async () => {
    await using source = await suite.create();
    await threeGenerations(source, 96);
  });

  test('a database under load is sound in every copy and in the source', async () => {
    await using source = await suite.create({ cpus: 2 });
    const writer = [
      'import sqlite3, itertools',
      "db = sqlite3.connect('/workspace/db'); db.execute('PRAGMA journal_mode=WAL')",
      "db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, v TEXT)'); db.commit()",
      'for n in itertools.count():',
      "  db.execute('INSERT INTO t VALUES (?, ?)', (n, str(n) * 50)); db.commit()",
      "  if n == 20: open('/run/writing', 'w')",
    ].join('\n');
    await source.files.write('/workspace/writer.py', writer);
    await source.spawn('python3 /workspace/writer.py');
    await source.exec('until [ -e /run/writing ]; do sleep 0.1; done', { check: true, timeoutMs: 60_000 });
    const copies = await source.fork({ count: 3 });
    const check =
      "python3 -c \"import sqlite3; db=sqlite3.connect('/workspace/db', timeout=30); print(db.execute('PRAGMA integrity_check').fetchone()[0], db.execute('SELECT count(*) > 0, max(n) + 1 - count(*) FROM t').fetchone())\"";
    try {
      for (const sandbox of [source, ...copies]) expect(await answer(sandbox, check)).toBe('ok (1, 0)');
    } finally {
      await stopAll(copies);
    }
  });

  test('its own way to the network, at the same time as the source', async () => {
    await using source = await suite.create();
    const copies = await source.fork({ count: 2 });
    try {
      const resolve =
        "getent hosts localhost >/dev/null; ip -4 -o addr show dev eth0 | wc -l; ping -c 1 -W 2 $(ip route | awk '/default/{print $3}') >/dev/null 2>&1; echo $?";
      const answers = await Promise.all([source, ...copies].map((sandbox) => sandbox.exec(resolve)));
      expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1);
    } finally {
      await stopAll(copies);
    }
  });

  test('hooks and the fork-generation file tell the software inside', async () => {
    await using source = await suite.create();
    const hook = '#!/bin/sh\necho "generation $OFFSHOOT_GENERATION" > /run/hooked\n';
    await source.exec('mkdir -p /etc/offshoot/on-fork.d', { check: true });
    await source.files.write('/etc/offshoot/on-fork.d/50-tell', hook, { mode: 0o755 });
    await using copy = await source.fork();
    expect(await answer(copy, 'cat /run/hooked /run/offshoot/fork-generation')).toBe('generation 2\n2');
    await source.files.write('/etc/offshoot/on-fork.d/60-fail', '#!/bin/sh\necho no >&2\nexit 3\n', { mode: 0o755 });
    await expect(source.fork({ count: 2 })).rejects.toMatchObject({
      code: 'boot-failed',
      message: expect.stringContaining('60-fail') as string,
    });
    expect(await answer(source, 'echo on')).toBe('on');
  });
});

describe('the source', { timeout: 180_000 }, () => {
  test('loses no byte of its output, and source and copies take new execs 20 times in a row', async () => {
    await using source = await suite.create();
    const lines = 200_000;
    const heavy = source.exec(`seq 1 ${String(lines)}`, { timeoutMs: 120_000 });
    const copies: Sandbox[] = [];
    try {
      for (let turn = 0; turn < 3; turn += 1) copies.push(await source.fork());
      const { stdout, exitCode } = await heavy;
      expect(exitCode).toBe(0);
      expect(stdout.split('\n').length).toBe(lines + 1);
      expect(stdout.endsWith(`${String(lines)}\n`)).toBe(true);
      for (let turn = 0; turn < 20; turn += 1) {
        const answers = await Promise.all(
          [source, ...copies].map((sandbox) => answer(sandbox, `echo ${String(turn)}`)),
        );
        expect(answers).toEqual(answers.map(() => String(turn)));
      }
    } finally {
      await stopAll(copies);
    }
  });

  test('its execs end in the copies with a reason, while their processes live on', async () => {
    await using source = await suite.create();
    const handle = await source.spawn(
      'i=0; while :; do i=$((i+1)); echo line $i; echo $i > /run/turn; sleep 0.1; done',
    );
    await countIn(source, '/run/turn');
    await using copy = await source.fork();
    const inherited = (await copy.execs()).find(({ id }) => id === handle.id);
    expect(inherited).toMatchObject({ state: 'ended', failure: { code: 'forked' } });
    await expectCounting(copy, '/run/turn');
    await handle.kill('SIGKILL');
  });

  test('is woken by a fork when it ran, and left paused when it was', async () => {
    await using source = await suite.create();
    await source.pause();
    await using copy = await source.fork();
    expect(await answer(copy, 'echo copy')).toBe('copy');
    expect((await source.refresh()).state).toBe('paused');
    await source.resume();
    expect(await answer(source, 'echo source')).toBe('source');
  });

  test('a fork of one that is gone or dying is refused', async () => {
    const source = await suite.create();
    const stopping = source.stop();
    await expect(source.fork()).rejects.toMatchObject({
      code: expect.stringMatching(/^sandbox-(gone|not-running)$/) as string,
    });
    await stopping;
    await expect(source.fork()).rejects.toMatchObject({ code: 'sandbox-gone' });
  });

  test.each([0, 101, -1, '3' as unknown as number, 1.5])('count %s is refused', async (count) => {
    await using source = await suite.create();
    await expect(source.fork({ count })).rejects.toMatchObject({ code: 'invalid-request' });
  });
});

test('30 generations in a row, each of the one before, neither slow down nor leak', { timeout: 300_000 }, async () => {
  let parent = await suite.create();
  await parent.exec('echo 1 > /workspace/generation; sync', { check: true });
  for (let generation = 2; generation <= 31; generation += 1) {
    const child: Sandbox = await parent.fork();
    await parent.stop();
    await child.exec(`echo ${String(generation)} >> /workspace/generation; sync`, { check: true });
    parent = child;
  }
  expect(parent.info.generation).toBe(31);
  expect((await answer(parent, 'cat /workspace/generation')).split('\n')).toHaveLength(31);
  await parent.stop();
});

test('two CPUs: a counter on each goes on in the copy', { timeout: 120_000 }, async () => {
  await using source = await suite.create({ cpus: 2 });
  const count = 'n=0; while :; do n=$((n+1)); echo $n > /run/n$c.new; mv /run/n$c.new /run/n$c; done';
  await source.spawn(`for c in 0 1; do export c; taskset -c $c sh -c '${count}' & done; wait`);
  for (const file of ['/run/n0', '/run/n1']) await countIn(source, file);
  await using copy = await source.fork();
  for (const file of ['/run/n0', '/run/n1']) await expectCounting(copy, file);
  expect(await answer(copy, 'nproc')).toBe('2');
});
