import { z } from 'zod';
import {
  createSandboxSchema,
  listSandboxesQuerySchema,
  renewSchema,
  sandboxIdSchema,
  sandboxListSchema,
  sandboxSchema,
} from '../../contract/index.ts';
import { idempotencyHeaders, idempotencyOf } from '../idempotency-key.ts';
import { defineRoute, type Route } from '../route.ts';

export const sandboxParams = z.object({ sandboxId: sandboxIdSchema });

export const sandboxRoutes: readonly Route[] = [
  defineRoute({
    id: 'createSandbox',
    method: 'POST',
    path: '/v1/sandboxes',
    tag: 'sandboxes',
    summary: 'Create a sandbox and wait until it runs.',
    headers: idempotencyHeaders,
    body: createSandboxSchema,
    success: {
      201: { description: 'The sandbox runs.', content: { 'application/json': sandboxSchema } },
      200: {
        description: 'An earlier request with this id or Idempotency-Key made it.',
        content: { 'application/json': sandboxSchema },
      },
    },
    errors: [
      'sandbox-id-taken',
      'idempotency-conflict',
      'image-not-found',
      'image-broken',
      'snapshot-not-found',
      'snapshot-not-restorable',
      'snapshot-damaged',
      'capacity-exhausted',
      'capacity-impossible',
      'host-disk-full',
      'boot-failed',
      'guest-unresponsive',
      'guest-protocol',
      'kvm-required',
      'network-setup-failed',
      'sandbox-gone',
    ],
    handle: async ({ body, headers }, { host, signal }) => {
      const { sandbox, created } = await host.sandboxes.create(body, { signal, ...idempotencyOf(headers) });
      return { status: created ? 201 : 200, json: sandbox, headers: { Location: `/v1/sandboxes/${sandbox.id}` } };
    },
  }),
  defineRoute({
    id: 'listSandboxes',
    method: 'GET',
    path: '/v1/sandboxes',
    tag: 'sandboxes',
    summary: 'List sandboxes, those that have ended only with all=1.',
    query: listSandboxesQuerySchema,
    success: { 200: { description: 'The sandboxes.', content: { 'application/json': sandboxListSchema } } },
    errors: [],
    handle: async ({ query }, { host }) => {
      const labels = Object.fromEntries(
        query.label.map((pair) => {
          const equals = pair.indexOf('=');
          return [pair.slice(0, equals), pair.slice(equals + 1)];
        }),
      );
      return { status: 200, json: { sandboxes: await host.sandboxes.list({ labels, all: query.all }) } };
    },
  }),
  defineRoute({
    id: 'getSandbox',
    method: 'GET',
    path: '/v1/sandboxes/{sandboxId}',
    tag: 'sandboxes',
    summary: 'Describe a sandbox; one that has ended as long as its tombstone is kept.',
    params: sandboxParams,
    success: { 200: { description: 'The sandbox.', content: { 'application/json': sandboxSchema } } },
    errors: ['sandbox-not-found'],
    handle: async ({ params }, { host }) => ({ status: 200, json: await host.sandboxes.get(params.sandboxId) }),
  }),
  defineRoute({
    id: 'stopSandbox',
    method: 'DELETE',
    path: '/v1/sandboxes/{sandboxId}',
    tag: 'sandboxes',
    summary: 'Stop a sandbox. Answers when its process, network and files are gone; again and again with the same.',
    params: sandboxParams,
    success: { 200: { description: 'Its tombstone.', content: { 'application/json': sandboxSchema } } },
    errors: ['sandbox-not-found'],
    handle: async ({ params }, { host }) => ({ status: 200, json: await host.sandboxes.stop(params.sandboxId) }),
  }),
  defineRoute({
    id: 'renewSandbox',
    method: 'POST',
    path: '/v1/sandboxes/{sandboxId}/renew',
    tag: 'sandboxes',
    summary: 'Let the lease of a sandbox end later; earlier only with shorten.',
    params: sandboxParams,
    body: renewSchema,
    success: { 200: { description: 'The sandbox.', content: { 'application/json': sandboxSchema } } },
    errors: ['sandbox-not-found', 'sandbox-gone', 'sandbox-not-running'],
    handle: async ({ params, body }, { host }) => ({
      status: 200,
      json: await host.sandboxes.renew(params.sandboxId, body.timeoutSeconds, body.shorten),
    }),
  }),
  defineRoute({
    id: 'getConsole',
    method: 'GET',
    path: '/v1/sandboxes/{sandboxId}/console',
    tag: 'sandboxes',
    summary: 'The last of what the kernel of a sandbox wrote to its console.',
    params: sandboxParams,
    success: { 200: { description: 'The text.', content: { 'text/plain': 'text' } } },
    errors: ['sandbox-not-found', 'sandbox-gone'],
    handle: async ({ params }, { host }) => ({
      status: 200,
      text: await host.sandboxes.console(params.sandboxId),
      contentType: 'text/plain; charset=utf-8',
    }),
  }),
];
