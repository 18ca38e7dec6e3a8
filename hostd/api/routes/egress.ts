import { egressPolicyInfoSchema, egressPolicySchema, egressReportSchema } from '../../contract/index.ts';
import { defineRoute, type Route } from '../route.ts';
import { sandboxParams } from './sandboxes.ts';

export const egressRoutes: readonly Route[] = [
  defineRoute({
    id: 'setEgress',
    method: 'PUT',
    path: '/v1/sandboxes/{sandboxId}/egress',
    tag: 'egress',
    summary: 'Give a sandbox another egress policy. In force when it answers; connections it does not allow are cut.',
    params: sandboxParams,
    body: egressPolicySchema,
    success: { 200: { description: 'The policy in force.', content: { 'application/json': egressPolicyInfoSchema } } },
    errors: [
      'egress-rules-invalid',
      'sandbox-not-found',
      'sandbox-gone',
      'sandbox-not-running',
      'network-setup-failed',
      'guest-unresponsive',
      'guest-protocol',
    ],
    handle: async ({ params, body }, { host }) => ({
      status: 200,
      json: await host.sandboxes.setEgress(params.sandboxId, body),
    }),
  }),
  defineRoute({
    id: 'getEgress',
    method: 'GET',
    path: '/v1/sandboxes/{sandboxId}/egress',
    tag: 'egress',
    summary: 'What a sandbox may reach, what it reached and what was denied; of one that has ended, too.',
    params: sandboxParams,
    success: { 200: { description: 'The report.', content: { 'application/json': egressReportSchema } } },
    errors: ['sandbox-not-found'],
    handle: async ({ params }, { host }) => ({
      status: 200,
      json: await host.sandboxes.egressReport(params.sandboxId),
    }),
  }),
];
