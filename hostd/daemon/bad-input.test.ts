import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeSurroundings } from './testing/fake-surroundings.ts';

let around: FakeSurroundings;
beforeEach(async () => {
  around = await FakeSurroundings.create();
  await around.start();
});
afterEach(async () => {
  await around[Symbol.asyncDispose]();
});

const create = (json: object = {}, headers: Record<string, string> = {}) =>
  around.ask('POST', '/v1/sandboxes', { json, headers });

describe('a create', () => {
  it('of an unknown image names it and what to do', async () => {
    const { status, body } = await create({ image: 'nothing' });
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'image-not-found', hint: expect.stringContaining('offshoot image') as unknown });
  });

  it('with less memory than the image needs says how much it needs', async () => {
    const { status, body } = await create({ memoryMiB: 1 });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid-request', details: { minMemoryMiB: 96 } });
  });

  it.each([
    ['memoryMiB', 900_000],
    ['diskMiB', 16_000_000],
    ['cpus', 64],
  ])('with more %s than the host has says what it has', async (field, value) => {
    const { status, body } = await create({ [field]: value });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'capacity-impossible', details: { limits: { cpus: 4 } } });
  });

  it('that fails leaves nothing on the list and nothing running', async () => {
    await create({ image: 'nothing' });
    await create({ memoryMiB: 1 });
    await create({ memoryMiB: 900_000, waitSeconds: 5 });
    expect((await around.ask('GET', '/v1/sandboxes')).body).toEqual({ sandboxes: [] });
    expect(around.machines.running).toEqual([]);
  });

  it('with the id of another that asked for something else is refused, with the same request it is that one', async () => {
    expect((await create({ id: 'sbx_1' })).status).toBe(201);
    expect((await create({ id: 'sbx_1' })).status).toBe(200);
    expect(await create({ id: 'sbx_1', cpus: 2 })).toMatchObject({ status: 409, body: { code: 'sandbox-id-taken' } });
  });

  it('with a used Idempotency-Key and another body is refused, with the same body it is that sandbox', async () => {
    const key = { 'idempotency-key': 'key' };
    const first = await create({ labels: { a: '1' } }, key);
    expect(first.status).toBe(201);
    const again = await create({ labels: { a: '1' } }, key);
    expect(again.status).toBe(200);
    expect((again.body as { id: string }).id).toBe((first.body as { id: string }).id);
    const other = await create({ labels: { a: '2' } }, key);
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency-conflict' } });
  });

  it('sent many times at once makes one sandbox', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ id: 'sbx_1' })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(around.machines.running).toHaveLength(1);
  });
});

describe('a sandbox that is gone', () => {
  beforeEach(async () => {
    await create({ id: 'sbx_1' });
    around.guest('sbx_1').script = async ({ stdout }) => {
      await stdout('kept\n');
      return undefined;
    };
    await around.ask('POST', '/v1/sandboxes/sbx_1/execs', { json: { id: 'exe_1', argv: ['x'] } });
    await around.ask('GET', '/v1/sandboxes/sbx_1/execs/exe_1/output?follow=1');
    await around.ask('DELETE', '/v1/sandboxes/sbx_1');
  });

  it.each([
    ['POST', '/execs', { argv: ['true'] }],
    ['POST', '/renew', { timeoutSeconds: 5 }],
    ['PUT', '/files?path=/x', undefined],
    ['GET', '/files?path=/x', undefined],
    ['GET', '/files/list?path=/', undefined],
    ['GET', '/files/archive?path=/', undefined],
  ] as const)('answers %s %s with sandbox-gone and why', async (method, path, json) => {
    const answer = await around.ask(method, `/v1/sandboxes/sbx_1${path}`, json === undefined ? {} : { json });
    expect(answer).toMatchObject({
      status: 410,
      body: { code: 'sandbox-gone', details: { end: { reason: 'stopped' } } },
    });
  });

  it('still shows its tombstone, results and output, and can be stopped again', async () => {
    expect(await around.ask('DELETE', '/v1/sandboxes/sbx_1')).toMatchObject({ status: 200, body: { state: 'gone' } });
    expect((await around.ask('GET', '/v1/sandboxes/sbx_1/execs/exe_1')).body).toMatchObject({ exitCode: 0 });
    const output = await around.ask('GET', '/v1/sandboxes/sbx_1/execs/exe_1/output');
    expect(output.body).toContain('"text":"kept\\n"');
  });
});

it('a sandbox that is stopping takes no execs and files, and a second stop waits for the first', async () => {
  await create({ id: 'sbx_1' });
  const kill = around.vmm.holdNext('kill');
  const first = around.ask('DELETE', '/v1/sandboxes/sbx_1');
  await kill.reached;
  expect((await around.ask('GET', '/v1/sandboxes/sbx_1')).body).toMatchObject({ state: 'stopping' });
  for (const answer of [
    await around.ask('POST', '/v1/sandboxes/sbx_1/execs', { json: { argv: ['true'] } }),
    await around.ask('GET', '/v1/sandboxes/sbx_1/files?path=/x'),
    await around.ask('POST', '/v1/sandboxes/sbx_1/renew', { json: { timeoutSeconds: 100 } }),
  ]) {
    expect([409, 410]).toContain(answer.status);
    expect(['sandbox-not-running', 'sandbox-gone']).toContain((answer.body as { code: string }).code);
  }
  const second = around.ask('DELETE', '/v1/sandboxes/sbx_1');
  kill.release();
  expect((await first).body).toEqual((await second).body);
});

it('two clients that stop one sandbox both get its tombstone', async () => {
  await create({ id: 'sbx_1' });
  const answers = await Promise.all([1, 2, 3].map(() => around.ask('DELETE', '/v1/sandboxes/sbx_1')));
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 200, body: { state: 'gone', end: { reason: 'stopped' } } });
});

it('a stop of a sandbox nobody made is sandbox-not-found', async () => {
  expect(await around.ask('DELETE', '/v1/sandboxes/sbx_none')).toMatchObject({ status: 404 });
});

it('a client gone in mid upload ends the write in the guest, and the next one works', async () => {
  await create({ id: 'sbx_1' });
  const socket = connect(around.socketPath);
  socket.write('PUT /v1/sandboxes/sbx_1/files?path=/tmp/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\npart');
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.destroy();
  await expect.poll(() => around.logLines.join('')).toContain('"status":499');
  expect([...around.guest('sbx_1').files.keys()]).not.toContain('/tmp/x');
  const again = await around.ask('PUT', '/v1/sandboxes/sbx_1/files?path=/tmp/x', { body: 'whole' });
  expect(again).toMatchObject({ status: 200, body: { sizeBytes: 5 } });
});

describe('input', () => {
  beforeEach(async () => {
    await create({ id: 'sbx_1' });
  });
  const start = (json: object) => around.ask('POST', '/v1/sandboxes/sbx_1/execs', { json });
  const send = (query: string, body: string) =>
    around.ask('PUT', `/v1/sandboxes/sbx_1/execs/exe_1/input?${query}`, { body });

  it('to an exec without stdin is exec-input-closed', async () => {
    around.guest('sbx_1').script = async ({ nextSignal }) => void (await nextSignal());
    await start({ id: 'exe_1', argv: ['x'] });
    expect(await send('offset=0', 'a')).toMatchObject({ status: 409, body: { code: 'exec-input-closed' } });
  });

  it('with a gap says where the exec stands; what was sent before is skipped', async () => {
    let received = '';
    around.guest('sbx_1').script = async ({ readInput }) => {
      for (let bytes = await readInput(); bytes !== null; bytes = await readInput()) received += bytes.toString();
      return undefined;
    };
    await start({ id: 'exe_1', argv: ['cat'], stdin: true });
    expect(await send('offset=0', 'abc')).toMatchObject({ status: 200, body: { consumedBytes: 3 } });
    const gap = await send('offset=7', 'x');
    expect(gap).toMatchObject({ status: 409, body: { code: 'exec-input-offset', details: { expectedOffset: 3 } } });
    expect(await send('offset=1&end=1', 'bcdef')).toMatchObject({ body: { consumedBytes: 6 } });
    await expect.poll(() => received).toBe('abcdef');
    await expect
      .poll(async () => (await around.ask('GET', '/v1/sandboxes/sbx_1/execs/exe_1')).body)
      .toMatchObject({ state: 'ended' });
    expect((await send('offset=6', 'g')).status).toBe(409);
  });

  it('that is never read does not stop the exec, the sandbox or hostd', async () => {
    around.guest('sbx_1').script = async ({ nextSignal }) => void (await nextSignal());
    await start({ id: 'exe_1', argv: ['sleep'], stdin: true });
    const socket = connect(around.socketPath);
    socket.on('error', () => undefined);
    const head =
      'PUT /v1/sandboxes/sbx_1/execs/exe_1/input?offset=0 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    socket.write(head);
    const block = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    for (let index = 0; index < 800 && socket.write(block); index += 1);
    expect((await start({ argv: ['true'] })).status).toBe(201);
    expect((await around.ask('DELETE', '/v1/sandboxes/sbx_1')).status).toBe(200);
    socket.destroy();
  });
});

it('a resize of an exec without a terminal is refused', async () => {
  await create({ id: 'sbx_1' });
  around.guest('sbx_1').script = async ({ nextSignal }) => void (await nextSignal());
  await around.ask('POST', '/v1/sandboxes/sbx_1/execs', { json: { id: 'exe_1', argv: ['x'] } });
  const path = '/v1/sandboxes/sbx_1/execs/exe_1/resize';
  expect((await around.ask('POST', path, { json: { rows: 2, cols: 2 } })).status).toBe(400);
});

it('more execs or followers than a sandbox may have are too many, and say so', async () => {
  await using small = await FakeSurroundings.create({
    sandboxes: { maxExecsPerSandbox: 1, maxFollowersPerSandbox: 1 },
  });
  await small.start();
  await small.ask('POST', '/v1/sandboxes', { json: { id: 'sbx_1' } });
  small.guest('sbx_1').script = async ({ nextSignal }) => void (await nextSignal());
  await small.ask('POST', '/v1/sandboxes/sbx_1/execs', { json: { id: 'exe_1', argv: ['x'] } });
  const second = await small.ask('POST', '/v1/sandboxes/sbx_1/execs', { json: { argv: ['x'] } });
  expect(second).toMatchObject({ status: 429, body: { code: 'too-many-execs' } });
  const path = '/v1/sandboxes/sbx_1/execs/exe_1/output?follow=1';
  const follower = connect(small.socketPath);
  follower.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await new Promise((resolve) => follower.once('data', resolve));
  expect(await small.ask('GET', path)).toMatchObject({ status: 429, body: { code: 'too-many-streams' } });
  follower.destroy();
});
