import { tmpdir } from 'node:os';
import { expect, test, vi } from 'vitest';
import { Stopwatch } from '../../hostd/platform/stopwatch.ts';
import { readInputs } from '../inputs.ts';
import { FakeHostd, ok, runningSandbox } from '../testing/fake-hostd.ts';
import { createSandbox } from './create-sandbox.ts';

const context = { workspace: '/w', tempFolder: tmpdir(), trigger: { name: 'push', payload: undefined }, labels: {} };

/** The egress policy that a step with these inputs asks for. */
async function askedWith(given: Record<string, string>, made = runningSandbox): Promise<unknown> {
  return (await createdWith(given, made)).asked;
}

/** The same and the step's log. */
async function createdWith(given: Record<string, string>, made: typeof runningSandbox) {
  await using hostd = await FakeHostd.start(() => ok(made));
  const all: Record<string, string> = {
    ...{ host: hostd.host, shell: 'bash', 'timeout-minutes': '1', sync: 'false', 'artifacts-dir': 'a' },
    ...{ 'keep-on-failure': '0', 'fail-on-egress-denied': 'false', 'allow-unsafe-fork-code': 'false' },
    ...given,
  };
  let log = '';
  const written = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    log += String(text);
    return true;
  });
  try {
    const never = new AbortController().signal;
    const inputs = readInputs((name) => all[name] ?? '');
    const sandbox = await createSandbox('sbx_1', hostd.host, inputs, context, new Stopwatch(), never);
    await sandbox.disconnect();
  } finally {
    written.mockRestore();
  }
  return { asked: (JSON.parse(hostd.sent[0] ?? '') as { egress?: unknown }).egress, log };
}

test('the host gets the policy as the inputs have it, and none where they have none', async () => {
  const egress = 'a.example.com:443 b.example.com # a comment\nc.example.com'; // for the host to read
  expect(await askedWith({ egress })).toEqual({ mode: 'enforce', allow: [egress] });
  expect(await askedWith({ egress, 'egress-mode': 'audit' })).toEqual({ mode: 'audit', allow: [egress] });
  expect(await askedWith({ 'egress-mode': 'none' })).toEqual({ mode: 'none', allow: [] });
  expect(await askedWith({})).toBeUndefined();
});

test('denials that nobody would record fail no step later, but the step now', async () => {
  const gate = { 'fail-on-egress-denied': 'true' };
  expect(await askedWith(gate)).toBeUndefined(); // the host's default is audit
  const open = { ...runningSandbox, egress: { mode: 'open' as const, allow: [], revision: 1 } };
  await expect(askedWith(gate, open)).rejects.toMatchObject({ code: 'action-input' });
  await askedWith({}, open);
});

test('the log says what the sandbox may reach, and when that is nothing', async () => {
  const logOf = async (mode: 'enforce' | 'audit', allow: string[]) =>
    (await createdWith({}, { ...runningSandbox, egress: { mode, allow, revision: 1 } })).log;
  expect(await logOf('audit', [])).toMatch(/, egress audit\n$/);
  expect(await logOf('enforce', ['a.example.com:443'])).toMatch(/, egress enforce with 1 rule\n$/);
  expect(await logOf('enforce', [])).toMatch(/, egress enforce without rules: nothing is allowed\n$/);
});
