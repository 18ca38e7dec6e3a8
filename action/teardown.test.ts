import { expect, test } from 'vitest';
import { tearDown } from './teardown.ts';
import { FakeHostd, goneSandbox, ok, problem, runningSandbox } from './testing/fake-hostd.ts';

const stop = 'DELETE /v1/sandboxes/sbx_1';

test('tells a sandbox it had to destroy from one that was gone', async () => {
  await using lives = await FakeHostd.start((what) => ok(what === stop ? goneSandbox : runningSandbox));
  expect(await tearDown(lives.host, 'sbx_1')).toMatchObject({ found: 'running', info: { state: 'gone' } });
  expect(lives.asked.at(-1)).toBe(stop);
  await using ended = await FakeHostd.start(() => ok(goneSandbox));
  expect(await tearDown(ended.host, 'sbx_1')).toMatchObject({ found: 'gone' });
});

test('one that was never made is no failure', async () => {
  await using hostd = await FakeHostd.start(() => problem('sandbox-not-found', 404));
  expect(await tearDown(hostd.host, 'sbx_1')).toEqual({ found: 'never-made' });
});

test('tries again when the host fails or breaks off', async () => {
  await using hostd = await FakeHostd.start((what, count) => {
    if (what !== stop) return ok(runningSandbox);
    if (count === 1) return problem('internal', 500);
    return count === 2 ? undefined : ok(goneSandbox);
  });
  expect(await tearDown(hostd.host, 'sbx_1')).toMatchObject({ found: 'running' });
  expect(hostd.asked.filter((what) => what === stop).length).toBeGreaterThanOrEqual(3);
});

test('gives up in time and never throws', async () => {
  expect(await tearDown('unix:/nowhere/s', 'sbx_1', { patienceMs: 300 })).toMatchObject({
    found: 'unknown',
    error: { code: 'host-unreachable' },
  });
});
