import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { egressPolicySchema, type EgressPolicyInput } from '../../contract/egress.ts';
import { forkSchema } from '../../contract/fork.ts';
import { createRequest, World, type HostRun } from '../testing/world.ts';

let world: World;
let run: HostRun;

beforeEach(async () => {
  world = await World.create();
  run = await world.start();
});
afterEach(() => world.remove());

const create = async (egress?: EgressPolicyInput) =>
  (await run.host.sandboxes.create(createRequest(egress === undefined ? {} : { egress }))).sandbox;
const set = (id: string, egress: EgressPolicyInput) =>
  run.host.sandboxes.setEgress(id, egressPolicySchema.parse(egress));
const inForce = (id: string) =>
  [...world.network.slots.values()].find(({ egress }) => egress.sandbox?.id === id)?.egress;
const eventsOf = async (id: string) => {
  const events = [];
  for await (const event of run.host.events.stream({
    follow: false,
    sandboxId: id,
    signal: new AbortController().signal,
  }))
    events.push(event);
  return events;
};

async function restart(): Promise<void> {
  await run.host.stop();
  run.store.close();
  run = await world.start();
}

describe('the policy of a sandbox', () => {
  test('is the host’s own without one, normalised when there is one, and its network’s from the start', async () => {
    expect((await create()).egress).toEqual({ mode: 'audit', allow: [], revision: 1 });
    const { id, egress } = await create([
      'Packages.Example.COM.',
      'ssh.example.com:22 # git',
      'packages.example.com:443',
    ]);
    expect(egress).toEqual({ mode: 'enforce', allow: ['packages.example.com:443', 'ssh.example.com:22'], revision: 1 });
    expect(inForce(id)).toMatchObject({
      policy: {
        mode: 'enforce',
        rules: [
          { name: 'packages.example.com', port: 443 },
          { port: 22, layer: 'raw' },
        ],
      },
      sandbox: { id, revision: 1 },
    });
  });

  test('with a rule that is refused is no policy, and no sandbox', async () => {
    await expect(create(['*'])).rejects.toMatchObject({ code: 'egress-rules-invalid' });
    const { id, egress } = await create(['a.example.com']);
    await expect(set(id, ['a.example.com', 'https://b.example.com/path'])).rejects.toMatchObject({
      code: 'egress-rules-invalid',
    });
    await expect(run.host.sandboxes.fork(id, forkSchema.parse({ egress: ['*.com'] }))).rejects.toMatchObject({
      code: 'egress-rules-invalid',
    });
    expect((await run.host.sandboxes.get(id)).egress).toEqual(egress);
    expect(world.network.slots.size).toBe(1);
  });

  test('changes at once, one change after the other, and is told', async () => {
    const { id } = await create({ mode: 'none' });
    const hold = world.network.hold('set');
    const first = set(id, ['a.example.com']);
    const second = set(id, { mode: 'audit', allow: ['b.example.com'] });
    hold();
    expect(await first).toMatchObject({ mode: 'enforce', allow: ['a.example.com:443'] });
    expect(await second).toEqual({ mode: 'audit', allow: ['b.example.com:443'], revision: 3 });
    expect(inForce(id)).toMatchObject({ policy: { mode: 'audit' }, sandbox: { revision: 3 } });
    const changes = (await eventsOf(id)).filter(({ type }) => type === 'egress.changed').map(({ data }) => data);
    expect(changes).toEqual([
      { mode: 'enforce', rules: 1, revision: 2 },
      { mode: 'audit', rules: 1, revision: 3 },
    ]);
  });

  test('stays what it was when the network does not take another one', async () => {
    const { id, egress } = await create(['a.example.com']);
    world.network.failNext('set');
    await expect(set(id, [])).rejects.toMatchObject({ code: 'network-setup-failed' });
    expect((await run.host.sandboxes.get(id)).egress).toEqual(egress);
    expect((await set(id, [])).allow).toEqual([]);
  });

  test('stays what it was, in the network too, when another one can not be stored', async () => {
    const { id, egress } = await create(['a.example.com']);
    const { transaction } = run.store;
    let depth = 0;
    // As a full disk shows: at the end of the outermost one.
    const full = (work: () => unknown) => {
      depth += 1;
      work();
      depth -= 1;
      if (depth === 0) throw new Error('database or disk is full');
    };
    Object.assign(run.store, {
      transaction: (work: () => unknown) => {
        transaction(() => {
          full(work);
        });
      },
    });
    await expect(set(id, { mode: 'open' })).rejects.toThrow('disk is full');
    Object.assign(run.store, { transaction });
    expect((await run.host.sandboxes.get(id)).egress).toEqual(egress);
    expect(inForce(id)).toMatchObject({ policy: { mode: 'enforce', rules: [{ name: 'a.example.com' }] } });
    expect(await set(id, ['b.example.com'])).toMatchObject({ allow: ['b.example.com:443'], revision: 2 });
    expect(inForce(id)).toMatchObject({ policy: { rules: [{ name: 'b.example.com' }] }, sandbox: { revision: 2 } });
  });

  test('changes while it is paused, and not when it has ended', async () => {
    const { id } = await create();
    await run.host.sandboxes.pause(id);
    expect(await set(id, [])).toEqual({ mode: 'enforce', allow: [], revision: 2 });
    await run.host.sandboxes.stop(id);
    await expect(set(id, [])).rejects.toMatchObject({ code: 'sandbox-gone' });
    await expect(set('sbx_none', [])).rejects.toMatchObject({ code: 'sandbox-not-found' });
  });

  test('is told to the network of the next hostd before anything else', async () => {
    const { id } = await create(['a.example.com']);
    await set(id, ['b.example.com']);
    await restart();
    expect(world.network.living).toMatchObject([
      { egress: { policy: { mode: 'enforce', rules: [{ name: 'b.example.com' }] }, sandbox: { id, revision: 2 } } },
    ]);
    expect((await run.host.sandboxes.get(id)).egress).toEqual({
      mode: 'enforce',
      allow: ['b.example.com:443'],
      revision: 2,
    });
  });
});

describe('copies', () => {
  const pins = {
    version: 1 as const,
    pins: [{ address: '198.51.100.7', port: 22, transport: 'tcp', name: 'a.example.com', remainingMs: 1000 } as const],
  };

  test('have the policy of their source and what it was answered with', async () => {
    const { id } = await create(['a.example.com:22']);
    await set(id, ['a.example.com:22', 'b.example.com']);
    world.network.pins.set(id, pins);
    const { sandboxes } = await run.host.sandboxes.fork(id, forkSchema.parse({ count: 2 }));
    for (const copy of sandboxes) {
      expect(copy.egress).toEqual({ mode: 'enforce', allow: ['a.example.com:22', 'b.example.com:443'], revision: 1 });
      expect(inForce(copy.id)).toMatchObject({
        policy: { rules: [{ port: 22 }, { port: 443 }] },
        sandbox: { id: copy.id },
      });
      expect(world.network.pins.get(copy.id)).toEqual(pins);
    }
    const [slot = -1] = [...world.network.slots].find(([, one]) => one.egress.sandbox?.id === sandboxes[0]?.id) ?? [];
    const passed = {
      outcome: 'opened',
      address: '198.51.100.7',
      port: 22,
      protocol: 'tcp',
      packets: 1,
      bytes: 60,
    } as const;
    world.network.filterRows.set(slot, [passed]);
    // The copy never asked for the name.
    expect((await run.host.sandboxes.egressReport(sandboxes[0]?.id ?? '')).allowed).toMatchObject([
      { name: 'a.example.com', address: '198.51.100.7', port: 22, count: 1 },
    ]);
  });

  test('may have another policy', async () => {
    const { id } = await create(['a.example.com:22']);
    world.network.pins.set(id, pins);
    const [copy] = (await run.host.sandboxes.fork(id, forkSchema.parse({ egress: { mode: 'none' } }))).sandboxes;
    expect(copy?.egress).toEqual({ mode: 'none', allow: [], revision: 1 });
    expect(world.network.pins.has(copy?.id ?? '')).toBe(false);
  });
});

test('what becomes of resolver and proxy is an event', async () => {
  world.network.onHelperEvent({ role: 'proxy', kind: 'died', pid: 7 });
  const events = [];
  for await (const event of run.host.events.stream({ follow: false, signal: new AbortController().signal }))
    events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'host.egress-helper', data: { helper: 'proxy', what: 'died', pid: 7 } });
});

describe('the report', () => {
  const denied = {
    outcome: 'denied',
    address: '198.51.100.9',
    port: 22,
    protocol: 'tcp',
    packets: 2,
    bytes: 120,
  } as const;

  test('has what was counted until the sandbox ended, and stays with its tombstone', async () => {
    const { id } = await create(['a.example.com']);
    const slot = [...world.network.slots.keys()].at(-1) ?? -1;
    world.network.filterRows.set(slot, [denied]);
    expect((await run.host.sandboxes.egressReport(id)).deniedCount).toBe(2);
    world.network.filterRows.set(slot, [{ ...denied, packets: 5 }]);
    await run.host.sandboxes.stop(id);
    world.network.filterRows.clear();
    await restart();
    expect(await run.host.sandboxes.egressReport(id)).toMatchObject({
      policy: { mode: 'enforce', allow: ['a.example.com:443'] },
      denied: [{ address: '198.51.100.9', port: 22, reason: 'address', count: 5, blocked: true }],
      suggestedAllow: ['a.example.com:443', '198.51.100.9:22'],
    });
  });

  test('keeps what the filter counted before its rules went', async () => {
    const { id } = await create(['a.example.com']);
    const slot = [...world.network.slots.keys()].at(-1) ?? -1;
    world.network.filterRows.set(slot, [denied]);
    await set(id, { mode: 'none' });
    world.network.filterRows.clear();
    expect((await run.host.sandboxes.egressReport(id)).deniedCount).toBe(2);
    // The next rules count from the start, and may be ahead by the next look.
    await set(id, ['a.example.com']);
    world.network.filterRows.set(slot, [{ ...denied, packets: 3 }]);
    expect((await run.host.sandboxes.egressReport(id)).deniedCount).toBe(5);
  });

  test('does not count twice what the filter kept over a change of policy', async () => {
    const { id } = await create(['a.example.com']);
    const slot = [...world.network.slots.keys()].at(-1) ?? -1;
    world.network.filterRows.set(slot, [denied]);
    for (const policy of [
      ['b.example.com'],
      { mode: 'audit' as const },
      { mode: 'open' as const, allow: ['192.0.2.1:22'] },
    ]) {
      await set(id, policy);
      expect((await run.host.sandboxes.egressReport(id)).deniedCount).toBe(2);
    }
  });
});
