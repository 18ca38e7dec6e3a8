import { expect, test } from 'vitest';
import { parsePolicy } from '../policy/parse-rules.ts';
import type { PolicyMode, PolicyView } from '../policy/policy.ts';
import { bothViews } from './both-views.ts';
import { compilePolicy } from '../policy/compile-policy.ts';
import { policyDocumentSchema, type PolicyDocument, type SandboxPolicy } from './messages.ts';
import { PolicyTable } from './policy-table.ts';

function sandbox(id: string, revision: number, allow: string, sourceAddress = '10.84.0.2'): SandboxPolicy {
  return {
    sandboxId: id,
    sourceAddress,
    netnsPath: '/run/netns/none',
    revision,
    policy: parsePolicy('enforce', allow),
  };
}

function set(table: PolicyTable, document: Partial<PolicyDocument> & Pick<PolicyDocument, 'sandboxes'>) {
  const prepared = table.prepare({ others: 'keep', own: [], phase: 'final', ...document });
  table.commit(prepared);
  return prepared;
}

const connects = (view: PolicyView | undefined, name: string): boolean =>
  view?.mayConnect({ name, port: 443, layer: 'tls' }).allowed ?? false;

test('a document is taken whole or not at all', () => {
  const table = new PolicyTable();
  set(table, { sandboxes: [sandbox('sbx_one', 1, 'a.test')] });
  const twice = [sandbox('sbx_one', 2, 'b.test'), sandbox('sbx_two', 1, 'b.test')];
  expect(() => set(table, { sandboxes: twice })).toThrow('the same address');
  expect(() => set(table, { sandboxes: [sandbox('sbx_one', 2, 'b.test')], own: ['nonsense'] })).toThrow(TypeError);
  expect(connects(table.of('sbx_one')?.view, 'a.test')).toBe(true);
  expect(table.size).toBe(1);
});

test('an older revision never replaces a newer one, but a whole document does', () => {
  const table = new PolicyTable();
  set(table, { sandboxes: [sandbox('sbx_one', 5, 'a.test')] });
  expect(() => set(table, { sandboxes: [sandbox('sbx_one', 4, 'b.test')] })).toThrow('newer than 4');
  set(table, { sandboxes: [sandbox('sbx_one', 4, 'b.test')], others: 'drop' });
  expect(table.revisions(['sbx_one'])).toEqual({ sbx_one: 4 });
});

test('sandboxes that a whole document does not name are dropped', () => {
  const table = new PolicyTable();
  set(table, { sandboxes: [sandbox('sbx_one', 1, 'a.test'), sandbox('sbx_two', 1, 'a.test', '10.84.0.3')] });
  expect(set(table, { sandboxes: [sandbox('sbx_two', 1, 'a.test', '10.84.0.3')] }).dropped).toEqual([]);
  expect(set(table, { sandboxes: [sandbox('sbx_two', 1, 'a.test', '10.84.0.3')], others: 'drop' }).dropped).toEqual([
    'sbx_one',
  ]);
  expect(table.atSource('10.84.0.2')).toBeUndefined();
});

test('narrowed, a sandbox has what both policies allow, under its old revision; a new one has nothing', () => {
  const table = new PolicyTable();
  set(table, { sandboxes: [sandbox('sbx_one', 1, 'a.test both.test')] });
  const next = [sandbox('sbx_one', 2, 'b.test both.test'), sandbox('sbx_two', 1, 'a.test', '10.84.0.3')];
  set(table, { sandboxes: next, phase: 'narrow' });
  const view = table.atSource('10.84.0.2')?.view;
  expect(['a.test', 'b.test', 'both.test'].map((name) => connects(view, name))).toEqual([false, false, true]);
  expect(table.revisions(['sbx_one', 'sbx_two'])).toEqual({ sbx_one: 1 });
  expect(table.atSource('10.84.0.3')).toBeUndefined();
  set(table, { sandboxes: next });
  expect(connects(table.atSource('10.84.0.2')?.view, 'b.test')).toBe(true);
  expect(table.revisions(['sbx_one', 'sbx_two'])).toEqual({ sbx_one: 2, sbx_two: 1 });
});

test('both of two modes is as strict as the stricter one', () => {
  const view = (mode: PolicyMode, allow: string[]) => compilePolicy(parsePolicy(mode, allow), { own: [] });
  const both = (one: PolicyMode, other: PolicyMode) => bothViews(view(one, ['a.test']), view(other, ['a.test']));
  expect(connects(both('audit', 'enforce'), 'a.test')).toBe(true);
  expect(connects(both('audit', 'enforce'), 'b.test')).toBe(false);
  expect(connects(both('enforce', 'audit'), 'b.test')).toBe(false);
  expect(connects(both('open', 'audit'), 'b.test')).toBe(true);
  expect(connects(both('audit', 'none'), 'a.test')).toBe(false);
  expect(both('audit', 'audit').policy.mode).toBe('audit');
  expect(connects(both('audit', 'audit'), 'b.test')).toBe(false);
  expect(both('open', 'audit').mayUseAddress('b.test', '127.0.0.1', 443).allowed).toBe(false);
});

test('a document from outside is checked down to its rules', () => {
  const good = {
    sandboxes: [sandbox('sbx_one', 1, 'a.test 192.0.2.0/24:22')],
    others: 'keep',
    own: [],
    phase: 'final',
  };
  expect(policyDocumentSchema.safeParse(good).success).toBe(true);
  const rule = good.sandboxes[0]?.policy.rules[0];
  for (const bad of [{ name: '*.com' }, { port: 0 }, { transport: 'icmp' }, { extra: 1 }, { kind: 'any' }]) {
    const policy = { mode: 'enforce', rules: [{ ...rule, ...bad }] };
    expect(policyDocumentSchema.safeParse({ ...good, sandboxes: [{ ...good.sandboxes[0], policy }] }).success).toBe(
      false,
    );
  }
});

test('a policy that comes again as it is, as in the final phase of a document, is not compiled again; with other addresses of the host it is', () => {
  const table = new PolicyTable();
  const document = { sandboxes: [sandbox('sbx_one', 1, 'a.test')], own: ['192.0.2.1'] };
  set(table, document);
  const first = table.of('sbx_one')?.view;
  set(table, document);
  expect(table.of('sbx_one')?.view).toBe(first);
  set(table, { ...document, own: ['192.0.2.1', '198.51.100.1'] });
  expect(table.of('sbx_one')?.view).not.toBe(first);
  expect(table.of('sbx_one')?.view.mayUseAddress('a.test', '198.51.100.1').allowed).toBe(false);
});
