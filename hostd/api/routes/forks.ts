import { z } from 'zod';
import { forkIdSchema, forkResultSchema, forkSchema } from '../../contract/index.ts';
import { idempotencyHeaders, idempotencyOf } from '../idempotency-key.ts';
import { defineRoute, type Route } from '../route.ts';
import { sandboxParams } from './sandboxes.ts';

export const forkRoutes: readonly Route[] = [
  defineRoute({
    id: 'forkSandbox',
    method: 'POST',
    path: '/v1/sandboxes/{sandboxId}/fork',
    tag: 'sandboxes',
    summary: 'Start running copies of a sandbox. Goes on when the client leaves; DELETE /v1/forks/{forkId} cancels it.',
    params: sandboxParams,
    headers: idempotencyHeaders,
    body: forkSchema,
    success: { 201: { description: 'All copies run.', content: { 'application/json': forkResultSchema } } },
    errors: [
      'sandbox-not-found',
      'sandbox-gone',
      'sandbox-not-running',
      'idempotency-conflict',
      'fork-failed',
      'fork-cancelled',
      'freeze-failed',
      'snapshot-exists',
      'capacity-exhausted',
      'capacity-impossible',
      'host-disk-full',
      'boot-failed',
      'network-setup-failed',
      'guest-unresponsive',
      'guest-protocol',
    ],
    // the exchange's signal is not handed on: whoever lost the connection asks again with the same key
    handle: async ({ params, headers, body }, { host }) => ({
      status: 201,
      json: await host.sandboxes.fork(params.sandboxId, body, idempotencyOf(headers)),
    }),
  }),
  defineRoute({
    id: 'cancelFork',
    method: 'DELETE',
    path: '/v1/forks/{forkId}',
    tag: 'sandboxes',
    summary: 'Cancel a fork under way. Answers when the copies it had started are stopped.',
    params: z.object({ forkId: forkIdSchema }),
    success: { 204: { description: 'Nothing of it is left.' } },
    errors: ['fork-not-found'],
    handle: async ({ params }, { host }) => {
      await host.sandboxes.cancelFork(params.forkId);
      return { status: 204 };
    },
  }),
];
