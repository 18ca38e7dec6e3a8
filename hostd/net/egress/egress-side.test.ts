import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Runner } from '../../platform/run.ts';
import { networkConfigSchema } from '../config.ts';
import type { SlotEgress } from '../network.ts';
import { planNetwork, planSlot, type SlotPlan } from '../plan.ts';
import { EgressSide } from './egress-side.ts';
import { FakeGate } from './gate/fake-gate.ts';
import type { ProxyListenerSpec, SandboxPolicy } from './gate/messages.ts';
import { parsePolicy } from './policy/parse-rules.ts';
import type { PolicyMode } from './policy/policy.ts';

const config = networkConfigSchema.parse({});
const plan = planNetwork(config, 1500);
const slot = (number: number): SlotPlan => planSlot(plan, config.subnet.base, number);
const egress = (id: string | undefined, mode: PolicyMode, allow: readonly string[] = [], revision = 1): SlotEgress => ({
  policy: parsePolicy(mode, allow),
  ...(id === undefined ? {} : { sandbox: { id, revision } }),
});

/** What was done, in order: rules loaded into a netns, policies and listeners given to the helpers, what was opened of the host. */
let done: string[];
let hostTable: NotedHostTable;
let gate: FakeGate;
let side: EgressSide;
let addresses: string[];
/** How long loading rules takes, one after the other. */
let loadsTakeMs: number[];
let listenTakesMs: number;
let policyTakesMs = 0;
let removalTakesMs = 0;

class NotedGate extends FakeGate {
  override async rewritePins(sandboxId: string): Promise<void> {
    done.push(`pins ${sandboxId} written`);
    return super.rewritePins(sandboxId);
  }
  override async setPolicy(sandbox: SandboxPolicy): Promise<{ cut: number }> {
    await sleep(policyTakesMs);
    done.push(`policy ${sandbox.sandboxId} ${sandbox.policy.mode}`);
    return super.setPolicy(sandbox);
  }
  override async remove(sandboxId: string): Promise<void> {
    await sleep(removalTakesMs);
    done.push(`${sandboxId} forgotten`);
    return super.remove(sandboxId);
  }
  override async listen(listeners: readonly ProxyListenerSpec[]): Promise<ProxyListenerSpec[]> {
    done.push(`listen ${listeners.map(({ forPort, layer }) => `${layer}:${String(forPort)}`).join(' ')}`);
    if (listenTakesMs > 0) await sleep(listenTakesMs);
    return super.listen(listeners);
  }
}

class NotedHostTable {
  readonly opened = new Map<number, string>();

  open(slot: number, openings: readonly string[]): Promise<void> {
    if (openings.join() !== (this.opened.get(slot) ?? '')) done.push(`host ${String(slot)} ${openings.join()}`);
    this.opened.set(slot, openings.join());
    return Promise.resolve();
  }

  closeAllBut(slot: number, openings: readonly string[]): Promise<void> {
    const before = this.opened.get(slot)?.split(/(?<=}),/) ?? [];
    return this.open(
      slot,
      before.filter((one) => openings.includes(one)),
    );
  }
}

const runner: Runner = {
  run: async (command, args, options) => {
    const netns = args
      .find((word) => word.startsWith('--net='))
      ?.split('/')
      .at(-1);
    const loads = command === 'nsenter' && args.includes('nft') && args.includes('-f');
    if (loads) await sleep(loadsTakeMs.shift() ?? 0);
    if (loads) done.push(`rules ${netns ?? ''} ${kindOf(String(options?.input))}`);
    const links = [
      { ifname: 'eth0', addr_info: addresses.map((local) => ({ local, prefixlen: 24, scope: 'global' })) },
    ];
    const isAddresses = args.join(' ') === '-j addr show';
    const json =
      args.includes('-j') && command === 'ip' ? (isAddresses ? JSON.stringify(links) : '[]') : '{"nftables":[]}';
    return { code: 0, signal: null, stdout: args.includes('-j') ? json : '', stderr: '' };
  },
};

function kindOf(document: string): string {
  if (document.startsWith('flush set')) return 'pins closed';
  if (document.includes('chain judged')) return document.includes('goto audited') ? 'audit' : 'enforce';
  return document.includes('chain outward') ? 'open' : 'none';
}

beforeEach(async () => {
  done = [];
  loadsTakeMs = [];
  listenTakesMs = 0;
  policyTakesMs = 0;
  removalTakesMs = 0;
  addresses = ['203.0.113.7'];
  gate = new NotedGate();
  hostTable = new NotedHostTable();
  side = new EgressSide({
    runner,
    plan,
    hostTable,
    dns: { resolvConf: '/etc/resolv.conf', upstreams: undefined },
    openGate: async (_netns, options) => {
      for (const sandbox of options.sandboxes) gate.policies.set(sandbox.sandboxId, sandbox);
      gate.own = options.own;
      await FakeGate.prototype.listen.call(gate, options.listeners);
      return gate;
    },
  });
  await side.open([], () => undefined);
});

async function make(number: number, given: SlotEgress): Promise<string> {
  const rules = await side.prepare(slot(number), given);
  await side.admit(slot(number), given);
  return rules;
}

describe('a new slot', () => {
  test('has rules that lead to where the proxy listens, and is known to the helpers', async () => {
    const rules = await make(3, egress('sbx_a', 'enforce', ['a.example.com', 'tls:a.example.com:8443']));
    expect(done).toEqual(['listen tls:443 http:80 tls:8443', 'policy sbx_a enforce']);
    const ports = new Map(gate.listeners.map(({ forPort, port }) => [forPort, port]));
    for (const forPort of [443, 80, 8443])
      expect(rules).toContain(`${String(forPort)} : ${String(ports.get(forPort))}`);
    expect(gate.policies.get('sbx_a')).toMatchObject({
      sourceAddress: '10.83.0.5',
      netnsPath: '/run/netns/offshoot-main-3',
    });
  });

  test('of a machine that is nobody’s is unknown to them until it is somebody’s, whose rules need not be loaded again', async () => {
    await make(0, egress(undefined, 'audit'));
    expect(done).toEqual([]);
    await side.change(slot(0), egress('sbx_a', 'audit'));
    expect(done).toEqual(['policy sbx_a audit']);
    await side.change(slot(0), egress('sbx_a', 'enforce', [], 2));
    expect(done.slice(1)).toEqual(['rules offshoot-main-0 enforce', 'policy sbx_a enforce']);
  });

  test('that is open or closed takes no helper, but with rules it does', async () => {
    expect(kindOf(await make(0, egress('sbx_a', 'open')))).toBe('open');
    expect(kindOf(await make(1, egress('sbx_b', 'none')))).toBe('none');
    expect(gate.policies.size).toBe(0);
    expect(kindOf(await make(2, egress('sbx_c', 'open', ['10.1.2.3:22'])))).toBe('audit');
    expect(gate.policies.get('sbx_c')?.policy.mode).toBe('audit');
  });

  test('can’t have a policy where there is no gate', async () => {
    const dns = { resolvConf: '/', upstreams: undefined };
    const bare = new EgressSide({ runner, plan, hostTable, openGate: undefined, dns });
    await bare.open([], () => undefined);
    await expect(bare.prepare(slot(0), egress('sbx_a', 'audit'))).rejects.toMatchObject({
      code: 'network-setup-failed',
    });
    expect(kindOf(await bare.prepare(slot(0), egress('sbx_a', 'open')))).toBe('open');
  });
});

describe('a change', () => {
  test('to open or none lets the resolver take its pins back while their sets are there', async () => {
    await make(0, egress('sbx_a', 'enforce', ['a.example.com:22']));
    done = [];
    await side.change(slot(0), egress('sbx_a', 'none', [], 2));
    await side.change(slot(0), egress('sbx_a', 'audit', [], 3));
    expect(done).toEqual([
      'policy sbx_a none',
      'rules offshoot-main-0 none',
      'rules offshoot-main-0 audit',
      'policy sbx_a audit',
    ]);
  });

  test('that fails is made whole by the next one, also when that is the same again', async () => {
    await make(0, egress('sbx_a', 'enforce', ['a.example.com']));
    gate.failing = true;
    await expect(side.change(slot(0), egress('sbx_a', 'enforce', [], 2))).rejects.toMatchObject({
      code: 'network-setup-failed',
    });
    gate.failing = false;
    done = [];
    await side.change(slot(0), egress('sbx_a', 'enforce', ['a.example.com'], 2));
    expect(done).toEqual(['rules offshoot-main-0 enforce', 'policy sbx_a enforce']);
  });

  test('closes itself what a resolver that hangs would have to close, and has the rest written again', async () => {
    await make(0, egress('sbx_a', 'enforce', ['a.example.com:22', 'b.example.com:22']));
    done = [];
    policyTakesMs = 800;
    await side.change(slot(0), egress('sbx_a', 'enforce', ['b.example.com:22'], 2));
    expect(done).toEqual(['rules offshoot-main-0 pins closed', 'policy sbx_a enforce', 'pins sbx_a written']);
    done = [];
    await side.change(slot(0), egress('sbx_a', 'none', [], 3));
    const closing = ['rules offshoot-main-0 enforce', 'rules offshoot-main-0 pins closed'];
    expect(done).toEqual([...closing, 'policy sbx_a none', 'rules offshoot-main-0 none']);
  });

  test('leaves pins alone where it takes none away, or the resolver closes them in time', async () => {
    await make(0, egress('sbx_a', 'enforce', ['a.example.com', 'b.example.com:22']));
    done = [];
    await side.change(slot(0), egress('sbx_a', 'enforce', ['a.example.com'], 2));
    policyTakesMs = 800;
    await side.change(slot(0), egress('sbx_a', 'audit', [], 3));
    await side.change(slot(0), egress('sbx_a', 'open', [], 4));
    expect(done.filter((one) => one.includes('pins'))).toEqual([]);
  });

  test('that the proxy can not listen for is not in the way of others', async () => {
    await make(0, egress('sbx_a', 'enforce', ['tls:a.example.com:8443']));
    gate.failing = true;
    const tooMuch = side.change(slot(0), egress('sbx_a', 'enforce', ['tls:a.example.com:9001'], 2));
    await expect(tooMuch).rejects.toMatchObject({ code: 'network-setup-failed' });
    const alsoTooMuch = side.prepare(slot(1), egress('sbx_b', 'enforce', ['tls:a.example.com:9002']));
    await expect(alsoTooMuch).rejects.toMatchObject({ code: 'network-setup-failed' });
    gate.failing = false;
    done = [];
    await make(2, egress('sbx_c', 'enforce', ['http:a.example.com:9003']));
    expect(done[0]).toBe('listen tls:443 http:80 tls:8443 http:9003');
  });

  test('does not count on a listener that is being closed', async () => {
    await make(0, egress('sbx_a', 'enforce', ['tls:a.example.com:8443']));
    await make(1, egress('sbx_b', 'enforce', []));
    await side.forget(0);
    listenTakesMs = 40;
    await Promise.all([
      side.prepare(slot(2), egress('sbx_c', 'enforce', ['tls:a.example.com:9443'])),
      sleep(20).then(() => side.change(slot(1), egress('sbx_b', 'enforce', ['tls:a.example.com:8443'], 2))),
    ]);
    expect(gate.listeners.map(({ forPort }) => forPort)).toEqual(expect.arrayContaining([8443, 9443]));
  });

  test('is not undone by rules that were on their way before', async () => {
    await make(0, egress('sbx_a', 'audit'));
    done = [];
    addresses = ['203.0.113.7', '198.51.100.9'];
    loadsTakeMs = [100];
    const ensured = side.ensure();
    await sleep(50);
    await side.change(slot(0), egress('sbx_a', 'enforce', [], 2));
    await ensured;
    expect(done).toEqual(['rules offshoot-main-0 audit', 'rules offshoot-main-0 enforce', 'policy sbx_a enforce']);
  });

  test('keeps listeners of others, also of those that are being made', async () => {
    const making = side.prepare(slot(0), egress('sbx_a', 'enforce', ['tls:a.example.com:8443']));
    const also = side.prepare(slot(1), egress('sbx_b', 'enforce', ['http:b.example.com:8080']));
    const [first, second] = await Promise.all([making, also]);
    const open = gate.listeners.map(({ port }) => port);
    for (const rules of [first, second]) {
      const led = [...rules.matchAll(/(?:8443|8080) : (\d+)/g)].map(([, port]) => Number(port));
      expect(led).toHaveLength(1);
      expect(open).toEqual(expect.arrayContaining(led));
    }
  });
});

test('a slot that goes is forgotten, even when the helpers can not be told', async () => {
  await make(0, egress('sbx_a', 'audit'));
  await side.forget(0);
  expect(gate.policies.size).toBe(0);
  await make(1, egress('sbx_b', 'audit'));
  gate.failing = true;
  await side.forget(1);
});

test('a slot is prepared anew when its sandbox is forgotten; who removes that does not wait for helpers that are slow', async () => {
  await make(0, egress('sbx_a', 'audit'));
  removalTakesMs = 1300;
  const startedMs = performance.now();
  await side.forget(0);
  expect(performance.now() - startedMs).toBeLessThan(1250);
  await make(0, egress('sbx_b', 'enforce'));
  expect(done).toEqual(['policy sbx_a audit', 'sbx_a forgotten', 'policy sbx_b enforce']);
});

test('a change that is under way when its slot goes leaves nothing of the sandbox', async () => {
  await make(0, egress('sbx_a', 'enforce'));
  listenTakesMs = 50;
  const changing = side.change(slot(0), egress('sbx_a', 'enforce', ['tls:a.example.com:8443', '203.0.113.7:22'], 2));
  await side.forget(0);
  await changing;
  expect([...gate.policies.keys()]).toEqual([]);
  expect(hostTable.opened.get(0)).toBe('');
  const late = side.change(slot(0), egress('sbx_a', 'audit', [], 3));
  await expect(late).rejects.toMatchObject({ code: 'network-setup-failed' });
  expect([...gate.policies.keys()]).toEqual([]);
});

test('slots of an earlier hostd get the rules of this one, and the helpers their policies', async () => {
  const later = new EgressSide({
    runner,
    plan,
    hostTable,
    dns: { resolvConf: '/etc/resolv.conf', upstreams: undefined },
    openGate: async (_netns, options) => {
      expect(options.sandboxes).toMatchObject([{ sandboxId: 'sbx_a', revision: 4 }]);
      expect(options.listeners.map(({ forPort }) => forPort)).toEqual([443, 80, 8443]);
      await gate.listen(options.listeners);
      return gate;
    },
  });
  done = [];
  await later.open(
    [{ slot: slot(0), egress: egress('sbx_a', 'enforce', ['tls:a.example.com:8443'], 4) }],
    () => undefined,
  );
  expect(done).toEqual(['listen tls:443 http:80 tls:8443', 'rules offshoot-main-0 enforce']);
});

test('addresses that the host got are closed from then on', async () => {
  await make(0, egress('sbx_a', 'enforce', ['198.51.100.0/24:22']));
  done = [];
  await side.ensure();
  expect(done).toEqual([]);
  addresses = ['203.0.113.7', '198.51.100.9'];
  await side.ensure();
  expect(gate.own).toEqual(['198.51.100.9', '203.0.113.7', '10.83.0.0/16']);
  expect(done).toEqual(['rules offshoot-main-0 enforce']);
});

describe('addresses of the host that rules name', () => {
  const onBridge = 'opened_ports { 10.83.0.2 . 10.83.0.1 . tcp . 5432 }';
  const onUplink = 'opened_ports { 10.83.0.2 . 203.0.113.7 . udp . 7 }';

  test('are opened to the slot alone, and closed when it goes', async () => {
    await make(0, egress('sbx_a', 'enforce', ['10.83.0.1:5432', 'udp:203.0.113.7:7', '203.0.113.0/24:22']));
    await make(1, egress('sbx_b', 'audit'));
    expect([...hostTable.opened]).toEqual([
      [0, `${onBridge},${onUplink}`],
      [1, ''],
    ]);
    await side.forget(0);
    expect(hostTable.opened.get(0)).toBe('');
  });

  test('are opened after the slot’s own rules changed, and closed before', async () => {
    await make(0, egress('sbx_a', 'enforce', ['10.83.0.1:5432']));
    done = [];
    await side.change(slot(0), egress('sbx_a', 'enforce', ['10.83.0.1:5432', 'udp:203.0.113.7:7'], 2));
    expect(done).toEqual(['rules offshoot-main-0 enforce', 'policy sbx_a enforce', `host 0 ${onBridge},${onUplink}`]);
    done = [];
    await side.change(slot(0), egress('sbx_a', 'open', [], 3));
    expect(done).toEqual(['host 0 ', 'policy sbx_a open', 'rules offshoot-main-0 open']);
  });

  test('of an earlier sandbox are closed to the next one of the slot before it is made', async () => {
    await hostTable.open(0, [onUplink]);
    done = [];
    await side.prepare(slot(0), egress('sbx_a', 'open'));
    expect(done).toEqual(['host 0 ']);
  });

  test('follow those that the host has', async () => {
    await make(0, egress('sbx_a', 'enforce', ['198.51.100.9:22']));
    expect(hostTable.opened.get(0)).toBe('');
    addresses = ['203.0.113.7', '198.51.100.9'];
    await side.ensure();
    expect(hostTable.opened.get(0)).toBe('opened_ports { 10.83.0.2 . 198.51.100.9 . tcp . 22 }');
    addresses = ['203.0.113.7'];
    await side.ensure();
    expect(hostTable.opened.get(0)).toBe('');
  });

  test('are open to sandboxes of an earlier hostd before the gate is', async () => {
    const openGate = (): Promise<never> => Promise.reject(new Error('not yet'));
    const dns = { resolvConf: '/etc/resolv.conf', upstreams: undefined };
    const later = new EgressSide({ runner, plan, hostTable, openGate, dns });
    await later.expect([{ slot: slot(0), egress: egress('sbx_a', 'enforce', ['10.83.0.1:5432'], 4) }]);
    expect(hostTable.opened.get(0)).toBe(onBridge);
  });
});
