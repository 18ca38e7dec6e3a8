import { expect, test } from 'vitest';
import { networkConfigSchema } from '../../config.ts';
import { planNetwork, planSlot } from '../../plan.ts';
import { parsePolicy } from '../policy/parse-rules.ts';
import { thenLine } from './load-rules.ts';
import { slotPolicyRules } from './slot-policy-rules.ts';

const config = networkConfigSchema.parse({ maxFlowsPerSandbox: 99 });
const plan = planNetwork(config, 1400);
const slot = planSlot(plan, config.subnet.base, 0);
const listeners = new Map([
  [443, 18_443],
  [80, 18_080],
]);
const helpers = {
  resolver: { address: plan.bridgeAddress, port: 5353 },
  proxy: { address: '10.83.255.251', listeners },
};

function rules(mode: 'enforce' | 'audit', list: readonly string[] = []): string {
  return slotPolicyRules(plan, slot, parsePolicy(mode, list), { own: [] }, helpers);
}

test('every filter chain drops what it does not name', () => {
  for (const mode of ['enforce', 'audit'] as const) {
    const filters = rules(mode).match(/type filter hook \w+ priority \w+; policy \w+/g) ?? [];
    expect(filters).toHaveLength(3);
    for (const filter of filters) expect(filter).toMatch(/policy drop$/);
  }
});

test('enforce never reaches the chain that passes what is not listed; audit does, but for what is closed', () => {
  expect(rules('enforce')).not.toMatch(/(goto|jump) audited/);
  expect(rules('audit')).toMatch(/goto audited/);
  const audited = /chain audited \{([^]*?)\n {2}\}/.exec(rules('audit'))?.[1] ?? '';
  expect(audited.indexOf('@closed return')).toBeGreaterThan(0);
  expect(audited.indexOf('accept')).toBeGreaterThan(audited.indexOf('@closed return'));
});

test('what a rule by address or a pin opens is counted, what is led to a helper is not', () => {
  for (const mode of ['enforce', 'audit'] as const) {
    for (const transport of ['tcp', 'udp']) {
      const chain = new RegExp(`chain judged_${transport} \\{([^]*?)\\n {2}\\}`).exec(rules(mode))?.[1] ?? '';
      const opening = chain.split('\n').filter((line) => / @(networks|ports|pinned\w*)_/.test(line));
      expect(opening.map((line) => line.split(' ').slice(-2).join(' '))).toEqual(Array(4).fill('goto passed'));
      expect(chain).toMatch(/@helpers_\w+ accept\n/);
    }
  }
});

test('a rule that opens a private network leaves out the sandboxes’ own, though the host names none', () => {
  const opened = /element inet offshoot ports_tcp \{([^}]*)\}/.exec(rules('enforce', ['10.0.0.0/8:22']))?.[1] ?? '';
  expect(opened).toContain('22 . 10.128.0.0/9');
  expect(opened).toContain('22 . 10.82.0.0/16');
  expect(opened).not.toMatch(/22 \. 10\.(83\.|0\.0\.0\/8)/);
});

test('a change keeps pins and counts and makes all else anew', () => {
  const document = rules('enforce', ['203.0.113.7:22']);
  expect(document).not.toMatch(/(delete|flush) set inet offshoot (pinned|denied|audited|opened|passed)/);
  expect(document.indexOf('flush table inet offshoot')).toBeLessThan(document.indexOf('delete set'));
  expect(document).toContain('delete set inet offshoot ports_tcp\n');
  expect(document).toContain('add element inet offshoot ports_tcp { 22 . 203.0.113.7/32 }\n');
});

test('a port that a rule prefixes needs a listener', () => {
  expect(() => rules('enforce', ['tls:name.example:8443'])).toThrow('no listener for port 8443');
  const policy = parsePolicy('enforce', ['tls:name.example:8443']);
  const proxy = { ...helpers.proxy, listeners: new Map([...listeners, [8443, 18_444]]) };
  const document = slotPolicyRules(plan, slot, policy, { own: [] }, { ...helpers, proxy });
  expect(document).toContain('8443 : 18444');
  expect(document).toContain('10.83.255.251 . 8443 . 18444');
});

test('modes without a list have rules of their own', () => {
  for (const mode of ['open', 'none'] as const) {
    expect(() => slotPolicyRules(plan, slot, parsePolicy(mode, []), { own: [] }, helpers)).toThrow(TypeError);
  }
});

test('a second transaction follows only where the kernel shows elements late', () => {
  expect(rules('enforce', ['a.example', '203.0.113.0/24:*'])).not.toContain(thenLine);
  const [first, then] = rules('enforce', ['203.0.113.7:22']).split(thenLine);
  expect(first).toContain('add rule inet offshoot settling ct state established drop\n');
  expect(then).toBe('flush chain inet offshoot settling\n');
});
