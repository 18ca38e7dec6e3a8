import { expect, test } from 'vitest';
import { networkConfigSchema } from '../../config.ts';
import { planNetwork, planSlot } from '../../plan.ts';
import { planProxy } from './proxy-plan.ts';
import { proxyPassage, proxyRules } from './proxy-rules.ts';

const plan = planNetwork(networkConfigSchema.parse({ instance: 'abcdef' }), 1400);

test('the proxy has an address that no slot has, and names that fit', () => {
  const proxy = planProxy(plan);
  expect(proxy).toEqual({
    netnsName: 'offshoot-abcdef-proxy',
    netnsPath: '/run/netns/offshoot-abcdef-proxy',
    vethName: 'ov-abcdef-proxy',
    address: '10.83.255.251',
    mac: plan.bridgeMac.replace('02:6f:66', '02:6f:67'),
  });
  // IFNAMSIZ less the zero at the end.
  expect(proxy.vethName.length).toBeLessThanOrEqual(15);
});

test('a small subnet holds one slot less, as the proxy takes an address; one that is full of slots has none left', () => {
  const config = networkConfigSchema.parse({ subnet: '10.83.0.0/28' });
  const small = planNetwork(config, 1400);
  const lastSlot = planSlot(small, config.subnet.base, small.capacity - 1);
  expect(planProxy(small).address).not.toBe(lastSlot.hostSideAddress);
  expect(() => planProxy({ ...small, capacity: small.capacity + 1 })).toThrow('no address left');
  expect(planProxy(planNetwork(networkConfigSchema.parse({ subnet: '10.83.0.0/22' }), 1400)).address).toBe(
    '10.83.3.251',
  );
});

test('without listeners nothing is let in, and no rule of the passage speaks of more than the bridge', () => {
  const proxy = planProxy(plan);
  expect(proxyRules(plan, proxy, [])).not.toContain('dport');
  expect(proxyRules(plan, proxy, [1, 2, 1])).toContain('tcp dport { 1, 2 } accept');
  for (const { rule } of proxyPassage(plan, proxy)) {
    expect(rule).toMatch(/^iifname "ob-abcdef" /);
    expect(rule).toContain(proxy.address);
    if (rule.includes(`ip saddr ${proxy.address}`)) expect(rule).toContain('ip daddr != 10.83.0.1');
  }
});
