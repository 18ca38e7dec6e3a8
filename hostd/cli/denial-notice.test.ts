import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { EgressDenial, EgressReport } from '../contract/egress.ts';
import { denialNotice } from './denial-notice.ts';

const at = '2030-01-01T00:00:00.000Z';
const denial: EgressDenial = {
  name: 'b.example',
  address: null,
  port: 443,
  transport: 'tcp',
  count: 2,
  bytesIn: 0,
  bytesOut: 0,
  firstAt: at,
  lastAt: at,
  reason: 'sni',
  blocked: true,
};

function report(changes: Partial<EgressReport> = {}): EgressReport {
  return {
    policy: { mode: 'enforce', allow: ['a.example:443'], revision: 1 },
    allowed: [],
    denied: [denial],
    deniedCount: 2,
    omitted: 0,
    suggestedAllow: ['a.example:443', 'b.example:443'],
    ...changes,
  };
}

describe('the notice', () => {
  test('tells what was denied, and the option to add', () => {
    expect(denialNotice('sbx_1', report(), { allow: ['a.example'] })).toBe(
      `offshoot: egress enforce: 1 place not allowed, twice
  b.example, port 443: sni, twice
  to allow it: --allow b.example:443
`,
    );
  });

  test('takes the rules in force along where the command line had none', () => {
    const notice = denialNotice('sbx_1', report(), {});
    expect(notice).toContain('to allow it: --allow a.example:443 --allow b.example:443\n');
  });

  test('shows the first places and where the others are', () => {
    const denied = Array.from({ length: 5 }, (_, index) => ({
      ...denial,
      name: `b${String(index)}.example`,
      count: 1,
    }));
    const notice = denialNotice('sbx_1', report({ denied }), {});
    expect(notice).toContain('5 places not allowed, 5 times\n');
    expect(notice).toContain('  b2.example, port 443: sni, once\n  and 2 more: offshoot sandbox firewall show sbx_1\n');
    expect(notice).not.toContain('b3.example');
  });

  test('names the list instead of many rules', () => {
    const suggestedAllow = Array.from({ length: 6 }, (_, index) => `b${String(index)}.example:443`);
    const notice = denialNotice('sbx_1', report({ suggestedAllow }), { allowFrom: ['rules'] });
    expect(notice).toContain('--allow-from FILE with the list of offshoot sandbox firewall show sbx_1\n');
    expect(notice).not.toContain('--allow b0');
  });

  test('suggests nothing where no rule would help', () => {
    expect(denialNotice('sbx_1', report({ suggestedAllow: ['a.example:443'] }), {})).not.toContain('to allow it');
  });

  test.each(['none', 'open', 'audit'] as const)('says that the mode %s would have to go', (mode) => {
    const policy: EgressReport['policy'] = { mode, allow: [], revision: 1 };
    const notice = denialNotice('sbx_1', report({ policy, suggestedAllow: ['b.example:443'] }), { egress: mode });
    expect(notice).toContain(`--allow b.example:443 instead of --egress ${mode}\n`);
  });

  test('is empty when nothing was denied', () => {
    expect(denialNotice('sbx_1', report({ denied: [] }), { egress: 'audit' })).toBe('');
  });

  describe('of audit', () => {
    const policy: EgressReport['policy'] = { mode: 'audit', allow: [], revision: 1 };
    const passed = { ...denial, blocked: false };
    const audit = report({ policy, denied: [passed], suggestedAllow: ['b.example:443'] });

    test('lists what was let through to those who asked for audit', () => {
      expect(denialNotice('sbx_1', audit, { egress: 'audit' })).toBe(
        `offshoot: egress audit: 1 place that no rule allows, twice
  b.example, port 443: sni, twice, let through
  to allow only what was let through: --allow b.example:443 instead of --egress audit
`,
      );
    });

    test('shows everybody else the list, with a host that has several places counted once', () => {
      const asked = { ...passed, port: null, transport: 'udp', reason: 'dns-name' } as const;
      const notice = denialNotice('sbx_1', report({ ...audit, denied: [passed, asked] }), {});
      expect(notice).toBe(
        `offshoot: egress audit: let through to 1 host that no rule names
  to allow only what was let through: --allow b.example:443
`,
      );
    });

    test('does not give the list as a remedy for what stays closed', () => {
      const closed = { ...denial, name: 'c.example', reason: 'rebind' } as const;
      const notice = denialNotice('sbx_1', report({ ...audit, denied: [passed, closed] }), {});
      expect(notice).toBe(
        `offshoot: egress audit: 1 place that no rule allows, twice
  c.example, port 443: rebind, twice; if it is meant, a rule opens it: c.example:443 private
  let through to 1 host that no rule names
  to allow only what was let through: --allow b.example:443
`,
      );
    });

    test('is empty where nothing that was let through can be named by a rule', () => {
      expect(denialNotice('sbx_1', { ...audit, suggestedAllow: [] }, {})).toBe('');
    });
  });

  test('says what would open what no list opens, where it is meant', () => {
    const rebind = { ...denial, name: 'git.corp.example', address: '10.20.0.5', reason: 'rebind' } as const;
    const closed = { ...denial, name: null, address: '10.20.0.5', port: 5432, reason: 'private-range' } as const;
    const metadata = { ...closed, address: '169.254.169.254', port: 80 };
    const denied = [rebind, closed, metadata];
    expect(denialNotice('sbx_1', report({ denied, suggestedAllow: ['a.example:443'] }), {})).toBe(
      `offshoot: egress enforce: 3 places not allowed, 6 times
  git.corp.example (10.20.0.5), port 443: rebind, twice; if it is meant, a rule opens it: git.corp.example:443 private
  10.20.0.5, port 5432: private-range, twice; if it is meant, a rule opens it: 10.20.0.5:5432
  169.254.169.254, port 80: private-range, twice
`,
    );
  });

  test('leaves out what is not known of a place', () => {
    const line = (changes: Partial<EgressDenial>): string | undefined =>
      denialNotice('sbx_1', report({ denied: [{ ...denial, ...changes }] }), {}).split('\n')[1];
    expect(line({ port: null, transport: 'udp', reason: 'dns-name' })).toBe('  b.example: dns-name, twice');
    expect(line({ name: null, reason: 'no-name' })).toBe('  port 443: no-name, twice');
    expect(line({ name: null, address: '192.0.2.1', port: null, transport: 'icmp', reason: 'protocol' })).toBe(
      '  192.0.2.1, icmp: protocol, twice',
    );
  });

  test('quotes for a shell, and for a terminal is nothing but text', () => {
    const rules = ["x'$(id);`id`.example:443", 'git.example:22 private', '[2001:db8::1]:443', 'y\u001b[2J\n.example:1'];
    const hostile = { ...denial, name: 'y\u001b[2J\n.example' };
    const notice = denialNotice('sbx_1', report({ denied: [hostile], suggestedAllow: rules }), { allow: [] });
    expect(notice.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(notice.trimEnd().split('\n')).toHaveLength(3);
    const options = /to allow it: (.*)/.exec(notice)?.[1] ?? '';
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${options}`], { encoding: 'utf8' })
      .trimEnd()
      .split('\n');
    expect(words.filter((word) => word !== '--allow')).toEqual([...rules.slice(0, 3), 'y?[2J?.example:1']);
  });
});
