import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { egressPolicyInfoSchema, egressReportSchema } from '../contract/index.ts';
import { Served } from './testing/served.ts';

let served: Served;

beforeEach(async () => {
  served = await Served.start();
  await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_1' } });
});
afterEach(async () => {
  await served[Symbol.asyncDispose]();
});

const path = '/v1/sandboxes/sbx_1/egress';
const given = () => served.host.calls.filter(([call]) => call === 'egress').map(([, , policy]) => policy);

describe('PUT of a policy', () => {
  it.each([
    ['a list alone', ['a.example.com'], { mode: 'enforce', allow: ['a.example.com'] }],
    ['an empty list', [], { mode: 'enforce', allow: [] }],
    ['a mode alone', { mode: 'audit' }, { mode: 'audit', allow: [] }],
    ['both', { mode: 'audit', allow: ['a.example.com:22'] }, { mode: 'audit', allow: ['a.example.com:22'] }],
  ])('takes %s and answers what is in force', async (_what, json, policy) => {
    const answer = egressPolicyInfoSchema.parse(await served.json('PUT', path, { json }));
    expect(answer).toEqual({ ...policy, revision: 2 });
    expect(given()).toEqual([policy]);
  });

  it.each([
    [undefined],
    [{}],
    ['a.example.com'],
    [{ mode: 'closed' }],
    [{ mode: 'none', allow: ['a.example.com'] }],
    [{ allow: [5] }],
  ])('refuses %j', async (json) => {
    const { status, text } = await served.send('PUT', path, json === undefined ? {} : { json });
    expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([400, 'invalid-request']);
    expect(given()).toEqual([]);
  });
});

it('GET of the report', async () => {
  await served.json('PUT', path, { json: ['a.example.com'] });
  const report = egressReportSchema.parse(await served.json('GET', path));
  expect(report.policy.allow).toEqual(['a.example.com']);
  expect(report.denied).toMatchObject([{ reason: 'sni', blocked: true }]);
});

it('of a sandbox that never was', async () => {
  for (const method of ['PUT', 'GET'] as const) {
    const { status } = await served.send(method, '/v1/sandboxes/sbx_none/egress', method === 'PUT' ? { json: [] } : {});
    expect(status).toBe(404);
  }
});
