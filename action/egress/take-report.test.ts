import { expect, test } from 'vitest';
import { FakeHostd, goneSandbox, ok, problem, quietReport, runningSandbox } from '../testing/fake-hostd.ts';
import { takeReport } from './take-report.ts';

const get = 'GET /v1/sandboxes/sbx_1/egress';

test.each([runningSandbox, goneSandbox])('of a sandbox that is $state', async (sandbox) => {
  await using hostd = await FakeHostd.start((what) => ok(what === get ? quietReport : sandbox));
  expect(await takeReport(hostd.host, 'sbx_1')).toEqual({ report: quietReport });
});

test('why there is none, and never an error', async () => {
  await using hostd = await FakeHostd.start((what) => (what === get ? problem('internal', 400) : ok(runningSandbox)));
  expect(await takeReport(hostd.host, 'sbx_1')).toEqual({ missing: 'internal' });
  await using odd = await FakeHostd.start((what) => ok(what === get ? { denied: 'none' } : runningSandbox));
  expect(await takeReport(odd.host, 'sbx_1')).toMatchObject({
    missing: expect.stringContaining('unknown shape') as string,
  });
  expect(await takeReport('nowhere', 'sbx_1')).toMatchObject({ missing: expect.any(String) as string });
});
