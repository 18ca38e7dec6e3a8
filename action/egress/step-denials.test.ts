import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeHostd, ok, problem, runningSandbox } from '../testing/fake-hostd.ts';
import { failForDenials } from './step-denials.ts';
import { denial, reportOf } from './testing/reports.ts';

const get = 'GET /v1/sandboxes/sbx_1/egress';

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});

afterEach(() => {
  vi.restoreAllMocks();
});

test('a step fails for what was denied since the step before', async () => {
  let count = 2;
  await using hostd = await FakeHostd.start((what) =>
    ok(what === get ? reportOf({ denied: [denial({ count })] }) : runningSandbox),
  );
  const session = { host: hostd.host, sandboxId: 'sbx_1', failOnEgressDenied: true, deniedSeen: 0 };
  expect(await failForDenials(session)).toContain('2 attempts');
  expect(session.deniedSeen).toBe(2);
  expect(await failForDenials(session)).toBeUndefined();
  count = 3;
  expect(await failForDenials(session)).toContain('1 attempt ');
});

test('and when nobody knows; unless denials fail nothing, when nobody is asked', async () => {
  await using hostd = await FakeHostd.start(() => problem('sandbox-not-found', 404));
  const session = { host: hostd.host, sandboxId: 'sbx_1', failOnEgressDenied: true, deniedSeen: 1 };
  expect(await failForDenials(session)).toContain('no report');
  expect(session.deniedSeen).toBe(1);
  const asked = hostd.asked.length;
  expect(await failForDenials({ ...session, failOnEgressDenied: false })).toBeUndefined();
  expect(hostd.asked).toHaveLength(asked);
});
