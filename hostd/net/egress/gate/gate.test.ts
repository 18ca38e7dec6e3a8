import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { GateLab } from './testing/gate-lab.ts';

// Each starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

test('names go by the policy of the sandbox at the source address, over DNS and through the proxy', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test']), lab.sandbox('sbx_two', 3, ['b.test'])]);
  expect(await lab.reaches(gate, 2, 'a.test')).toBe(true);
  expect(await lab.reaches(gate, 3, 'b.test')).toBe(true);
  expect(await lab.fetch(gate, 2, 'b.test')).toContain('403');
  expect(await lab.fetch(gate, 4, 'a.test')).toBe('');
  expect((await lab.resolve(2, 'a.test')).addresses).toEqual(['127.0.0.11']);
  expect((await lab.resolve(3, 'a.test')).rcode).toBe(3);
  const { rows } = await gate.report();
  expect(rows.filter(({ outcome }) => outcome === 'answered')).toMatchObject([
    { sandboxId: 'sbx_one', helper: 'resolver', name: 'a.test', address: '127.0.0.11', count: 1 },
  ]);
  expect(await lab.writtenPins()).toEqual(['= sbx_one ', '= sbx_two ', '+ sbx_one tcp 127.0.0.11 22']);
});

test('a new policy is in force when its promise resolves; what it takes away is cut, what it keeps goes on', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test', 'b.test'])]);
  const revoked = await lab.download(gate, 2, 'a.test');
  const kept = await lab.download(gate, 2, 'b.test');
  await lab.resolve(2, 'a.test');
  expect(await gate.setPolicy(lab.sandbox('sbx_one', 2, ['b.test', 'c.test'], 2))).toEqual({ cut: 1 });
  await new Promise((resolve) =>
    revoked.socket.destroyed ? resolve(undefined) : revoked.socket.once('close', resolve),
  );
  expect(await lab.reaches(gate, 2, 'c.test')).toBe(true);
  expect(await lab.reaches(gate, 2, 'a.test')).toBe(false);
  expect(await lab.writtenPins()).toContain('- sbx_one tcp 127.0.0.11 22');
  const before = kept.received();
  await sleep(100);
  expect(kept.received()).toBeGreaterThan(before);
});

test('100 connections racing changes of policy never reach what neither policy allows', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])]);
  const names = ['a.test', 'b.test', 'c.test'] as const;
  const reached = { 'a.test': 0, 'b.test': 0, 'c.test': 0 };
  let isOver = false;
  const guests = Array.from({ length: 100 }, async (_, index) => {
    const name = names[index % 3] ?? 'c.test';
    while (!isOver) if (await lab.reaches(gate, 2, name)) reached[name] += 1;
  });
  for (let revision = 2; revision < 14; revision += 1) {
    const [now, before] = revision % 2 === 0 ? (['b.test', 'a.test'] as const) : (['a.test', 'b.test'] as const);
    await gate.setPolicy(lab.sandbox('sbx_one', 2, [now], revision));
    const [isOpen, isShut] = await Promise.all([lab.reaches(gate, 2, now), lab.reaches(gate, 2, before)]);
    expect({ revision, isOpen, isShut }).toEqual({ revision, isOpen: true, isShut: false });
  }
  isOver = true;
  await Promise.all(guests);
  expect(reached['a.test']).toBeGreaterThan(0);
  expect(reached['b.test']).toBeGreaterThan(0);
  expect(reached['c.test']).toBe(0);
});

test('a sandbox that is removed is cut off and known no more', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test']), lab.sandbox('sbx_two', 3, ['a.test'])]);
  const { socket } = await lab.download(gate, 2, 'a.test');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await gate.remove('sbx_one');
  await closed;
  expect(await lab.fetch(gate, 2, 'a.test')).toBe('');
  await expect(lab.resolve(2, 'a.test')).rejects.toThrow();
  expect(await lab.reaches(gate, 3, 'a.test')).toBe(true);
});

test('a copy gets the pins of its source, as far as its own policy goes', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test', 'b.test'])]);
  await lab.resolve(2, 'a.test');
  await lab.resolve(2, 'b.test');
  await gate.setPolicy(lab.sandbox('sbx_fork', 3, ['a.test']));
  const pins = await gate.pinsOf('sbx_one');
  await gate.restorePins('sbx_fork', pins);
  await gate.setPolicy(lab.sandbox('sbx_back', 4, ['b.test']));
  await gate.restorePins('sbx_back', pins);
  const written = await lab.writtenPins();
  expect(written.filter((line) => line.startsWith('+ sbx_fork'))).toEqual(['+ sbx_fork tcp 127.0.0.11 22']);
  expect(written.filter((line) => line.startsWith('+ sbx_back'))).toEqual(['+ sbx_back tcp 127.0.0.12 22']);
  await expect(gate.restorePins('sbx_nobody', pins)).rejects.toMatchObject({ code: 'network-setup-failed' });
});

test('an older revision is refused, and the newer stays in force', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'], 7)]);
  await expect(gate.setPolicy(lab.sandbox('sbx_one', 2, ['b.test'], 6))).rejects.toThrow('newer than 6');
  expect(await lab.reaches(gate, 2, 'a.test')).toBe(true);
  expect(await lab.reaches(gate, 2, 'b.test')).toBe(false);
});

test('addresses that became the host’s own are closed to sandboxes', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])]);
  const { socket } = await lab.download(gate, 2, 'a.test');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await gate.setOwnAddresses(['127.0.0.11']);
  await closed;
  expect(await lab.reaches(gate, 2, 'a.test')).toBe(false);
  expect(await lab.fetch(gate, 2, 'a.test')).toContain('403');
});
