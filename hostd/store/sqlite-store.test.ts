import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrations } from './migrations.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { keptEvents } from './sqlite-records.ts';
import { sandboxRow } from './testing/sandbox-row.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'offshoot-store-'));
  path = join(directory, 'state.db');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('schema', () => {
  test('a new state has the newest version, and opening it again changes nothing', () => {
    const store = openSqliteStore(path);
    const key = store.hashKey;
    store.sandboxes.insert(sandboxRow());
    store.close();
    const again = openSqliteStore(path);
    expect(again.hashKey).toEqual(key);
    expect(again.sandboxes.get('sbx_a')).toEqual(sandboxRow());
    again.close();
    const database = new DatabaseSync(path);
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: migrations.length });
    database.close();
  });

  test('a state of a newer version is refused and left alone', () => {
    openSqliteStore(path).close();
    const database = new DatabaseSync(path);
    database.exec(`PRAGMA user_version = ${String(migrations.length + 1)}`);
    database.close();
    expect(() => openSqliteStore(path)).toThrow(expect.objectContaining({ code: 'state-newer' }));
  });

  test('the file is for its owner alone', async () => {
    openSqliteStore(path).close();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('a row that was damaged is not believed', () => {
    const store = openSqliteStore(path);
    store.sandboxes.insert(sandboxRow());
    const database = new DatabaseSync(path);
    database.exec(`UPDATE sandboxes SET state = 'asleep'`);
    database.close();
    expect(() => store.sandboxes.get('sbx_a')).toThrow(/not valid/);
    store.close();
  });
});

describe('transactions', () => {
  test('all or nothing, and an inner one belongs to the outer one', () => {
    const store = openSqliteStore(':memory:');
    const failing = () =>
      store.transaction(() => {
        store.transaction(() => store.sandboxes.insert(sandboxRow()));
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(store.sandboxes.get('sbx_a')).toBeUndefined();
    store.transaction(() => store.sandboxes.insert(sandboxRow()));
    expect(store.sandboxes.get('sbx_a')).toBeDefined();
  });

  test('one that fails undoes what memory has of it, last first; one that holds undoes nothing, nor does the next', () => {
    const store = openSqliteStore(':memory:');
    const undone: string[] = [];
    const note = (what: string) => {
      store.onRollback(() => undone.push(what));
    };
    note('outside');
    const failing = () =>
      store.transaction(() => {
        note('first');
        store.transaction(() => {
          note('inner');
        });
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(undone).toEqual(['inner', 'first']);
    store.transaction(() => {
      note('held');
    });
    expect(failing).toThrow('no');
    expect(undone).toEqual(['inner', 'first', 'inner', 'first']);
  });

  test('what was committed survives kill -9 of the process', async () => {
    const script = `
      import { openSqliteStore } from '${new URL('./sqlite-store.ts', import.meta.url).pathname}';
      const store = openSqliteStore(${JSON.stringify(path)});
      store.counters.add('kept', 1);
      process.kill(process.pid, 'SIGKILL');
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    const store = openSqliteStore(path);
    expect(store.counters.all()).toEqual({ kept: 1 });
    store.close();
  });
});

describe('rows', () => {
  test('two live sandboxes can not share a slot; tombstones have none', () => {
    const store = openSqliteStore(':memory:');
    store.sandboxes.insert(sandboxRow());
    expect(() => store.sandboxes.insert(sandboxRow({ id: 'sbx_b' }))).toThrow();
    store.sandboxes.update('sbx_a', { slot: null, state: 'gone', endedAtMs: 5 });
    store.sandboxes.insert(sandboxRow({ id: 'sbx_b' }));
    expect(store.sandboxes.inStates(['running']).map(({ id }) => id)).toEqual(['sbx_b']);
    expect(store.sandboxes.gone(10).map(({ id }) => id)).toEqual(['sbx_a']);
  });

  test('tombstones expire by number, by bytes and by age, oldest first', () => {
    const store = openSqliteStore(':memory:');
    for (let index = 1; index <= 5; index += 1) {
      const row = { id: `sbx_${String(index)}`, state: 'gone', slot: null, endedAtMs: index, outputBytes: 10 } as const;
      store.sandboxes.insert(sandboxRow(row));
    }
    const all = { keep: 100, keepBytes: 1000, endedBeforeMs: 0 };
    expect(store.sandboxes.expired(all)).toEqual([]);
    expect(store.sandboxes.expired({ ...all, keep: 3 })).toEqual(['sbx_1', 'sbx_2']);
    expect(store.sandboxes.expired({ ...all, keepBytes: 35 })).toEqual(['sbx_1', 'sbx_2']);
    expect(store.sandboxes.expired({ ...all, endedBeforeMs: 4 })).toEqual(['sbx_1', 'sbx_2', 'sbx_3']);
  });

  test('the journal keeps what was recorded until it is erased', () => {
    const store = openSqliteStore(':memory:');
    store.resources.record({ owner: 'sbx_a', kind: 'vm', name: 'dir', detail: {} });
    store.resources.update('sbx_a', 'vm', 'dir', { record: { launcher: 1 } });
    store.resources.record({ owner: 'sbx_a', kind: 'network-slot', name: '3', detail: {} });
    expect(store.resources.of('sbx_a').find(({ kind }) => kind === 'vm')?.detail).toEqual({ record: { launcher: 1 } });
    store.resources.erase('sbx_a', 'vm', 'dir');
    expect(store.resources.all().map(({ kind }) => kind)).toEqual(['network-slot']);
    store.resources.eraseAll('sbx_a');
    expect(store.resources.all()).toEqual([]);
  });

  test('execs go with their sandbox', () => {
    const store = openSqliteStore(':memory:');
    store.sandboxes.insert(sandboxRow());
    const exec = {
      sandboxId: 'sbx_a',
      id: 'exe_1',
      streamId: 7,
      state: 'running',
      specHash: 'h',
      command: 'true',
      cwd: '/',
      user: 'root',
      pty: false,
      stdin: true,
      inputClosed: false,
      timeoutMs: 5000,
      startedAtMs: 1,
      endedAtMs: null,
      exitCode: null,
      signal: null,
      timedOut: false,
      oomKilled: false,
      failure: null,
      outputBytes: 0,
      truncated: false,
      usage: null,
    } as const;
    store.execs.insert(exec);
    expect(store.execs.get('sbx_a', 'exe_1')).toEqual({ ...exec, sequence: 1 });
    expect(store.execs.highestStreamId('sbx_a')).toBe(7);
    store.execs.update('sbx_a', 'exe_1', { failure: { code: 'stream-lost', message: 'm' }, outputBytes: 9 });
    expect(store.execs.totalOutputBytes('sbx_a')).toBe(9);
    store.sandboxes.delete('sbx_a');
    expect(store.execs.get('sbx_a', 'exe_1')).toBeUndefined();
  });

  test('events are bounded and their ids never come again', () => {
    const store = openSqliteStore(':memory:');
    const event = { atMs: 1, type: 'sandbox.running', sandboxId: 'sbx_a', execId: null, data: { a: 1 } } as const;
    expect(store.events.latestId()).toBe(0);
    store.transaction(() => {
      for (let count = 0; count < keptEvents + 600; count += 1) store.events.append(event);
    });
    expect(store.events.latestId()).toBe(keptEvents + 600);
    const [first] = store.events.after(0, 1);
    expect(first?.id).toBeGreaterThan(1);
    expect(store.events.after(keptEvents + 598, 10).map(({ id }) => id - keptEvents)).toEqual([599, 600]);
    expect(store.events.after(0, 10, 'sbx_b')).toEqual([]);
  });
});
