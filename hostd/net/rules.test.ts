import { expect, test } from 'vitest';
import { networkConfigSchema } from './config.ts';
import { planProxy } from './egress/firewall/proxy-plan.ts';
import { passageComment, proxyPassage } from './egress/firewall/proxy-rules.ts';
import { openingRules } from './host-openings.ts';
import { hostRules } from './host-rules.ts';
import { planNetwork, planSlot } from './plan.ts';
import { closedRanges, slotRules } from './slot-rules.ts';

const config = networkConfigSchema.parse({ dnsPort: 5300, maxFlowsPerSandbox: 99 });
const plan = planNetwork(config, 1400);
const slot = planSlot(plan, config.subnet.base, 0);

/** The lines of one chain. */
function chain(rules: string, name: string): string[] {
  const body = new RegExp(`chain ${name} \\{\\n([^}]*(?:\\{[^}]*\\}[^}]*)*?)\\n  \\}`).exec(rules)?.[1] ?? '';
  return body.split('\n').map((line) => line.trim());
}

test('closed without a policy are the ranges that are not public, as with one, and no documentation range', () => {
  const standard = [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '168.63.129.16/32',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ];
  expect(closedRanges({ subnet: '10.83.0.0/16' })).toEqual(standard);
  expect(closedRanges({ subnet: '198.18.0.0/24' })).toEqual(standard);
});

test('every chain of a sandbox that filters drops what it does not name', () => {
  for (const mode of ['open', 'none'] as const) {
    const filters = slotRules(plan, slot, mode).match(/type filter hook \w+ priority \w+; policy \w+/g) ?? [];
    expect(filters).toHaveLength(3);
    for (const filter of filters) expect(filter).toMatch(/policy drop$/);
  }
});

test('open: closed ranges are refused before anything is let out, and nothing is let out for being known already', () => {
  const forward = chain(slotRules(plan, slot, 'open'), 'forward');
  const refused = forward.findIndex((line) => line.startsWith('ip daddr { 0.0.0.0/8'));
  const letOut = forward.indexOf('oifname "up0" accept');
  expect(refused).toBeGreaterThan(0);
  expect(letOut).toBeGreaterThan(refused);
  const known = forward.filter((line) => line.includes('established'));
  expect(known).toEqual(['iifname "up0" ct state established,related accept']);
  expect(forward).toContain('ct state new ct count over 99 goto refuse');
});

test('open: addresses of the host are refused before they come to the host, which says few refusals a second', () => {
  const refused = (own: string[]) =>
    chain(slotRules(plan, slot, 'open', own), 'forward').find((line) => line.startsWith('ip daddr {'));
  expect(refused(['192.0.2.200', '10.1.2.3'])).toContain(', 192.0.2.200/32, ');
  expect(refused([])).not.toContain('192.0.2.200');
});

test('open: DNS goes to the bridge at the configured port, whatever port 53 of the bridge is', () => {
  const inward = chain(slotRules(plan, slot, 'open'), 'inward');
  expect(inward).toContain('iifname "tap0" ip daddr 10.83.255.253 udp dport 53 dnat ip to 10.83.0.1:5300');
  expect(inward).toContain('iifname "tap0" ip daddr 10.83.255.253 tcp dport 53 dnat ip to 10.83.0.1:5300');
});

test('none: no rule lets anything through', () => {
  const rules = slotRules(plan, slot, 'none');
  expect(rules).not.toContain('nat');
  expect(rules.match(/.*accept.*/g)).toEqual(['    iifname "tap0" ip saddr 10.83.255.254 accept']);
  expect(chain(rules, 'forward')).toContain('iifname "tap0" goto refuse');
});

test('the passage of the proxy is in the host’s table from the start, ahead of all that refuses', () => {
  for (const chain of ['guard', 'forward'] as const) {
    const [, rules = ''] = hostRules(plan).split(`chain ${chain} {`);
    const [hook = '', ...first] = rules.trim().split('\n');
    expect(hook).toContain('hook');
    const passage = proxyPassage(plan, planProxy(plan)).filter((one) => one.chain === chain);
    expect(first.slice(0, passage.length).map((line) => line.trim())).toEqual(
      passage.map(({ rule }) => `${rule} comment "${passageComment}"`),
    );
  }
});

test('the host’s table is replaced in one transaction and only speaks of its own bridge and subnet', () => {
  const rules = hostRules(plan);
  expect(
    rules.startsWith('table inet offshoot_main\ndelete table inet offshoot_main\ntable inet offshoot_main {'),
  ).toBe(true);
  const others = rules
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /(drop|refuse|masquerade|accept)$/.test(line) && !/ob-main|10\.83\.0/.test(line));
  expect(others).toEqual(['meta nfproto != ipv4 drop', ...openingRules, 'fib daddr type local goto refuse']);
  expect(chain(rules, 'guard').indexOf('iifname != "ob-main" accept')).toBeLessThan(
    chain(rules, 'guard').indexOf('meta nfproto != ipv4 drop'),
  );
});

test('the host is opened only to sandboxes’ own addresses, by sets that are empty in a new table', () => {
  const guard = chain(hostRules(plan), 'guard');
  const own = guard.indexOf('ip saddr != 10.83.0.0/16 drop');
  expect(own).toBeGreaterThan(0);
  for (const rule of openingRules) expect(guard.indexOf(rule)).toBeGreaterThan(own);
  expect(hostRules(plan)).not.toContain('element');
});
