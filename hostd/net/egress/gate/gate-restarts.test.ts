import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive } from '../../../platform/process-identity.ts';
import { ControlClient } from './control-client.ts';
import type { Gate, GateCursor, GateRow } from './gate.ts';
import { gateFolder, helperFiles, namesSocket } from './helper-files.ts';
import type { HelperRole } from './messages.ts';
import { identityIn } from './start-helper.ts';
import { GateLab, labCommands } from './testing/gate-lab.ts';

// Each starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

const patience = { timeout: 15_000, interval: 20 };

async function kill(lab: GateLab, gate: Gate, role: HelperRole, signal: NodeJS.Signals = 'SIGKILL'): Promise<number> {
  const { pid } = (await gate.health())[role];
  process.kill(pid, signal);
  return pid;
}

test('a proxy that is killed lets nothing through until the next one has the same policy', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])]);
  await gate.setPolicy(lab.sandbox('sbx_one', 2, ['b.test'], 2));
  const { port } = gate.listeners[0] ?? {};
  const { socket } = await lab.download(gate, 2, 'b.test');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const died = await kill(lab, gate, 'proxy');
  expect(await lab.fetch(gate, 2, 'b.test')).toBe('');
  await closed;
  await vi.waitFor(() => {
    expect(lab.events).toContainEqual({ role: 'proxy', kind: 'died', pid: died });
  }, patience);
  const { proxy } = await gate.health();
  expect(proxy.pid).not.toBe(died);
  expect(gate.listeners[0]?.port).toBe(port);
  expect(await lab.reaches(gate, 2, 'b.test')).toBe(true);
  expect(await lab.reaches(gate, 2, 'a.test')).toBe(false);
});

test('without a resolver no name leads anywhere; the next one has the same policies, and knows what is pinned', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])]);
  await lab.resolve(2, 'a.test');
  const saved = path.join(gateFolder(lab.folder), 'pins.json');
  await vi.waitFor(() => expect(exists(saved)).resolves.toBe(true), patience);
  await kill(lab, gate, 'resolver');
  expect(await lab.reaches(gate, 2, 'a.test')).toBe(false);
  await expect(lab.resolve(2, 'a.test')).rejects.toThrow();
  await vi.waitFor(async () => {
    expect((await lab.resolve(2, 'a.test')).addresses).toEqual(['127.0.0.11']);
  }, patience);
  expect((await lab.resolve(2, 'b.test')).rcode).toBe(3);
  expect(await lab.reaches(gate, 2, 'a.test')).toBe(true);
  expect(await lab.writtenPins()).toContain('= sbx_one tcp 127.0.0.11 22');
  await gate.setPolicy(lab.sandbox('sbx_one', 2, ['b.test'], 2));
  expect(await lab.writtenPins()).toContain('- sbx_one tcp 127.0.0.11 22');
});

test('a policy that is set while a helper is dead is in force when its promise resolves', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])]);
  await kill(lab, gate, 'proxy');
  await gate.setPolicy(lab.sandbox('sbx_one', 2, ['b.test'], 2));
  expect(await lab.reaches(gate, 2, 'b.test')).toBe(true);
  await kill(lab, gate, 'resolver');
  await gate.setPolicy(lab.sandbox('sbx_one', 2, ['c.test'], 3));
  expect(await lab.reaches(gate, 2, 'c.test')).toBe(true);
  expect(await lab.reaches(gate, 2, 'b.test')).toBe(false);
});

test('a helper that starts anew is not given what helpers refused before', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'], 7)]);
  await expect(gate.setPolicy(lab.sandbox('sbx_one', 2, ['b.test'], 6))).rejects.toThrow('newer than 6');
  await expect(gate.setPolicy(lab.sandbox('sbx_two', 2, ['b.test']))).rejects.toThrow('the same address');
  await expect(gate.setOwnAddresses(['nonsense'])).rejects.toThrow('is no address');
  await kill(lab, gate, 'proxy');
  await kill(lab, gate, 'resolver');
  await vi.waitFor(async () => expect(await lab.reaches(gate, 2, 'a.test')).toBe(true), patience);
  expect(await lab.reaches(gate, 2, 'b.test')).toBe(false);
  await gate.setPolicy(lab.sandbox('sbx_two', 3, ['b.test']));
  expect(await lab.reaches(gate, 3, 'b.test')).toBe(true);
});

test('a helper that does not answer is killed and started again', async () => {
  const lab = await GateLab.open();
  const watch = { everyMs: 200, patienceMs: 1000, waitMs: 15_000 };
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])], { watch });
  const pid = await kill(lab, gate, 'proxy', 'SIGSTOP');
  await vi.waitFor(() => {
    expect(lab.events).toContainEqual({ role: 'proxy', kind: 'hung', pid });
  }, patience);
  await vi.waitFor(async () => expect(await lab.reaches(gate, 2, 'a.test')).toBe(true), patience);
});

test('a proxy that hangs does not keep open what the resolver has to close', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])]);
  await lab.resolve(2, 'a.test');
  const pid = await kill(lab, gate, 'proxy', 'SIGSTOP');
  const changing = gate.setPolicy(lab.sandbox('sbx_one', 2, ['b.test'], 2));
  const closed = async () => expect(await lab.writtenPins()).toContain('- sbx_one tcp 127.0.0.11 22');
  await vi.waitFor(closed, { timeout: 2000, interval: 20 });
  process.kill(pid, 'SIGCONT');
  await changing;
  expect(await lab.reaches(gate, 2, 'b.test')).toBe(true);
});

test('the resolver writes anew what is pinned, after others have emptied the filter', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])]);
  await lab.resolve(2, 'a.test');
  await gate.rewritePins('sbx_one');
  expect((await lab.writtenPins()).at(-1)).toBe('= sbx_one tcp 127.0.0.11 22');
});

test('a helper whose answers wait as hostd stood still is left alone', async () => {
  const lab = await GateLab.open();
  const watch = { everyMs: 1, patienceMs: 500, waitMs: 15_000 };
  await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])], { watch });
  const standsStillUntilMs = performance.now() + 1500;
  while (performance.now() < standsStillUntilMs);
  await sleep(200);
  expect(lab.events.map(({ kind }) => kind)).toEqual(['started', 'started']);
});

test('hostd ends and another takes over: downloads go on, the helpers are the same', async () => {
  const lab = await GateLab.open();
  const first = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test']), lab.sandbox('sbx_gone', 3, ['a.test'])]);
  const before = await first.health();
  const { port } = first.listeners[0] ?? {};
  const kept = await lab.download(first, 2, 'a.test');
  const gone = await lab.download(first, 3, 'a.test');
  const goneClosed = new Promise((resolve) => gone.socket.once('close', resolve));
  await lab.leave(first);
  const withoutHostd = kept.received();
  await vi.waitFor(() => expect(kept.received()).toBeGreaterThan(withoutHostd), patience);
  const second = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])]);
  const after = await second.health();
  expect([after.proxy.pid, after.resolver.pid]).toEqual([before.proxy.pid, before.resolver.pid]);
  expect(second.listeners[0]?.port).toBe(port);
  await goneClosed;
  const taken = kept.received();
  await vi.waitFor(() => expect(kept.received()).toBeGreaterThan(taken), patience);
  expect(kept.socket.destroyed).toBe(false);
  expect(lab.events.map(({ kind }) => kind)).toEqual(['started', 'started', 'adopted', 'adopted']);
});

test('reports lose and double nothing across restarts of hostd and of the proxy', async () => {
  const lab = await GateLab.open();
  const sandboxes = [lab.sandbox('sbx_one', 2, ['a.test'])];
  const kept = new Map<string, GateRow>();
  let cursor: GateCursor | undefined;
  const read = async (from: Gate, since?: GateCursor) => {
    const report = await from.report(since);
    for (const row of report.rows) {
      const { epoch, outcome, reason, name, address, port, transport } = row;
      kept.set(JSON.stringify([epoch, outcome, reason, name, address, port, transport]), row);
    }
    cursor = report.cursor;
  };
  const total = (outcome: string) =>
    [...kept.values()]
      .filter((row) => row.helper === 'proxy' && row.outcome === outcome)
      .reduce((sum, { count }) => sum + count, 0);
  const use = async (gate: Gate) => {
    await lab.fetch(gate, 2, 'a.test');
    await lab.fetch(gate, 2, 'b.test');
  };
  const first = await lab.gate(sandboxes);
  await use(first);
  await read(first);
  await use(first);
  await lab.leave(first);
  const second = await lab.gate(sandboxes);
  await use(second);
  await read(second, cursor);
  expect([total('allowed'), total('denied'), total('usage')]).toEqual([3, 3, 3]);
  await read(second);
  await kill(lab, second, 'proxy');
  await second.health();
  await use(second);
  await read(second, cursor);
  expect([total('allowed'), total('denied'), total('usage')]).toEqual([4, 4, 4]);
  const usage = [...kept.values()].find(({ outcome }) => outcome === 'usage');
  expect(usage).toMatchObject({ sandboxId: 'sbx_one', name: 'a.test', port: lab.port });
  expect(usage?.bytesIn).toBeGreaterThan(300);
  const denied = [...kept.values()].find(({ outcome }) => outcome === 'denied');
  expect(denied).toMatchObject({ reason: 'host-header', name: 'b.test', port: lab.port });
});

test('what is no message harms nothing', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])]);
  const before = await gate.health();
  const messages = [
    randomBytes(5000),
    '{"id":1,"method":"setPolicies","params":{"sandboxes":[],"others":"drop","own":["x"],"phase":"final"}}\n',
    '{"id":2,"method":"setPolicies","params":{"sandboxes":[{}],"others":"drop","own":[],"phase":"final"}}\n',
    '{"id":3,"method":"constructor","params":{}}\n',
    '{"id":4,"method":"dropSandbox","params":{"sandboxId":{"length":1}}}\n',
    '{"id":5,"sandboxId":"sbx_nobody","name":"a.test"}\n',
    '{"id":6,"sandboxId":"sbx_one","name":"../../etc"}\n',
    `${'['.repeat(3000)}\n`,
    '\n'.repeat(2000),
  ];
  const folder = gateFolder(lab.folder);
  for (const socketPath of ['resolver.sock', 'proxy.sock']
    .map((name) => path.join(folder, name))
    .concat(namesSocket(folder))) {
    for (const message of messages) {
      const socket = connect(socketPath);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(message);
      socket.resume();
      await sleep(5);
      socket.destroy();
    }
  }
  expect(await lab.reaches(gate, 2, 'a.test')).toBe(true);
  expect(await lab.reaches(gate, 2, 'b.test')).toBe(false);
  const after = await gate.health();
  expect([after.proxy.pid, after.resolver.pid]).toEqual([before.proxy.pid, before.resolver.pid]);
});

test('helpers end when their folder is gone, and when they are told to', async () => {
  const lab = await GateLab.open();
  const first = await lab.gate([]);
  const { resolver, proxy } = await first.health();
  await lab.leave(first);
  await rename(gateFolder(lab.folder), `${gateFolder(lab.folder)}.old`);
  await vi.waitFor(async () => {
    expect([await isAlive(resolver), await isAlive(proxy)]).toEqual([false, false]);
  }, patience);
  const second = await lab.gate([]);
  const next = await second.health();
  await second.stop(false);
  expect([await isAlive(next.resolver), await isAlive(next.proxy)]).toEqual([false, false]);
});

test('one of a role serves a folder: another one ends', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([lab.sandbox('sbx_one', 2, ['a.test'])]);
  const entry = path.join(import.meta.dirname, 'proxy-process.ts');
  const other = spawn(process.execPath, [entry, gateFolder(lab.folder)], { stdio: 'ignore' });
  expect(await once(other, 'exit')).toEqual([3, null]);
  expect(await lab.reaches(gate, 2, 'a.test')).toBe(true);
  expect(lab.events.map(({ kind }) => kind)).toEqual(['started', 'started']);
});

test('hostd can end while a helper is being started', async () => {
  const lab = await GateLab.open();
  const gate = await lab.gate([]);
  const { resolver } = await gate.health();
  const died = await kill(lab, gate, 'proxy');
  await vi.waitFor(() => {
    expect(lab.events).toContainEqual({ role: 'proxy', kind: 'died', pid: died });
  }, patience);
  await gate.stop(false);
  expect(await isAlive(resolver)).toBe(false);
  const socketPath = path.join(gateFolder(lab.folder), 'proxy.sock');
  // The kernel calls a process dead a moment before its last thread has let go of the socket.
  await vi.waitFor(() => expect(ControlClient.connect(socketPath, 1000)).rejects.toThrow(), patience);
});

test('helpers that can not be started are told of, with what they said', async () => {
  const lab = await GateLab.open();
  const broken = [process.execPath, '-e', 'console.error("no such thing"); process.exit(1)', '--'];
  const commands = { resolver: broken, proxy: broken };
  const opening = lab.gate([], { commands, watch: { everyMs: 5000, patienceMs: 5000, waitMs: 2000 } });
  await expect(opening).rejects.toMatchObject({ code: 'network-setup-failed' });
  expect(lab.events.find(({ kind }) => kind === 'failed')?.message).toContain('no such thing');
});

test('a helper that can not do here what it is told, as one of another network, gives way to one that can', async () => {
  const lab = await GateLab.open();
  const sandboxes = [lab.sandbox('sbx_one', 2, ['a.test'])];
  // A namespace without any address lets programs bind to all of them.
  const elsewhere = ['unshare', '--net', '--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const commands = { ...labCommands, proxy: [...elsewhere, ...labCommands.proxy] };
  const first = await lab.gate(sandboxes, { commands, listeners: [] });
  const { proxy } = await first.health();
  await lab.leave(first);
  const listeners = ['127.0.0.1', addressHere()].map((address, index) => {
    return { address, port: 0, forPort: lab.port + index, layer: 'http' } as const;
  });
  const gate = await lab.gate(sandboxes, { listeners });
  expect(await isAlive(proxy)).toBe(false);
  expect(await lab.reaches(gate, 2, 'a.test')).toBe(true);
});

test('a proxy whose network namespace is not the one of now gives way, to this hostd and to the next', async () => {
  const lab = await GateLab.open();
  const sandboxes = [lab.sandbox('sbx_one', 2, ['a.test'])];
  const netns = path.join(lab.folder, 'netns');
  const elsewhere = await otherNetns();
  const here = '/proc/self/ns/net';
  const entering = async (target: string): Promise<void> => {
    await rm(netns, { force: true });
    await symlink(target, netns);
  };

  await entering(elsewhere);
  const first = await lab.gate(sandboxes, { proxyNetnsPath: netns });
  await first.keepInPlace();
  expect(lab.events.map(({ kind }) => kind)).toEqual(['started', 'started']);
  const { proxy } = await first.health();
  await entering(here);
  expect(await lab.reaches(first, 2, 'a.test')).toBe(false);
  await first.keepInPlace();
  expect(await isAlive(proxy)).toBe(false);
  await vi.waitFor(() => expect(lab.reaches(first, 2, 'a.test')).resolves.toBe(true), patience);

  await lab.leave(first);
  await entering(elsewhere);
  const second = await lab.gate(sandboxes, { proxyNetnsPath: netns });
  expect(await lab.reaches(second, 2, 'a.test')).toBe(false);
  expect(lab.events.filter(({ kind, role }) => kind === 'adopted' && role === 'proxy')).toEqual([]);
});

test('a sandbox that a proxy was not there to forget is forgotten by the resolver: its address can be another one’s', async () => {
  const lab = await GateLab.open();
  const closed = path.join(lab.folder, 'closed');
  const unlessClosed = ['sh', '-c', `test -e ${closed} && exit 1; exec "$@"`, 'sh'];
  const commands = { ...labCommands, proxy: [...unlessClosed, ...labCommands.proxy] };
  const sandboxes = [lab.sandbox('sbx_one', 2, ['a.test'])];
  await lab.leave(await lab.gate(sandboxes, { commands }));
  const gate = await lab.gate(sandboxes, { commands, watch: { everyMs: 5000, patienceMs: 5000, waitMs: 4000 } });
  await writeFile(closed, '');
  await kill(lab, gate, 'proxy');
  await expect(gate.remove('sbx_one')).rejects.toMatchObject({ code: 'network-setup-failed' });
  await rm(closed);
  await vi.waitFor(() => gate.setPolicy(lab.sandbox('sbx_two', 2, ['b.test'])), patience);
  expect(await lab.reaches(gate, 2, 'b.test')).toBe(true);
});

test('when one of them can not be started, the other does not stay for nobody', async () => {
  const lab = await GateLab.open();
  const commands = { ...labCommands, proxy: ['false'] };
  const watch = { everyMs: 5000, patienceMs: 5000, waitMs: 4000 };
  await expect(lab.gate([], { commands, watch })).rejects.toMatchObject({ code: 'network-setup-failed' });
  const resolver = await identityIn(helperFiles(gateFolder(lab.folder), 'resolver'));
  expect(resolver && (await isAlive(resolver))).toBe(false);
});

/** The file that stands for another network namespace, which lives as long as the test. */
async function otherNetns(): Promise<string> {
  const holder = spawn('unshare', ['--net', '--', 'sh', '-c', 'ip link set lo up && echo up && exec sleep 600']);
  onTestFinished(() => {
    holder.kill('SIGKILL');
  });
  await once(holder.stdout, 'data');
  return `/proc/${String(holder.pid)}/ns/net`;
}

/** That no other network namespace has. */
function addressHere(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found === undefined) throw new Error('this machine has no address');
  return found.address;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
