import { z } from 'zod';
import { createSnapshotSchema, nameSchema, snapshotListSchema, snapshotSchema } from '../../contract/index.ts';
import { defineRoute, type Route } from '../route.ts';
import { sandboxParams } from './sandboxes.ts';

const snapshotParams = z.object({ name: nameSchema });

export const snapshotRoutes: readonly Route[] = [
  defineRoute({
    id: 'createSnapshot',
    method: 'POST',
    path: '/v1/sandboxes/{sandboxId}/snapshot',
    tag: 'snapshots',
    summary: 'Keep memory, disk and processes of a sandbox under a name. Answers when it is safe on disk.',
    params: sandboxParams,
    body: createSnapshotSchema,
    success: { 201: { description: 'It is kept.', content: { 'application/json': snapshotSchema } } },
    errors: [
      'sandbox-not-found',
      'sandbox-gone',
      'sandbox-not-running',
      'snapshot-exists',
      'freeze-failed',
      'capacity-exhausted',
      'host-disk-full',
      'guest-unresponsive',
      'guest-protocol',
    ],
    handle: async ({ params, body }, { host }) => {
      const snapshot = await host.snapshots.create(params.sandboxId, body);
      return { status: 201, json: snapshot, headers: { Location: `/v1/snapshots/${snapshot.name}` } };
    },
  }),
  defineRoute({
    id: 'listSnapshots',
    method: 'GET',
    path: '/v1/snapshots',
    tag: 'snapshots',
    summary: 'List the snapshots.',
    success: { 200: { description: 'The snapshots.', content: { 'application/json': snapshotListSchema } } },
    errors: [],
    handle: async (_input, { host }) => ({ status: 200, json: { snapshots: await host.snapshots.list() } }),
  }),
  defineRoute({
    id: 'getSnapshot',
    method: 'GET',
    path: '/v1/snapshots/{name}',
    tag: 'snapshots',
    summary: 'Describe a snapshot, and whether this host can restore it.',
    params: snapshotParams,
    success: { 200: { description: 'The snapshot.', content: { 'application/json': snapshotSchema } } },
    errors: ['snapshot-not-found'],
    handle: async ({ params }, { host }) => ({ status: 200, json: await host.snapshots.get(params.name) }),
  }),
  defineRoute({
    id: 'removeSnapshot',
    method: 'DELETE',
    path: '/v1/snapshots/{name}',
    tag: 'snapshots',
    summary: 'Remove a snapshot that no sandbox stands on.',
    params: snapshotParams,
    success: { 204: { description: 'It is gone.' } },
    errors: ['snapshot-not-found', 'snapshot-in-use'],
    handle: async ({ params }, { host }) => {
      await host.snapshots.remove(params.name);
      return { status: 204 };
    },
  }),
];
