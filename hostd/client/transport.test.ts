import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { standStill } from '../platform/testing/stand-still.ts';
import { answerJson, ScriptedServer } from './testing/scripted-server.ts';
import { Transport } from './transport.ts';

const request = { method: 'GET', path: '/v1/thing' } as const;
const thing = z.object({ n: z.number() });

test('no daemon at the first contact is said at once', async () => {
  const transport = new Transport({ host: 'unix:/nonexistent/hostd.sock' });
  const startedMs = performance.now();
  await expect(transport.json(thing, request)).rejects.toMatchObject({ code: 'host-unreachable' });
  expect(performance.now() - startedMs).toBeLessThan(5000);
});

test('with a time given a daemon is waited for from the first contact on', async () => {
  await using server = await ScriptedServer.start((_request, response) => {
    answerJson(response, 200, { n: 1 });
  });
  await server.goAway();
  const transport = new Transport({ host: server.host, reconnectTimeoutMs: 30_000 });
  const answers = [transport.json(thing, request), transport.sibling().json(thing, request)];
  await sleep(300);
  await server.listen();
  expect(await Promise.all(answers)).toEqual([{ n: 1 }, { n: 1 }]);
});

test('a given time without a daemon ends in host-unreachable', async () => {
  const transport = new Transport({ host: 'unix:/nonexistent/hostd.sock', reconnectTimeoutMs: 200 });
  const startedMs = performance.now();
  await expect(transport.json(thing, request)).rejects.toMatchObject({ code: 'host-unreachable', retryable: true });
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(200);
});

test('a daemon that goes away and comes back is waited for', async () => {
  await using server = await ScriptedServer.start((_request, response) => {
    answerJson(response, 200, { n: 1 });
  });
  const transport = new Transport({ host: server.host });
  await transport.json(thing, request);
  await server.goAway();
  const answer = transport.json(thing, request);
  await sleep(300);
  await server.listen();
  expect(await answer).toEqual({ n: 1 });
});

test('a daemon that stays away ends in host-unreachable', async () => {
  await using server = await ScriptedServer.start((_request, response) => {
    answerJson(response, 200, { n: 1 });
  });
  const transport = new Transport({ host: server.host, reconnectTimeoutMs: 200 });
  await transport.json(thing, request);
  await server.goAway();
  await expect(transport.json(thing, request)).rejects.toMatchObject({ code: 'host-unreachable', retryable: true });
});

test('what is not repeatable is sent once', async () => {
  let seen = 0;
  await using server = await ScriptedServer.start((incoming, response) => {
    seen += 1;
    if (incoming.method === 'GET') answerJson(response, 200, { n: 1 });
    else incoming.socket.destroy();
  });
  const transport = new Transport({ host: server.host });
  await transport.json(thing, request);
  await expect(transport.send({ ...request, method: 'POST', repeatable: false })).rejects.toMatchObject({
    code: 'host-unreachable',
  });
  expect(seen).toBe(2);
});

test('problems become errors with code, hint, details and request id', async () => {
  const problem = {
    type: 'about:blank',
    title: 'There is no such sandbox.',
    status: 404,
    detail: 'sbx_9 is not known.',
    code: 'sandbox-not-found',
    hint: 'Look again.',
    retryable: false,
    details: { id: 'sbx_9' },
    requestId: 'r1',
  };
  await using server = await ScriptedServer.start((_request, response) => {
    answerJson(response, 404, problem);
  });
  await expect(new Transport({ host: server.host }).json(thing, request)).rejects.toMatchObject({
    code: 'sandbox-not-found',
    message: 'sbx_9 is not known.',
    hint: 'Look again.',
    details: { id: 'sbx_9', requestId: 'r1' },
  });
});

test('answers of another kind are protocol-mismatch', async () => {
  await using server = await ScriptedServer.start((incoming, response) => {
    if (incoming.url === '/html') response.writeHead(502).end('<h1>Bad gateway</h1>');
    else answerJson(response, 200, { n: 'one' });
  });
  const transport = new Transport({ host: server.host });
  await expect(transport.json(thing, request)).rejects.toMatchObject({ code: 'protocol-mismatch' });
  await expect(transport.json(thing, { ...request, path: '/html' })).rejects.toMatchObject({
    code: 'protocol-mismatch',
  });
});

test('a silent daemon is a request-timeout, an abort is aborted', async () => {
  await using server = await ScriptedServer.start(() => undefined);
  const transport = new Transport({ host: server.host, requestTimeoutMs: 100 });
  await expect(transport.json(thing, request)).rejects.toMatchObject({ code: 'request-timeout' });
  const signal = AbortSignal.timeout(50);
  await expect(transport.json(thing, { ...request, timeoutMs: 0, signal })).rejects.toMatchObject({ code: 'aborted' });
});

test('an answer that came while the client stood still counts', async () => {
  await using server = await ScriptedServer.start((_request, response) => {
    response.once('finish', () => {
      standStill(600);
    });
    answerJson(response, 200, { n: 3 });
  });
  const transport = new Transport({ host: server.host, requestTimeoutMs: 300 });
  expect(await transport.json(thing, request)).toEqual({ n: 3 });
});

test('a first request whose connection breaks off is sent again', async () => {
  let requests = 0;
  await using server = await ScriptedServer.start((incoming, response) => {
    requests += 1;
    if (requests === 1) incoming.socket.destroy();
    else answerJson(response, 200, { n: 2 });
  });
  expect(await new Transport({ host: server.host }).json(thing, request)).toEqual({ n: 2 });
});
