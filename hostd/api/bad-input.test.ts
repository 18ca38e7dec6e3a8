import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Served } from './testing/served.ts';

let served: Served;
beforeAll(async () => {
  served = await Served.start();
  await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_1' } });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

const create = (json: unknown) => served.problem('POST', '/v1/sandboxes', { json });
const startExec = (json: unknown) => served.problem('POST', '/v1/sandboxes/sbx_1/execs', { json });
const issues = (problem: { details: Record<string, unknown> }) =>
  problem.details.issues as { path: string; message: string }[];

describe('numbers', () => {
  const fields = ['cpus', 'memoryMiB', 'diskMiB', 'timeoutSeconds', 'waitSeconds'];
  const values = ['-1', '1.5', '1e999', '-1e999', '1e300', '"512"', 'null', 'true', '[]', '{}', '99999999999999999999'];
  it.each(fields.flatMap((field) => values.map((value) => [field, value] as const)))(
    '%s of %s',
    async (field, value) => {
      const problem = await served.problem('POST', '/v1/sandboxes', {
        body: `{"${field}":${value}}`,
        headers: { 'content-type': 'application/json' },
      });
      expect(problem).toMatchObject({ status: 400, code: 'invalid-request' });
      expect(issues(problem)[0]?.path).toBe(field);
    },
  );

  it.each(['', ' ', '-1', '1.5', '0x10', '1e3', 'NaN', '99999999999999999', '1&from=2'])('from=%s', async (from) => {
    const problem = await served.problem('GET', `/v1/sandboxes/sbx_1/execs/exe_1/output?from=${from}`);
    expect(problem.code).toBe('invalid-request');
    expect(issues(problem)[0]?.path).toBe('from');
  });
});

describe('ids', () => {
  const bad = [
    'a%2Fb',
    '..%2F..%2Fetc',
    'sbx_%2e%2e',
    'sbx_%00',
    'sbx_a%00b',
    'sbx_%C3%A9',
    'sbx_%F0%9F%92%A5',
    'sbx_',
    'sbx_.',
    `sbx_${'x'.repeat(65)}`,
    `sbx_${'x'.repeat(10_000)}`,
    'SBX_1',
  ];
  it.each(bad)('of a sandbox: %s', async (id) => {
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/execs'],
      ['GET', '/console'],
      ['POST', '/fork'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/snapshot'],
      ['GET', '/files?path=/x'],
    ] as const) {
      expect(await served.problem(method, `/v1/sandboxes/${id}${path}`)).toMatchObject({
        status: 400,
        code: 'invalid-request',
        details: { in: 'path', issues: [{ path: 'sandboxId' }] },
      });
    }
  });

  it.each(['%', '%zz', '%c3%28', '%ff'])('with broken percent-encoding: %s', async (id) => {
    const problem = await served.problem('GET', `/v1/sandboxes/${id}`);
    expect(problem).toMatchObject({ status: 400, code: 'invalid-request' });
    expect((await served.problem('GET', `/v1/sandboxes?label=a=${id}`)).code).toBe('invalid-request');
  });

  it.each(['exe/1', 'exe_..', '../x', 'exe_\u0000', 'é', 'x'.repeat(10_000)])('in a body: %j', async (id) => {
    expect(issues(await startExec({ id, argv: ['x'] }))[0]?.path).toBe('id');
    expect(issues(await create({ id }))[0]?.path).toBe('id');
  });

  it.each(['..', 'a/b', 'A', '', '.a', 'a..b', 'x'.repeat(64), 5])('names of images: %j', async (name) => {
    expect((await create({ image: name })).code).toBe('invalid-request');
    expect((await create({ snapshot: name })).code).toBe('invalid-request');
    expect((await served.problem('POST', '/v1/images', { json: { name } })).code).toBe('invalid-request');
  });
});

describe('environments', () => {
  it.each([
    ['NUL in a name', { 'A\0B': 'x' }],
    ['NUL in a value', { A: 'x\0y' }],
    ['= in a name', { 'A=B': 'x' }],
    ['an empty name', { '': 'x' }],
    ['a value of 1 MB', { A: 'x'.repeat(1_000_000) }],
    ['a number', { A: 5 }],
    ['a list', ['A=x']],
  ])('with %s', async (_name, env) => {
    for (const problem of [await create({ env }), await startExec({ env, argv: ['x'] })]) {
      expect(problem).toMatchObject({ status: 400, code: 'invalid-request' });
      expect(issues(problem)[0]?.path).toMatch(/^env/);
    }
  });

  it('of 1 MB in one value says what to do instead', async () => {
    const problem = await startExec({ env: { BIG: 'x'.repeat(1_000_000) }, argv: ['x'] });
    expect(issues(problem)[0]?.message).toContain('send it as a file');
    expect(JSON.stringify(problem).length).toBeLessThan(1_000);
  });

  it('are never repeated in a problem', async () => {
    const secrets = fc.stringMatching(/^[A-Za-z0-9]{12,40}$/);
    await fc.assert(
      fc.asyncProperty(secrets, fc.constantFrom('\0', '=', ''), fc.boolean(), async (secret, bad, inName) => {
        const env = inName ? { [`TOKEN=${secret}${bad}`]: secret } : { TOKEN: `${secret}${bad}\0` };
        expect(JSON.stringify(await create({ env }))).not.toContain(secret);
        expect(JSON.stringify(await create({ [`TOKEN=${secret}`]: secret }))).not.toContain(secret);
        expect(JSON.stringify(await startExec({ env, argv: [secret], cwd: 5 }))).not.toContain(secret);
      }),
      { numRuns: 30 },
    );
  });
});

describe('execs', () => {
  it('take a script of 300 KB as it is', async () => {
    const shell = 'echo "x" # \u00e9\n'.repeat(25_000);
    const answer = await served.send('POST', '/v1/sandboxes/sbx_1/execs', { json: { id: 'exe_long', shell } });
    expect(answer.status).toBe(201);
    expect(served.host.calls.at(-1)).toMatchObject(['start', 'sbx_1', { shell }]);
  });

  it.each([
    ['neither argv nor shell', {}],
    ['both', { argv: ['x'], shell: 'x' }],
    ['an empty argv', { argv: [] }],
    ['NUL in an argument', { argv: ['a\0b'] }],
    ['NUL in the shell text', { shell: 'a\0b' }],
    ['NUL in cwd', { argv: ['x'], cwd: '/a\0b' }],
    ['an empty cwd', { argv: ['x'], cwd: '' }],
    ['an argument over what Linux takes', { argv: ['x'.repeat(200_000)] }],
    ['a timeout of 0', { argv: ['x'], timeoutMs: 0 }],
    ['a timeout that is text', { argv: ['x'], timeoutMs: '5s' }],
    ['a terminal without size', { argv: ['x'], pty: {} }],
    ['a terminal of no rows', { argv: ['x'], pty: { rows: 0, cols: 80 } }],
    ['a user with a newline', { argv: ['x'], user: 'a\nb' }],
    ['a field nobody knows', { argv: ['x'], tty: true }],
  ])('with %s', async (_name, exec) => {
    expect(await startExec(exec)).toMatchObject({ status: 400, code: 'invalid-request' });
  });

  it.each(['SIGFOO', 'KILL', 9, '', null])('signal %j', async (signal) => {
    const path = '/v1/sandboxes/sbx_1/execs/exe_1/signal';
    expect(issues(await served.problem('POST', path, { json: { signal } }))[0]?.path).toBe('signal');
  });

  it('input without an offset', async () => {
    const problem = await served.problem('PUT', '/v1/sandboxes/sbx_1/execs/exe_1/input', { body: 'x' });
    expect(issues(problem)[0]?.path).toBe('offset');
  });
});

describe('forks', () => {
  const fork = (body: string) =>
    served.problem('POST', '/v1/sandboxes/sbx_1/fork', { body, headers: { 'content-type': 'application/json' } });

  it.each(['0', '101', '-1', '"3"', '1.5', 'null', '[]', 'true', '1e999', '99999999999999999999'])(
    'of a count of %s',
    async (count) => {
      const problem = await fork(`{"count":${count}}`);
      expect(problem).toMatchObject({ status: 400, code: 'invalid-request', details: { in: 'body' } });
      expect(issues(problem)[0]?.path).toBe('count');
    },
  );

  it.each([
    ['id', '"frk/1"'],
    ['id', '"sbx_1"'],
    ['labels', '{"a":5}'],
    ['labels', '{"-":"x"}'],
    ['egress', '{"mode":"closed"}'],
    ['egress', '"none"'],
    ['timeoutSeconds', '0'],
    ['timeoutSeconds', '604801'],
    ['keepSnapshot', '"Not A Name"'],
    ['keepSnapshot', '"a..b"'],
    ['keepSnapshot', '1'],
  ])('with %s of %s', async (field, value) => {
    const problem = await fork(`{"${field}":${value}}`);
    expect(problem).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(issues(problem)[0]?.path).toMatch(new RegExp(`^${field}`));
  });

  it('with a field nobody knows', async () => {
    expect(issues(await fork('{"copies":3}'))[0]?.message).toBe('unknown: copies');
  });

  it.each(['', 'a b', 'x'.repeat(256), 'é'])('with the Idempotency-Key %j', async (key) => {
    const answer = await served.raw(
      Buffer.from(
        `POST /v1/sandboxes/sbx_1/fork HTTP/1.1\r\nHost: a\r\nConnection: close\r\nIdempotency-Key: ${key}\r\n\r\n`,
      ),
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('idempotency-key');
  });

  it.each(['frk_', 'sbx_1', 'frk_%00', 'frk_a%2Fb', `frk_${'x'.repeat(65)}`])('cancelled as %s', async (id) => {
    expect(await served.problem('DELETE', `/v1/forks/${id}`)).toMatchObject({
      status: 400,
      details: { in: 'path', issues: [{ path: 'forkId' }] },
    });
  });

  it('that were refused never reached the host', () => {
    expect(served.host.calls.filter(([call]) => call === 'fork' || call === 'cancel')).toEqual([]);
  });
});

describe('snapshots', () => {
  const keep = (json: unknown) => served.problem('POST', '/v1/sandboxes/sbx_1/snapshot', { json });

  it.each(['..', 'a/b', 'A', '', '.a', 'a..b', 'x'.repeat(64), 5, null])('named %j', async (name) => {
    expect(issues(await keep({ name }))[0]?.path).toBe('name');
  });

  it('without a name', async () => {
    expect(issues(await keep({}))[0]?.path).toBe('name');
  });

  it.each([0, -1, '7', 3651, null])('kept for %j days', async (retentionDays) => {
    expect(issues(await keep({ name: 'a', retentionDays }))[0]?.path).toBe('retentionDays');
  });

  it.each(['a%2e%2eb', 'a%2Fb', 'A', '.a', 'a..b', 'x'.repeat(64)])('asked for as %s', async (name) => {
    for (const method of ['GET', 'DELETE'])
      expect(await served.problem(method, `/v1/snapshots/${name}`)).toMatchObject({
        status: 400,
        details: { in: 'path', issues: [{ path: 'name' }] },
      });
  });

  it.each(['image', 'cpus', 'memoryMiB', 'diskMiB'])('are not created from together with %s', async (field) => {
    const problem = await create({ snapshot: 'kept', [field]: field === 'image' ? 'default' : 512 / 8 });
    expect(issues(problem)).toMatchObject([{ path: field }]);
  });

  it('are needed by bootDisk', async () => {
    expect(issues(await create({ bootDisk: true }))).toEqual([{ path: 'bootDisk', message: 'needs snapshot' }]);
  });
});

describe('pauses', () => {
  it.each([-1, 1.5, '60', null, 604_801])('that hibernate after %j seconds', async (hibernateAfterSeconds) => {
    const problem = await served.problem('POST', '/v1/sandboxes/sbx_1/pause', { json: { hibernateAfterSeconds } });
    expect(issues(problem)[0]?.path).toBe('hibernateAfterSeconds');
  });

  it('with a field nobody knows', async () => {
    const problem = await served.problem('POST', '/v1/sandboxes/sbx_1/pause', { json: { hibernate: true } });
    expect(problem.code).toBe('invalid-request');
  });
});

describe('files', () => {
  it.each([
    '',
    '?path=',
    '?path=/a%00b',
    `?path=/${'x'.repeat(5000)}`,
    '?path=/a&path=/b',
    '?path=/a&mode=9',
    '?path=/a&mod=644',
  ])('with the query %j', async (query) => {
    const problem = await served.problem('PUT', `/v1/sandboxes/sbx_1/files${query}`, { body: 'x' });
    expect(problem).toMatchObject({ status: 400, code: 'invalid-request', details: { in: 'query' } });
  });

  it.each(['root', '0', '0:', '-1:0', '0:0:0', '0:99999999999'])('owner %s of an archive', async (owner) => {
    const problem = await served.problem('PUT', `/v1/sandboxes/sbx_1/files/archive?path=/a&owner=${owner}`, {
      body: 'x',
    });
    expect(issues(problem)[0]?.path).toBe('owner');
  });
});

describe('anything', () => {
  it('as a body gets a problem or a sandbox, never a failure inside', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json({ maxDepth: 4 }), fc.string({ unit: 'binary' })), async (body) => {
        for (const path of [
          '/v1/sandboxes',
          '/v1/sandboxes/sbx_1/execs',
          '/v1/sandboxes/sbx_1/renew',
          '/v1/sandboxes/sbx_1/fork',
          '/v1/sandboxes/sbx_1/pause',
          '/v1/sandboxes/sbx_1/snapshot',
          '/v1/images',
        ]) {
          const answer = await served.send('POST', path, { body, headers: { 'content-type': 'application/json' } });
          expect(answer.status).toBeLessThan(500);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('as fields of a create gets a problem that names them, or a sandbox', async () => {
    const value = fc.oneof(
      fc.integer(),
      fc.double(),
      fc.string(),
      fc.constant(null),
      fc.array(fc.integer(), { maxLength: 2 }),
    );
    const names = [
      'id',
      'image',
      'snapshot',
      'bootDisk',
      'cpus',
      'memoryMiB',
      'diskMiB',
      'timeoutSeconds',
      'labels',
      'env',
      'egress',
      'waitSeconds',
      'x',
    ];
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), value), async (json) => {
        const answer = await served.send('POST', '/v1/sandboxes', { json });
        expect([200, 201, 400]).toContain(answer.status);
        if (answer.status === 400)
          expect((JSON.parse(answer.text) as { details: { issues: unknown[] } }).details.issues).not.toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('as a path gets an answer', async () => {
    const part = fc.oneof(
      fc.webSegment(),
      fc.constantFrom('v1', 'sandboxes', 'sbx_1', 'execs', '%00', '%2F', '..', '%', 'images'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 7 }), fc.webQueryParameters(), async (parts, query) => {
        const target = `/${parts.join('/')}?${query}`;
        if (target.startsWith('/v1/events')) return;
        const answer = await served.raw(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
        expect(answer).toMatch(/^HTTP\/1.1 (200|400|404) /);
      }),
      { numRuns: 200 },
    );
  });

  it('as bytes on the socket gets an answer or an end, and the server lives', async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom(
          'GET ',
          'POST /v1/sandboxes',
          ' HTTP/1.1\r\n',
          'Host: a\r\n',
          'Content-Length: 5\r\n',
          '\r\n',
          'Transfer-Encoding: chunked\r\n',
        )
        .map((text) => Buffer.from(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const answer = await served.raw(Buffer.concat(pieces));
        expect(answer).toMatch(/^$|^HTTP\/1.1 (200|201|4\d\d) /);
      }),
      { numRuns: 150 },
    );
    expect((await served.send('GET', '/healthz')).status).toBe(200);
  });
});

it('an unknown image is what the host says of it', async () => {
  expect(await served.problem('GET', '/v1/images/nothing')).toMatchObject({ status: 404, code: 'image-not-found' });
});
