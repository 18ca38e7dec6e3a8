import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { networkConfigSchema } from './config.ts';
import { openForeignChains, passages } from './host-firewalls.ts';
import { openLegacyChains } from './legacy-firewalls.ts';
import type { NftChain } from './nft-json.ts';
import { planNetwork } from './plan.ts';
import { ScriptedRunner } from './testing/scripted-runner.ts';

const plan = planNetwork(networkConfigSchema.parse({}), 1400);

const forwardChain = (policy: string, more: Partial<NftChain> = {}): NftChain => ({
  family: 'ip',
  table: 'filter',
  name: 'FORWARD',
  type: 'filter',
  hook: 'forward',
  policy,
  ...more,
});

const rule = (handle: number, expr: unknown[], comment?: string) => ({
  rule: {
    family: 'ip',
    table: 'filter',
    chain: 'FORWARD',
    handle,
    expr,
    ...(comment === undefined ? {} : { comment }),
  },
});

const ours = passages(plan, 'forward').map((passage, index) => rule(50 + index, [{ accept: null }], passage.comment));

async function loaded(chain: NftChain, rules: unknown[]): Promise<string> {
  const runner = new ScriptedRunner((line) =>
    line.includes('list chain ') ? { stdout: JSON.stringify({ nftables: [{ metainfo: {} }, ...rules] }) } : {},
  );
  await openForeignChains(runner, plan, [chain]);
  return runner.seen
    .filter((command) => command.line === 'nft -f -')
    .map((command) => command.input)
    .join('');
}

test('a chain with the policy drop gets two rules at its top, the first to come out on top', async () => {
  expect(await loaded(forwardChain('drop'), [])).toBe(
    'insert rule ip filter FORWARD oifname "ob-main" counter accept comment "offshoot:main back"\n' +
      'insert rule ip filter FORWARD iifname "ob-main" counter accept comment "offshoot:main out"\n',
  );
});

test('rules in place stay as they are', async () => {
  expect(await loaded(forwardChain('drop'), [...ours, rule(1, [{ drop: null }])])).toBe('');
});

test('rules pushed down, doubled or of another configuration are replaced in one transaction', async () => {
  const [out, back] = ours;
  const pushedDown = await loaded(forwardChain('drop'), [rule(1, [{ jump: { target: 'X' } }]), ...ours]);
  expect(pushedDown).toMatch(/^delete rule ip filter FORWARD handle 50\ndelete .* 51\ninsert .*\ninsert .*\n$/);
  expect(await loaded(forwardChain('drop'), [out, back, out])).toMatch(/delete/);
  expect(await loaded(forwardChain('drop'), [rule(9, [], 'offshoot:main older')])).toMatch(
    /^delete .* handle 9\ninsert/,
  );
});

test('rules of another instance, even of a like name, are not touched', async () => {
  const text = await loaded(forwardChain('drop'), [rule(9, [], 'offshoot:main2 out'), rule(8, [], 'offshoot:main')]);
  expect(text).not.toContain('delete');
  expect(text.match(/insert/g)).toHaveLength(2);
});

test.for([
  ['nft reject', [{ counter: { packets: 0, bytes: 0 } }, { reject: { type: 'icmpx' } }], true],
  ['nft drop', [{ drop: null }], true],
  ['iptables REJECT', [{ counter: {} }, { xt: { type: 'target', name: 'REJECT' } }], true],
  ['iptables REJECT as older nft prints it', [{ xt: null }, { counter: {} }], true],
  ['a conditional drop', [{ match: {} }, { drop: null }], false],
  ['iptables LOG', [{ xt: { type: 'target', name: 'LOG' } }], false],
  ['an accept', [{ accept: null }], false],
  ['something unknown', ['odd'], false],
] as const)('a chain that accepts and ends in %s', async ([, expr, isOpened]) => {
  const text = await loaded(forwardChain('accept'), [rule(1, [...expr])]);
  expect(text !== '').toBe(isOpened);
});

test.for([
  ['of a type that does not filter', { type: 'nat' }],
  ['of another family', { family: 'bridge' }],
  ['at another hook', { hook: 'prerouting' }],
  ['of our own table', { table: 'offshoot_main' }],
] as const)('a chain %s is left alone', async ([, more]) => {
  expect(await loaded(forwardChain('drop', more), [])).toBe('');
});

async function tablesFile(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'offshoot-legacy-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'names'), text);
  return join(directory, 'names');
}

test('legacy rules without the program to see them are reported; without legacy tables it is not even asked', async () => {
  const missing = Object.assign(new Error('spawn iptables-legacy ENOENT'), { code: 'ENOENT' });
  const runner = new ScriptedRunner(() => missing);
  expect(await openLegacyChains(runner, plan, await tablesFile('nat\nfilter\n'))).toContain('apt-get install iptables');
  const unasked = new ScriptedRunner(() => missing);
  expect(await openLegacyChains(unasked, plan, await tablesFile('nat\n'))).toBeUndefined();
  expect(await openLegacyChains(unasked, plan, '/nonexistent/names')).toBeUndefined();
  expect(unasked.seen).toEqual([]);
});

test('only legacy chains that deny get rules, and only once', async () => {
  const names = await tablesFile('filter\n');
  const listing =
    '-P INPUT ACCEPT\n-P FORWARD ACCEPT\n-P OUTPUT ACCEPT\n-A FORWARD -j REJECT --reject-with icmp-port-unreachable\n';
  const first = new ScriptedRunner(() => ({ stdout: listing }));
  await openLegacyChains(first, plan, names);
  expect(first.seen.map((command) => command.line).slice(1)).toEqual([
    'iptables-legacy -w 5 -I FORWARD 1 -o ob-main -m comment --comment offshoot:main -j ACCEPT',
    'iptables-legacy -w 5 -I FORWARD 1 -i ob-main -m comment --comment offshoot:main -j ACCEPT',
  ]);
  const ourLines = ['-i', '-o'].map(
    (side) => `-A FORWARD ${side} ob-main -m comment --comment "offshoot:main" -j ACCEPT\n`,
  );
  const second = new ScriptedRunner(() => ({ stdout: listing + ourLines.join('') }));
  await openLegacyChains(second, plan, names);
  expect(second.seen).toHaveLength(1);
});
