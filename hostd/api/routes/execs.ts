import {
  createExecSchema,
  execIdSchema,
  execListSchema,
  execSchema,
  inputQuerySchema,
  inputResultSchema,
  ptySizeSchema,
  signalSchema,
} from '../../contract/index.ts';
import { defineRoute, type Route } from '../route.ts';
import { sandboxParams } from './sandboxes.ts';

export const execParams = sandboxParams.extend({ execId: execIdSchema });
const execJson = { 'application/json': execSchema };
const inLiveSandbox = ['sandbox-not-found', 'sandbox-gone', 'sandbox-not-running', 'guest-unresponsive'] as const;

export const execRoutes: readonly Route[] = [
  defineRoute({
    id: 'startExec',
    method: 'POST',
    path: '/v1/sandboxes/{sandboxId}/execs',
    tag: 'execs',
    summary: 'Start a program, or a shell text, in a sandbox.',
    params: sandboxParams,
    body: createExecSchema,
    success: {
      201: { description: 'It was started.', content: execJson },
      200: { description: 'An earlier request with this id started it.', content: execJson },
    },
    errors: [...inLiveSandbox, 'exec-id-taken', 'too-many-execs', 'guest-protocol', 'host-disk-full'],
    handle: async ({ params, body }, { host }) => {
      const { exec, created } = await host.execs.start(params.sandboxId, body);
      const location = `/v1/sandboxes/${params.sandboxId}/execs/${exec.id}`;
      return { status: created ? 201 : 200, json: exec, headers: { Location: location } };
    },
  }),
  defineRoute({
    id: 'listExecs',
    method: 'GET',
    path: '/v1/sandboxes/{sandboxId}/execs',
    tag: 'execs',
    summary: 'List the execs of a sandbox.',
    params: sandboxParams,
    success: { 200: { description: 'The execs.', content: { 'application/json': execListSchema } } },
    errors: ['sandbox-not-found'],
    handle: async ({ params }, { host }) => ({
      status: 200,
      json: { execs: await host.execs.list(params.sandboxId) },
    }),
  }),
  defineRoute({
    id: 'getExec',
    method: 'GET',
    path: '/v1/sandboxes/{sandboxId}/execs/{execId}',
    tag: 'execs',
    summary: 'Describe an exec and, when it has ended, its result.',
    params: execParams,
    success: { 200: { description: 'The exec.', content: execJson } },
    errors: ['sandbox-not-found', 'exec-not-found'],
    handle: async ({ params }, { host }) => ({
      status: 200,
      json: await host.execs.get(params.sandboxId, params.execId),
    }),
  }),
  defineRoute({
    id: 'sendInput',
    method: 'PUT',
    path: '/v1/sandboxes/{sandboxId}/execs/{execId}/input',
    tag: 'execs',
    summary: 'Send input from an offset on; bytes the guest has consumed before are skipped, end=1 closes the input.',
    params: execParams,
    query: inputQuerySchema,
    upload: ['application/octet-stream'],
    success: {
      200: {
        description: 'The guest has consumed all of it.',
        content: { 'application/json': inputResultSchema },
      },
    },
    errors: [...inLiveSandbox, 'exec-not-found', 'exec-ended', 'exec-input-closed', 'exec-input-offset'],
    stream: 'transfer',
    handle: async ({ params, query }, { host, upload, signal }) => ({
      status: 200,
      json: await host.execs.input(
        params.sandboxId,
        params.execId,
        query.offset,
        upload({ mayIdle: true }), // people think before they type
        query.end,
        signal,
      ),
    }),
  }),
  defineRoute({
    id: 'resizeTerminal',
    method: 'POST',
    path: '/v1/sandboxes/{sandboxId}/execs/{execId}/resize',
    tag: 'execs',
    summary: 'Tell the terminal of an exec its new size.',
    params: execParams,
    body: ptySizeSchema,
    success: { 204: { description: 'Done.' } },
    errors: [...inLiveSandbox, 'exec-not-found', 'exec-ended'],
    handle: async ({ params, body }, { host }) => {
      await host.execs.resize(params.sandboxId, params.execId, body.rows, body.cols);
      return { status: 204 };
    },
  }),
  defineRoute({
    id: 'signalExec',
    method: 'POST',
    path: '/v1/sandboxes/{sandboxId}/execs/{execId}/signal',
    tag: 'execs',
    summary: 'Send a signal to the process group of an exec.',
    params: execParams,
    body: signalSchema,
    success: { 204: { description: 'Sent.' } },
    errors: [...inLiveSandbox, 'exec-not-found', 'exec-ended'],
    handle: async ({ params, body }, { host }) => {
      await host.execs.signal(params.sandboxId, params.execId, body.signal);
      return { status: 204 };
    },
  }),
];
