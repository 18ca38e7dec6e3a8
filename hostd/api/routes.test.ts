import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execSchema, sandboxListSchema, sandboxSchema } from '../contract/index.ts';
import { Served } from './testing/served.ts';

let served: Served;
beforeAll(async () => {
  served = await Served.start();
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

async function sandbox(id: string): Promise<string> {
  await served.send('POST', '/v1/sandboxes', { json: { id } });
  return `/v1/sandboxes/${id}`;
}

describe('sandboxes', () => {
  it('answers 201 with Location to a create, and 200 when it was there', async () => {
    const first = await served.send('POST', '/v1/sandboxes', {
      json: { id: 'sbx_a', cpus: 2, env: { A: '1' } },
      headers: { 'idempotency-key': 'key-1' },
    });
    expect(first.status).toBe(201);
    expect(first.headers.location).toBe('/v1/sandboxes/sbx_a');
    expect(sandboxSchema.parse(JSON.parse(first.text))).toMatchObject({ id: 'sbx_a', cpus: 2, memoryMiB: 512 });
    expect(served.host.calls.at(-1)).toEqual([
      'create',
      expect.objectContaining({ id: 'sbx_a', env: { A: '1' }, bootDisk: false, waitSeconds: 0 }),
      'key-1',
    ]);
    const again = await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_a' } });
    expect(again.status).toBe(200);
  });

  it('takes an empty body as all defaults', async () => {
    expect((await served.send('POST', '/v1/sandboxes')).status).toBe(201);
  });

  it('lists by labels', async () => {
    const list = await served.json('GET', '/v1/sandboxes?label=a%3Db&label=c=d=e&all=1');
    sandboxListSchema.parse(list);
    expect(served.host.calls.at(-1)).toEqual(['list', { labels: { a: 'b', c: 'd=e' }, all: true }]);
  });

  it('describes, renews, shows the console of and stops one', async () => {
    const path = await sandbox('sbx_b');
    expect(await served.json('GET', path)).toMatchObject({ id: 'sbx_b', state: 'running' });
    expect(await served.json('POST', `${path}/renew`, { json: { timeoutSeconds: 9 } })).toMatchObject({
      timeoutSeconds: 9,
    });
    expect(served.host.calls.at(-1)).toEqual(['renew', 'sbx_b', 9, false]);
    const console = await served.send('GET', `${path}/console`);
    expect(console.text).toBe('console of sbx_b\n');
    expect(console.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(await served.json('DELETE', path)).toMatchObject({ state: 'gone', end: { reason: 'stopped' } });
    expect((await served.send('DELETE', path)).status).toBe(200);
  });
});

describe('execs', () => {
  it('starts, lists and describes', async () => {
    const path = await sandbox('sbx_c');
    const started = await served.send('POST', `${path}/execs`, { json: { id: 'exe_1', argv: ['true'] } });
    expect(started.status).toBe(201);
    expect(started.headers.location).toBe('/v1/sandboxes/sbx_c/execs/exe_1');
    execSchema.parse(JSON.parse(started.text));
    const again = await served.send('POST', `${path}/execs`, { json: { id: 'exe_1', argv: ['true'] } });
    expect(again.status).toBe(200);
    expect(await served.json('GET', `${path}/execs`)).toMatchObject({ execs: [{ id: 'exe_1' }] });
    expect(await served.json('GET', `${path}/execs/exe_1`)).toMatchObject({ command: 'true' });
  });

  it('takes input, sizes and signals', async () => {
    const path = `${await sandbox('sbx_d')}/execs/exe_2`;
    await served.send('POST', '/v1/sandboxes/sbx_d/execs', { json: { id: 'exe_2', shell: 'cat', stdin: true } });
    expect(await served.json('PUT', `${path}/input?offset=7&end=1`, { body: 'hello' })).toEqual({ consumedBytes: 12 });
    expect(served.host.calls.at(-1)).toEqual(['input', 'exe_2', 7, true]);
    expect(Buffer.concat(served.host.exec('exe_2').input).toString()).toBe('hello');
    expect((await served.send('POST', `${path}/resize`, { json: { rows: 5, cols: 6 } })).status).toBe(204);
    expect(served.host.calls.at(-1)).toEqual(['resize', 'exe_2', 5, 6]);
    expect((await served.send('POST', `${path}/signal`, { json: { signal: 'SIGTERM' } })).status).toBe(204);
    expect(served.host.calls.at(-1)).toEqual(['signal', 'exe_2', 'SIGTERM']);
  });
});

describe('files', () => {
  it('go in and out with all their bytes', async () => {
    const path = await sandbox('sbx_e');
    const bytes = Buffer.alloc(3_000_001, 'abc');
    expect(await served.json('PUT', `${path}/files?path=/tmp/x%20y&mode=755`, { body: bytes })).toEqual({
      sizeBytes: bytes.length,
    });
    expect(served.host.calls.at(-1)).toEqual(['write', '/tmp/x y', 0o755]);
    const read = await served.send('GET', `${path}/files?path=/tmp/x+y`);
    expect(read.headers['content-type']).toBe('application/octet-stream');
    expect(read.text.length).toBe(bytes.length);
    expect(await served.json('GET', `${path}/files/stat?path=/tmp/x%20y`)).toMatchObject({ sizeBytes: bytes.length });
  });

  it('are listed and packed', async () => {
    const path = await sandbox('sbx_f');
    expect(await served.json('GET', `${path}/files/list?path=/a&recursive=1`)).toMatchObject({
      entries: [{ name: 'a' }],
    });
    expect(served.host.calls.at(-1)).toEqual(['list-files', '/a', true]);
    const unpacked = await served.json('PUT', `${path}/files/archive?path=/a&owner=1:2`, { body: Buffer.alloc(1024) });
    expect(unpacked).toEqual({ entries: 1, bytes: 1024, skipped: 0 });
    expect(served.host.calls.at(-1)).toEqual(['extract', '/a', '1:2']);
    const packed = await served.send(
      'GET',
      `${path}/files/archive?path=/a&include=dist&exclude=*.o&exclude=.git&sparse=1`,
    );
    expect(packed.text).toBe('tar');
    expect(packed.headers['content-type']).toBe('application/x-tar');
    expect(served.host.calls.at(-1)).toEqual([
      'archive',
      '/a',
      { include: ['dist'], exclude: ['*.o', '.git'], sparse: true },
    ]);
  });
});

describe('images', () => {
  it('are listed, described and removed', async () => {
    expect(await served.json('GET', '/v1/images')).toMatchObject({ images: [{ name: 'default' }] });
    expect(await served.json('GET', '/v1/images/default')).toMatchObject({ suite: 'trixie' });
    expect((await served.send('DELETE', '/v1/images/default')).status).toBe(204);
  });

  it('are built with progress by line', async () => {
    const { text, headers } = await served.send('POST', '/v1/images', { json: { name: 'mine', from: 'bookworm' } });
    expect(headers['content-type']).toBe('application/x-ndjson');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual([
      { progress: { step: 'base', done: 0, total: 1 } },
      { image: expect.objectContaining({ name: 'mine' }) as unknown },
    ]);
    expect(served.host.calls.at(-1)).toMatchObject(['build', { name: 'mine', suite: 'bookworm', recipe: 'default' }]);
  });
});

describe('the host', () => {
  it('describes itself', async () => {
    expect(await served.json('GET', '/v1/host')).toMatchObject({ hostname: 'here' });
    expect(await served.json('GET', '/healthz')).toEqual({ status: 'ok', version: '0.1.0' });
    expect((await served.send('HEAD', '/healthz')).status).toBe(200);
  });

  it('gives its metrics and those of its requests', async () => {
    await served.send('GET', '/v1/made/up/path');
    const { text, headers } = await served.send('GET', '/metrics');
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain('# TYPE offshoot_sandboxes gauge\noffshoot_sandboxes{state="running"} 3\n');
    expect(text).toContain('offshoot_http_requests_total{method="GET",route="/v1/host",status="200"} 1\n');
    expect(text).toContain('offshoot_http_requests_total{method="GET",route="",status="404"} 1\n');
    expect(text).not.toContain('made/up');
  });
});
