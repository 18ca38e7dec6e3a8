import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSandboxSchema } from '../contract/sandbox.ts';
import { exampleSandbox } from '../api/testing/examples.ts';
import { requestFork } from './fork.ts';
import { Sandbox } from './sandbox.ts';
import { answerJson, ScriptedServer } from './testing/scripted-server.ts';
import { Transport } from './transport.ts';

const machine = exampleSandbox('sbx_1', createSandboxSchema.parse({}));
const copy = exampleSandbox('sbx_2', createSandboxSchema.parse({}));

interface Seen {
  method: string | undefined;
  url: string | undefined;
  key: unknown;
  body: string;
}

let seen: Seen[];
let server: ScriptedServer;
let transport: Transport;
let onFork: (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;
let onCancel: (response: ServerResponse) => void | Promise<void>;
beforeEach(async () => {
  seen = [];
  server = await ScriptedServer.start(async (request, response, body) => {
    const { method, url } = request;
    seen.push({ method, url, key: request.headers['idempotency-key'], body: body.toString() });
    if (url?.endsWith('/fork') === true) await onFork(response, request);
    else if (url?.startsWith('/v1/forks/') === true) await onCancel(response);
    else if (url?.endsWith('/snapshot') === true) request.socket.destroy();
    else answerJson(response, 200, machine);
  });
  transport = new Transport({ host: server.host });
});
afterEach(async () => {
  await transport.close();
  await server[Symbol.asyncDispose]();
});

const forked = (id: string) => ({ id, sandboxes: [copy], snapshot: null, pausedMs: 1, method: 'copy' });
const notUnderWay = (response: ServerResponse) => answerProblem(response, 404, 'fork-not-found');

function answerProblem(response: ServerResponse, status: number, code: string): void {
  const rest = { type: 'x', title: 't', detail: code, hint: '', retryable: false, details: {} };
  answerJson(response, status, { ...rest, status, code });
}

function idSent(): string {
  const sent = seen.find(({ url }) => url?.endsWith('/fork'))?.body ?? '{}';
  return (JSON.parse(sent) as { id: string }).id;
}

const requests = () => seen.map(({ method, url }) => `${String(method)} ${String(url)}`);

test('a fork whose connection is lost is asked for again, as the same fork', async () => {
  onFork = (response, request) => {
    if (seen.length === 1) request.socket.destroy();
    else answerJson(response, 201, forked(idSent()));
  };
  expect(await requestFork(transport, 'sbx_1', { count: 2 })).toMatchObject({ method: 'copy' });
  expect(seen).toHaveLength(2);
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[0]?.key).toBe(idSent());
});

test('an abort rejects only after the cancel was answered', async () => {
  const leaving = new AbortController();
  const steps: string[] = [];
  onFork = () => leaving.abort('enough'); // and never answers
  onCancel = async (response) => {
    await sleep(100);
    steps.push('cancelled');
    response.writeHead(204).end();
  };
  const fork = requestFork(transport, 'sbx_1', { count: 2, signal: leaving.signal }).finally(() => {
    steps.push('rejected');
  });
  await expect(fork).rejects.toBe('enough');
  expect(steps).toEqual(['cancelled', 'rejected']);
  expect(requests()).toEqual(['POST /v1/sandboxes/sbx_1/fork', `DELETE /v1/forks/${idSent()}`]);
});

test('a cancel that overtakes its fork is sent again until hostd knows the fork', async () => {
  const leaving = new AbortController();
  onFork = () => leaving.abort('enough');
  let cancels = 0;
  onCancel = (response) => {
    cancels += 1;
    if (cancels < 3) notUnderWay(response);
    else response.writeHead(204).end();
  };
  await expect(requestFork(transport, 'sbx_1', { count: 2, signal: leaving.signal })).rejects.toBe('enough');
  expect(cancels).toBe(3);
});

test('a cancel that comes too late stops the copies', async () => {
  const leaving = new AbortController();
  const cancelSeen = Promise.withResolvers<undefined>();
  onFork = async (response) => {
    leaving.abort('enough');
    await cancelSeen.promise;
    answerJson(response, 201, forked(idSent()));
  };
  onCancel = (response) => {
    notUnderWay(response);
    cancelSeen.resolve(undefined);
  };
  await expect(requestFork(transport, 'sbx_1', { count: 1, signal: leaving.signal })).rejects.toBe('enough');
  expect(requests()).toContain('DELETE /v1/sandboxes/sbx_2');
});

test('a cancel that fails rejects with the reason all the same', async () => {
  const leaving = new AbortController();
  onFork = () => leaving.abort('enough');
  onCancel = (response) => answerProblem(response, 500, 'internal');
  await expect(requestFork(transport, 'sbx_1', { count: 1, signal: leaving.signal })).rejects.toBe('enough');
});

test('a snapshot is asked for once, whatever became of it', async () => {
  const sandbox = await Sandbox.connect('sbx_1', { host: server.host, reconnectTimeoutMs: 2_000 });
  await expect(sandbox.snapshot({ name: 'a' })).rejects.toMatchObject({ code: 'host-unreachable' });
  await sandbox.disconnect();
  expect(requests().filter((request) => request.startsWith('POST'))).toHaveLength(1);
});
