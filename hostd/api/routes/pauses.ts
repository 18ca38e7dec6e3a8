import { pauseSchema, sandboxSchema } from '../../contract/index.ts';
import { defineRoute, type Route } from '../route.ts';
import { sandboxParams } from './sandboxes.ts';

export const pauseRoutes: readonly Route[] = [
  defineRoute({
    id: 'pauseSandbox',
    method: 'POST',
    path: '/v1/sandboxes/{sandboxId}/pause',
    tag: 'sandboxes',
    summary: 'Pause a sandbox: it takes no CPU at once, and after a while no memory. Its lease goes on.',
    params: sandboxParams,
    body: pauseSchema,
    success: { 200: { description: 'It stands still.', content: { 'application/json': sandboxSchema } } },
    errors: [
      'sandbox-not-found',
      'sandbox-gone',
      'sandbox-not-running',
      'host-disk-full',
      'guest-unresponsive',
      'guest-protocol',
    ],
    handle: async ({ params, body }, { host }) => ({
      status: 200,
      json: await host.sandboxes.pause(params.sandboxId, body.hibernateAfterSeconds),
    }),
  }),
  defineRoute({
    id: 'resumeSandbox',
    method: 'POST',
    path: '/v1/sandboxes/{sandboxId}/resume',
    tag: 'sandboxes',
    summary: 'Let a paused sandbox run again, from memory or from disk, its clock set.',
    params: sandboxParams,
    success: { 200: { description: 'It runs.', content: { 'application/json': sandboxSchema } } },
    errors: [
      'sandbox-not-found',
      'sandbox-gone',
      'sandbox-not-running',
      'snapshot-not-restorable',
      'snapshot-damaged',
      'capacity-exhausted',
      'host-disk-full',
      'boot-failed',
      'guest-unresponsive',
      'guest-protocol',
      'network-setup-failed',
    ],
    handle: async ({ params }, { host }) => ({ status: 200, json: await host.sandboxes.resume(params.sandboxId) }),
  }),
];
