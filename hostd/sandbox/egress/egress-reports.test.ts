import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { GateCursor } from '../../net/egress/gate/gate.ts';
import { settle } from '../testing/world.ts';
import { maxDenialEvents } from './count-keeper.ts';
import { filtered, gateRow, ReportsLab, startMs } from './testing/reports-lab.ts';

let lab: ReportsLab;
const background = new Set<AbortController>();

beforeEach(() => {
  lab = new ReportsLab();
});
afterEach(() => {
  for (const controller of background) controller.abort();
  lab.store.close();
});

const denied = { outcome: 'denied', reason: 'sni', name: 'bad.example.com', port: 443 } as const;

function start(): { stop: AbortController; over: Promise<void> } {
  const stop = new AbortController();
  background.add(stop);
  return { stop, over: lab.reports.run(stop.signal) };
}

async function pass(durationMs: number): Promise<void> {
  lab.clock.advance(durationMs);
  await settle();
}

describe('a report', () => {
  test('has the policy, what the gate and the filter count now, and rules to paste', async () => {
    lab.add();
    lab.network.gateRows = [gateRow({ name: 'good.example.com', port: 443 }), gateRow(denied)];
    lab.network.filterRows.set(0, [filtered({ address: '192.0.2.1', port: 123, protocol: 'udp' })]);
    expect(await lab.report()).toMatchObject({
      policy: { mode: 'enforce', allow: ['good.example.com:443'], revision: 1 },
      allowed: [{ name: 'good.example.com' }],
      denied: [
        { reason: 'address', address: '192.0.2.1', transport: 'udp', blocked: true },
        { reason: 'sni', name: 'bad.example.com', blocked: true },
      ],
      deniedCount: 2,
      omitted: 0,
      suggestedAllow: ['good.example.com:443', 'bad.example.com:443', 'udp:192.0.2.1:123'],
    });
  });

  test('names what a filter refused by what the guest was told, and says that it was the port', async () => {
    lab.add({ egressAllow: ['ssh.example.com:22'] });
    const told = { outcome: 'answered', reason: undefined, port: undefined, helper: 'resolver' } as const;
    lab.network.gateRows = [
      gateRow({ ...told, name: 'ssh.example.com', address: '192.0.2.9' }),
      gateRow({ ...told, name: 'one.example.com', address: '192.0.2.8' }),
      gateRow({ ...told, name: 'two.example.com', address: '192.0.2.8' }),
    ];
    lab.network.filterRows.set(0, [
      filtered({ address: '192.0.2.9', port: 2222 }),
      filtered({ address: '192.0.2.8', port: 22 }),
    ]);
    const { allowed, denied, suggestedAllow } = await lab.report();
    expect(allowed).toEqual([]);
    expect(denied).toMatchObject([
      { reason: 'address', name: null, address: '192.0.2.8', port: 22 },
      { reason: 'port', name: 'ssh.example.com', port: 2222 },
    ]);
    expect(suggestedAllow).toEqual(['ssh.example.com:22', '192.0.2.8:22', 'ssh.example.com:2222']);
  });

  test('has what the resolver denied to the proxy, and not what it told it', async () => {
    lab.add({ egressAllow: ['*.example.com:443'] });
    const asked = { helper: 'resolver', transport: 'proxy', port: undefined } as const;
    lab.network.gateRows = [
      gateRow({ ...asked, name: 'a.example.com' }),
      gateRow({ ...asked, outcome: 'denied', reason: 'dns-name', name: 'far.too.long.example.com' }),
    ];
    const { allowed, denied } = await lab.report();
    expect(allowed).toEqual([]);
    expect(denied).toMatchObject([{ reason: 'dns-name', name: 'far.too.long.example.com', transport: 'tcp' }]);
  });

  test('counts a row once, however often it is read, and adds up those of several runs of a helper', async () => {
    lab.add();
    lab.network.gateRows = [gateRow({ ...denied, count: 3 })];
    await lab.report();
    expect((await lab.report()).deniedCount).toBe(3);
    lab.network.gateRows = [gateRow({ ...denied, count: 5 })];
    expect((await lab.report()).deniedCount).toBe(5);
    lab.network.gateRows = [gateRow({ ...denied, epoch: 'two', count: 2 })];
    expect((await lab.report()).deniedCount).toBe(7);
    lab.restart();
    expect((await lab.report()).deniedCount).toBe(7);
  });

  test('goes on when a helper was told to forget a sandbox and counts it from the start', async () => {
    lab.add();
    lab.network.gateRows = [gateRow({ ...denied, count: 3 })];
    await lab.report();
    lab.network.gateRows = [gateRow({ ...denied, count: 1, firstMs: startMs + 5000 })];
    expect((await lab.report()).deniedCount).toBe(4);
  });

  test('tells what audit let through from what it refused', async () => {
    lab.add({ egressMode: 'audit' });
    lab.network.gateRows = [gateRow({ ...denied, outcome: 'would-deny' })];
    lab.network.filterRows.set(0, [
      filtered({ outcome: 'audited-received', address: '192.0.2.1', packets: 90, bytes: 60_000 }),
      filtered({ outcome: 'audited', address: '192.0.2.1', packets: 40, bytes: 4000 }),
      filtered({ outcome: 'audited-received', address: '192.0.2.2' }),
      filtered({ address: '10.0.0.1', packets: 2 }),
    ]);
    const { denied: rows, deniedCount } = await lab.report();
    expect(deniedCount).toBe(4);
    expect((await lab.denials()).filter(({ blocked }) => blocked === false)).toHaveLength(2);
    expect(rows).toMatchObject([
      { reason: 'private-range', address: '10.0.0.1', blocked: true, count: 2 },
      { reason: 'address', address: '192.0.2.1', blocked: false, count: 1, bytesOut: 4000, bytesIn: 60_000 },
      { reason: 'sni', blocked: false },
    ]);
  });

  test('keeps the name that a rule opened a place for, whatever the policy is later, and of an open sandbox with rules', async () => {
    lab.add({ egressMode: 'open', egressAllow: ['ssh.example.com:22', '10.1.0.0/16:5432'] });
    const told = { outcome: 'answered', reason: undefined, port: undefined, helper: 'resolver' } as const;
    lab.network.gateRows = ['ssh.example.com', 'other.example.com'].map((name) =>
      gateRow({ ...told, name, address: '192.0.2.1' }),
    );
    lab.network.filterRows.set(0, [
      filtered({ outcome: 'opened', packets: 2 }),
      filtered({ outcome: 'received', bytes: 900 }),
      filtered({ outcome: 'opened', address: '10.1.2.3', port: 5432 }),
    ]);
    const passed = [
      { name: 'ssh.example.com', address: '192.0.2.1', port: 22, count: 2, bytesIn: 900 },
      { name: null, address: '10.1.2.3', port: 5432, count: 1 },
    ];
    expect((await lab.report()).allowed).toMatchObject(passed);
    lab.change('sbx_a', { egressMode: 'enforce', egressAllow: [] });
    expect((await lab.report()).allowed).toMatchObject(passed);
    expect(await lab.denials()).toEqual([]);
  });

  test.each(['open', 'none'] as const)('does not ask a filter that counts nothing: %s', async (egressMode) => {
    lab.add({ egressMode, egressAllow: [] });
    lab.network.countedByFilter = () => Promise.reject(new Error('not asked'));
    await lab.report();
    expect(lab.warnings).toEqual([]);
  });

  test('comes without what can’t be had in time', async () => {
    lab.add();
    lab.network.gateRows = [gateRow(denied)];
    lab.network.countedByFilter = () => new Promise(() => undefined);
    const report = lab.report();
    await settle();
    lab.clock.advance(3000);
    expect((await report).deniedCount).toBe(1);
  });

  test('of a sandbox that has ended is what was kept', async () => {
    lab.add();
    lab.network.gateRows = [gateRow(denied)];
    lab.network.filterRows.set(0, [filtered({ packets: 2 })]);
    await lab.reports.settle('sbx_a');
    lab.end('sbx_a');
    lab.network.gateRows = [gateRow({ ...denied, count: 100 })];
    expect((await lab.report()).deniedCount).toBe(3);
    lab.store.sandboxes.delete('sbx_a');
    expect(lab.store.egress.of('sbx_a')).toEqual([]);
  });

  test('keeps nothing of sandboxes that are not known', async () => {
    lab.add();
    lab.network.gateRows = [gateRow({ ...denied, sandboxId: 'sbx_stranger' }), gateRow(denied)];
    expect((await lab.report()).deniedCount).toBe(1);
    expect(lab.store.egress.of('sbx_stranger')).toEqual([]);
  });
});

describe('reading', () => {
  test('is by cursor, page after page, and goes on there after a restart of hostd', async () => {
    lab.add();
    const asked: (GateCursor | undefined)[] = [];
    lab.network.countedByGate = (since?: GateCursor) => {
      asked.push(since);
      const seq = (since?.proxy?.seq ?? 0) + 1;
      const rows = [gateRow({ ...denied, name: `n${String(seq)}.example.com` })];
      return Promise.resolve({ cursor: { proxy: { epoch: 'one', seq } }, rows, more: seq < 3 });
    };
    expect((await lab.report()).deniedCount).toBe(3);
    expect(asked).toEqual([{}, { proxy: { epoch: 'one', seq: 1 } }, { proxy: { epoch: 'one', seq: 2 } }]);
    lab.restart();
    await lab.report();
    expect(asked.at(-1)).toEqual({ proxy: { epoch: 'one', seq: 3 } });
  });

  test('keeps rows and cursor together or neither', async () => {
    lab.add();
    const seq = 7;
    lab.network.countedByGate = () =>
      Promise.resolve({ cursor: { proxy: { epoch: 'one', seq } }, rows: [gateRow(denied)], more: false });
    const { setCursor } = lab.store.egress;
    lab.store.egress.setCursor = () => {
      throw new Error('disk full');
    };
    expect((await lab.report()).deniedCount).toBe(0);
    lab.store.egress.setCursor = setCursor;
    expect((await lab.report()).deniedCount).toBe(1);
    expect(lab.store.egress.cursors()).toEqual([{ helper: 'proxy', epoch: 'one', seq }]);
  });

  test('of many rows lets others have their turn, and keeps the cursor with the last ones', async () => {
    lab.add();
    const rows = Array.from({ length: 600 }, (_, index) =>
      gateRow({ ...denied, name: `n${String(index)}.example.com` }),
    );
    lab.network.countedByGate = () =>
      Promise.resolve({ cursor: { proxy: { epoch: 'one', seq: 600 } }, rows, more: false });
    const seen: [rows: number, cursors: number][] = [];
    const collected = lab.reports.collect('sbx_a', 1000);
    for (let turn = 0; turn < 6; turn += 1) {
      await new Promise(setImmediate);
      seen.push([lab.store.egress.of('sbx_a').length, lab.store.egress.cursors().length]);
    }
    await collected;
    expect(seen).toContainEqual([250, 0]);
    expect(seen).toContainEqual([500, 0]);
    expect(seen.at(-1)).toEqual([600, 1]);
  });

  test('happens every 2 seconds, of filters every 20, while there are sandboxes and once after that', async () => {
    let gate = 0;
    const slots: number[] = [];
    lab.network.countedByGate = () => {
      gate += 1;
      return Promise.resolve({ cursor: {}, rows: [], more: false });
    };
    lab.network.countedByFilter = (slot) => {
      slots.push(slot);
      return Promise.resolve([]);
    };
    const { stop, over } = start();
    await pass(2000);
    expect(gate).toBe(0);
    lab.add();
    lab.add({ id: 'sbx_b', slot: 1, egressMode: 'audit' });
    lab.add({ id: 'sbx_c', slot: 2, egressMode: 'open', egressAllow: [] });
    lab.add({ id: 'sbx_d', slot: 3, state: 'paused' });
    for (let second = 2; second < 20; second += 2) await pass(2000);
    // Once more ahead of the filters.
    expect(gate).toBe(10);
    expect(slots).toEqual([0, 1]);
    for (const id of ['sbx_a', 'sbx_b', 'sbx_c', 'sbx_d']) lab.end(id);
    for (let round = 0; round < 3; round += 1) await pass(2000);
    expect(gate).toBe(11);
    stop.abort();
    await over;
  });

  test('of a filter that had counted nothing waits for a packet, but for a report', async () => {
    const { id } = lab.add();
    const vm = lab.machine(id);
    const looks: number[] = [];
    lab.network.countedByFilter = (slot) => {
      looks.push(slot);
      return Promise.resolve(lab.network.filterRows.get(slot) ?? []);
    };
    start();
    vm.networkMarkNow = '7 tap0=1';
    for (let round = 0; round < 3; round += 1) await pass(20_000);
    expect(looks.length).toBe(1);
    await lab.report();
    expect(looks.length).toBe(2);
    vm.networkMarkNow = '7 tap0=2';
    lab.network.filterRows.set(0, [filtered({ port: 23 })]);
    await pass(20_000);
    expect(looks.length).toBe(3);
    expect(await lab.denials()).toMatchObject([{ port: 23 }]);
    // It is to be seen when what it counted is forgotten, which takes no packet.
    for (let round = 0; round < 2; round += 1) await pass(20_000);
    expect(looks.length).toBe(5);
    lab.network.filterRows.clear();
    for (let round = 0; round < 3; round += 1) await pass(20_000);
    expect(looks.length).toBe(6);
    vm.networkMarkNow = undefined;
    for (let round = 0; round < 2; round += 1) await pass(20_000);
    expect(looks.length).toBe(8);
  });

  test('of a filter happens once more after its sandbox was paused', async () => {
    const slots: number[] = [];
    lab.network.countedByFilter = (slot) => {
      slots.push(slot);
      return Promise.resolve([]);
    };
    lab.add();
    start();
    await pass(20_000);
    lab.change('sbx_a', { state: 'paused' });
    for (let round = 0; round < 3; round += 1) await pass(20_000);
    expect(slots).toEqual([0, 0]);
    lab.change('sbx_a', { state: 'running' });
    await pass(20_000);
    expect(slots).toEqual([0, 0, 0]);
  });

  test('that fails is told once, and tried again', async () => {
    lab.add();
    const { countedByGate } = lab.network;
    lab.network.countedByGate = () => Promise.reject(new Error('no proxy'));
    start();
    await pass(2000);
    await pass(2000);
    expect(lab.warnings.length).toBe(1);
    lab.network.countedByGate = countedByGate.bind(lab.network);
    lab.network.gateRows = [gateRow(denied)];
    await pass(2000);
    expect(lab.store.egress.of('sbx_a').length).toBe(1);
    lab.network.countedByGate = () => Promise.reject(new Error('no proxy'));
    await pass(2000);
    expect(lab.warnings.length).toBe(2);
  });

  test('ends at once when hostd goes, and then writes nothing', async () => {
    lab.add();
    const late = Promise.withResolvers<undefined>();
    const { countedByGate } = lab.network;
    lab.network.countedByGate = async () => {
      await late.promise;
      return countedByGate.call(lab.network);
    };
    lab.network.gateRows = [gateRow(denied)];
    const { stop, over } = start();
    await pass(2000);
    stop.abort();
    await over;
    late.resolve(undefined);
    await settle();
    expect(lab.store.egress.of('sbx_a')).toEqual([]);
  });

  test('does not take another sandbox’s counts for those of one that had the slot before', async () => {
    lab.add();
    const late = Promise.withResolvers<undefined>();
    lab.network.countedByFilter = async () => {
      await late.promise;
      return [filtered({})];
    };
    const report = lab.report();
    await settle();
    lab.end('sbx_a');
    late.resolve(undefined);
    await report;
    expect(lab.store.egress.of('sbx_a')).toEqual([]);
  });

  test('of the last counts waits a second at most and never throws', async () => {
    lab.add();
    lab.network.countedByGate = () => Promise.reject(new Error('no proxy'));
    lab.network.countedByFilter = () => new Promise(() => undefined);
    let isOver = false;
    const over = lab.reports.settle('sbx_a').then(() => (isOver = true));
    await settle();
    lab.clock.advance(999);
    await settle();
    expect(isOver).toBe(false);
    lab.clock.advance(1);
    await over;
  });
});

describe('events', () => {
  test('tell of a denial at first and when its number has doubled, also over runs of helpers and of hostd', async () => {
    lab.add();
    for (const count of [1, 1, 2, 3, 4, 7]) {
      lab.network.gateRows = [gateRow({ ...denied, count, lastMs: startMs + count })];
      await lab.report();
    }
    lab.restart();
    lab.network.gateRows = [gateRow({ ...denied, epoch: 'two', count: 1, firstMs: startMs + 50 })];
    await lab.report();
    const told = await lab.denials();
    expect(told.map(({ count }) => count)).toEqual([1, 2, 4, 8]);
    expect(told[1]).toEqual({
      reason: 'sni',
      name: 'bad.example.com',
      address: null,
      port: 443,
      transport: 'tcp',
      count: 2,
      blocked: true,
      firstAt: new Date(startMs).toISOString(),
      lastAt: new Date(startMs + 2).toISOString(),
    });
  });

  test('name what a filter denied, say what was not blocked, and tell of nothing else', async () => {
    lab.add({ egressMode: 'audit' });
    lab.network.gateRows = [
      gateRow({ name: 'good.example.com', port: 443, address: '192.0.2.1' }),
      gateRow({ outcome: 'failed', failure: 'dial', name: 'down.example.com', port: 443 }),
      gateRow({ outcome: 'usage', name: 'good.example.com', port: 443, bytesIn: 5 }),
    ];
    await lab.report();
    lab.network.filterRows.set(0, [filtered({ outcome: 'audited', address: '192.0.2.1' })]);
    await lab.report();
    expect(await lab.denials()).toMatchObject([{ name: 'good.example.com', address: '192.0.2.1', blocked: false }]);
  });

  test('are bounded for a sandbox, and the last one says so', async () => {
    lab.add();
    lab.add({ id: 'sbx_b', slot: 1 });
    const flood = (from: number) =>
      Array.from({ length: 150 }, (_, index) => gateRow({ ...denied, name: `n${String(from + index)}.example.com` }));
    for (const from of [0, 150, 300]) {
      lab.network.gateRows = [...flood(from), gateRow({ ...denied, sandboxId: 'sbx_b' })];
      await lab.report();
      lab.restart();
    }
    const told = await lab.denials();
    expect(told.length).toBe(maxDenialEvents + 1);
    expect(told.slice(0, -1).every(({ reason }) => reason === 'sni')).toBe(true);
    expect(told.at(-1)).toEqual({ omitted: true });
    expect((await lab.denials('sbx_b')).length).toBe(1);
    expect((await lab.report()).deniedCount).toBe(450);
  });
});

test('denials are added up by reason and outcome for metrics', async () => {
  lab.add();
  lab.network.gateRows = [
    gateRow({ ...denied, count: 3 }),
    gateRow({ ...denied, name: 'other.example.com' }),
    gateRow({ ...denied, outcome: 'would-deny', count: 2 }),
    gateRow({ name: 'good.example.com', port: 443 }),
  ];
  await lab.report();
  await lab.report();
  lab.network.gateRows = [gateRow({ ...denied, count: 4 }), gateRow({ ...denied, epoch: 'two' })];
  await lab.report();
  lab.network.gateRows = [gateRow({ ...denied, count: 2 })];
  await lab.report();
  expect(lab.store.counters.all()).toEqual({ 'egress_denied.sni.blocked': 6, 'egress_denied.sni.passed': 2 });
});
