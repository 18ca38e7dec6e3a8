import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../errors/catalogue.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { asProblem, readAll, Served } from './testing/served.ts';

let served: Served;
beforeAll(async () => {
  served = await Served.start();
  await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_1' } });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

describe('a problem', () => {
  it('carries the code, hint, details and request id of what the host threw', async () => {
    const problem = await served.problem('GET', '/v1/sandboxes/sbx_none', { headers: { 'x-request-id': 'mine-1' } });
    expect(problem).toEqual({
      type: 'urn:offshoot:error:sandbox-not-found',
      title: catalogue['sandbox-not-found'].title,
      status: 404,
      detail: 'There is no sandbox sbx_none.',
      code: 'sandbox-not-found',
      hint: catalogue['sandbox-not-found'].hint,
      retryable: false,
      details: {},
      requestId: 'mine-1',
    });
  });

  it('hides what went wrong inside and logs it with its stack', async () => {
    await using other = await Served.start();
    other.host.info = () => Promise.reject(new Error('secret path /x'));
    const problem = await other.problem('GET', '/v1/host');
    expect(problem.code).toBe('internal');
    expect(JSON.stringify(problem)).not.toContain('secret path');
    const line = other.logLines.find((text) => text.includes('secret path /x'));
    expect(line).toContain('errors.test.ts');
    expect(line).toContain(problem.requestId);
  });

  it('has status 500 for codes that have none of their own', async () => {
    await using other = await Served.start();
    other.host.info = () => Promise.reject(new OffshootError('tool-missing', { message: 'nft is not installed.' }));
    expect(await other.problem('GET', '/v1/host')).toMatchObject({ status: 500, code: 'tool-missing' });
  });

  it('tells when to come back', async () => {
    await using other = await Served.start();
    other.host.sandboxes.create = () => Promise.reject(new OffshootError('capacity-exhausted'));
    const answer = await other.send('POST', '/v1/sandboxes', { json: {} });
    expect(asProblem(answer).status).toBe(503);
    expect(answer.headers['retry-after']).toBe('1');
  });

  it('replaces request ids that are not fit for a header or log', async () => {
    const { headers } = await served.send('GET', '/healthz', { headers: { 'x-request-id': 'a b"c' } });
    expect(headers['x-request-id']).toMatch(/^req_[0-9A-Z]{26}$/);
  });
});

describe('routes', () => {
  it.each(['/', '/v1', '/v1/sandboxes/', '/V1/sandboxes', '//v1/sandboxes', '/v1/sandboxes/sbx_1/nothing', '/v2/host'])(
    'that do not exist: %s',
    async (path) => {
      expect(await served.problem('GET', path)).toMatchObject({ status: 404, code: 'route-not-found' });
    },
  );

  it.each([
    ['PUT', '/v1/sandboxes', 'POST, GET'],
    ['PATCH', '/v1/sandboxes/sbx_1', 'GET, DELETE'],
    ['OPTIONS', '/v1/sandboxes/sbx_1/files', 'GET, PUT'],
    ['POST', '/healthz', 'GET'],
  ])('do not take %s %s', async (method, path, allow) => {
    const answer = await served.send(method, path);
    expect(asProblem(answer)).toMatchObject({ status: 405, code: 'method-not-allowed' });
    expect(answer.headers.allow).toBe(allow);
  });

  it('that stream do not take HEAD', async () => {
    const { status, headers } = await served.send('HEAD', '/v1/events');
    expect(status).toBe(405);
    expect(headers['content-type']).toBe('application/problem+json');
  });
});

describe('bodies', () => {
  const post = (body: string | Buffer, type = 'application/json', headers: Record<string, string> = {}) =>
    served.problem('POST', '/v1/sandboxes', { body, headers: { 'content-type': type, ...headers } });

  it.each(['{', '{"a":1,}', 'nonsense', '\u0000', '{"timeoutSeconds": NaN}'])('that are not JSON: %j', async (body) => {
    const problem = await post(body);
    expect(problem).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(problem.detail).toBe('The body of the request is not valid JSON.');
  });

  it('that are not JSON are not repeated', async () => {
    expect(JSON.stringify(await post('{"env":{"TOKEN":"hunter2"'))).not.toContain('hunter2');
  });

  it.each(['"text"', '[]', '5', 'null', 'true'])('that are JSON but no object: %s', async (body) => {
    expect(await post(body)).toMatchObject({ status: 400, code: 'invalid-request' });
  });

  it('of another type', async () => {
    expect(await post('{}', 'text/plain')).toMatchObject({ status: 415, code: 'unsupported-media-type' });
    expect(await post('{}', 'application/json; charset=klingon')).toMatchObject({ code: 'unsupported-media-type' });
    const zipped = await post('{}', 'application/json', { 'content-encoding': 'gzip' });
    expect(zipped).toMatchObject({ status: 415, code: 'unsupported-media-type' });
  });

  it('that are too large', async () => {
    const json = { labels: { a: 'x'.repeat(5_000_000) } };
    expect(await served.problem('POST', '/v1/sandboxes', { json })).toMatchObject({
      status: 413,
      code: 'payload-too-large',
    });
  });

  it('deeper than any stack', async () => {
    expect(await post('['.repeat(2_000_000))).toMatchObject({ code: 'invalid-request' });
    const deep = `{"labels":${'{"a":'.repeat(300_000)}1${'}'.repeat(300_000)}}`;
    expect((await post(deep)).detail).toBe('The body of the request is nested too deeply.');
    const brackets = JSON.stringify({ id: 'sbx_brackets', labels: { a: '[{'.repeat(200) + '"\\' } });
    const accepted = await served.send('POST', '/v1/sandboxes', {
      body: brackets,
      headers: { 'content-type': 'application/json' },
    });
    expect(accepted.status).toBe(201);
  });

  it('that never come are given up', async () => {
    await using slow = await Served.start({ jsonBodyTimeoutMs: 100 });
    const body = new Readable({ read: () => undefined });
    body.push('{');
    const answer = await slow.send('POST', '/v1/sandboxes', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(asProblem(answer)).toMatchObject({ status: 408, code: 'request-too-slow' });
  });
});

describe('HTTP itself', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n', 400, 'invalid-request'],
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'invalid-request'],
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'invalid-request'],
    ['large headers', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers-too-large'],
    [
      'two lengths',
      'POST /v1/sandboxes HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
      400,
      'invalid-request',
    ],
    [
      'length and chunks',
      'POST /v1/sandboxes HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'invalid-request',
    ],
    [
      'a broken chunk',
      'POST /v1/sandboxes HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'invalid-request',
    ],
  ])('with %s', async (_name, bytes, status, code) => {
    const answer = await served.raw(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
    expect(answer).toContain('application/problem+json');
    expect(answer).toContain(`"code":"${code}"`);
  });

  it('with headers that never end', async () => {
    await using slow = await Served.start({ headersTimeoutMs: 200 });
    const socket = slow.connect();
    const answer = readAll(socket);
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n');
    const drip = setInterval(() => socket.write('X: y\r\n'), 20);
    expect(await answer).toContain('"code":"request-too-slow"');
    clearInterval(drip);
  });

  it('serves on after all that', async () => {
    expect((await served.send('GET', '/healthz')).status).toBe(200);
  });
});

describe('limits', () => {
  it('of long requests: too-many-streams, and a place is free again when one ends', async () => {
    await using small = await Served.start({ maxFollowers: 2 });
    const one = await small.open('GET', '/v1/events');
    const two = await small.open('GET', '/v1/events');
    expect(await small.problem('GET', '/v1/events')).toMatchObject({
      status: 429,
      code: 'too-many-streams',
      details: { kind: 'follower', limit: 2 },
    });
    one.body.destroy();
    one.body.on('error', () => undefined);
    await expect.poll(async () => (await small.open('GET', '/v1/events?follow=0')).statusCode).toBe(200);
    two.body.on('error', () => undefined);
    two.body.destroy();
  });
});

describe('shutdown', () => {
  it('lets a short request finish, ends followers, refuses new requests and removes the socket', async () => {
    const other = await Served.start({ drainMs: 5_000 });
    const answer = Promise.withResolvers<undefined>();
    const info = other.host.info;
    other.host.info = async () => {
      await answer.promise;
      return info();
    };
    const short = other.send('GET', '/v1/host');
    const follower = await other.open('GET', '/v1/events');
    await expect.poll(() => other.logLines.length).toBe(0);
    await sleep(50);
    const stopped = other.api.stop();
    expect(await follower.body.text()).toBe('retry: 1000\n\n');
    await expect(other.send('GET', '/healthz')).rejects.toThrow();
    answer.resolve(undefined);
    expect((await short).status).toBe(200);
    await stopped;
    await expect(other.send('GET', '/healthz')).rejects.toThrow(/ENOENT|ECONNREFUSED/);
    await other[Symbol.asyncDispose]();
  });

  it('answers a queued create with shutting-down', async () => {
    await using other = await Served.start({ drainMs: 5_000 });
    const waiting = Promise.withResolvers<undefined>();
    other.host.sandboxes.create = (_request, options) =>
      new Promise((_resolve, reject) => {
        waiting.resolve(undefined);
        options?.signal?.addEventListener('abort', () => reject(new OffshootError('aborted')));
      });
    const create = other.problem('POST', '/v1/sandboxes', { json: { waitSeconds: 60 } });
    await waiting.promise;
    await other.api.stop();
    expect(await create).toMatchObject({ status: 503, code: 'shutting-down', retryable: true });
  });

  it('cuts what does not end within its bound', async () => {
    await using other = await Served.start({ drainMs: 100 });
    other.host.info = () => new Promise(() => undefined);
    const hanging = other.send('GET', '/v1/host').catch((error: unknown) => error);
    await sleep(50);
    await other.api.stop();
    expect(await hanging).toBeInstanceOf(Error);
  });
});

it('logs no env values, credentials or bodies', async () => {
  await served.send('POST', '/v1/sandboxes', {
    json: { id: 'sbx_secret', env: { TOKEN: 'hunter2' } },
    headers: { authorization: 'Bearer hunter3' },
  });
  await served.problem('POST', '/v1/sandboxes', { json: { env: { 'TOKEN=hunter4': 'hunter5' } } });
  const log = served.logLines.join('');
  expect(log).toContain('"path":"/v1/sandboxes","status":201');
  expect(log).not.toContain('hunter');
});
