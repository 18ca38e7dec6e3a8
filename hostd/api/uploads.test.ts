import { Readable } from 'node:stream';
import { setImmediate as turnOfLoop, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { standStill } from '../platform/testing/stand-still.ts';
import { readAll, Served } from './testing/served.ts';

const head = 'PUT /v1/sandboxes/sbx_1/files?path=/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('an upload', () => {
  it('that the host refuses gets its answer while the client still sends', async () => {
    await using served = await Served.start();
    served.host.files.write = async (_id, _path, content) => {
      for await (const _chunk of content) throw new OffshootError('guest-disk-full');
      return { sizeBytes: 0 };
    };
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(65_536));
      },
    });
    const problem = await served.problem('PUT', '/v1/sandboxes/sbx_1/files?path=/x', { body: endless });
    expect(problem).toMatchObject({ status: 507, code: 'guest-disk-full' });
  });

  it('whose rest nobody wants is cut after a while', async () => {
    await using served = await Served.start({ lingerMs: 100 });
    served.host.files.write = () => Promise.reject(new OffshootError('sandbox-gone'));
    const socket = served.connect();
    const answer = readAll(socket);
    socket.write(head);
    const drip = setInterval(() => socket.write('1\r\nx\r\n'), 10);
    expect(await answer).toContain('410 Gone');
    clearInterval(drip);
  });

  it('of a client that leaves reaches the host as an error', async () => {
    await using served = await Served.start();
    const outcome = Promise.withResolvers<unknown>();
    served.host.files.write = async (_id, _path, content) => {
      try {
        for await (const _chunk of content);
      } catch (error) {
        outcome.resolve(error);
        throw error;
      }
      outcome.resolve('whole');
      return { sizeBytes: 0 };
    };
    const socket = served.connect();
    socket.write(`${head}5\r\nhello\r\n`);
    await sleep(50);
    socket.destroy();
    expect(await outcome.promise).toMatchObject({ code: 'aborted' });
    await expect.poll(() => served.logLines.join('')).toContain('"status":499');
  });

  it('that pauses too long is given up, however slow it may be otherwise', async () => {
    await using served = await Served.start({ uploadIdleTimeoutMs: 1_000 });
    const slow = Readable.from(
      (async function* () {
        for (let index = 0; index < 8; index += 1) {
          await sleep(200);
          yield Buffer.from('x');
        }
      })(),
    );
    expect(await served.json('PUT', '/v1/sandboxes/sbx_1/files?path=/x', { body: slow })).toEqual({ sizeBytes: 8 });
    const stuck = new Readable({ read: () => undefined });
    stuck.push('x');
    const problem = await served.problem('PUT', '/v1/sandboxes/sbx_1/files?path=/x', { body: stuck });
    expect(problem).toMatchObject({ status: 408, code: 'request-too-slow' });
  });

  it('whose rest came while hostd stood still is taken', async () => {
    await using served = await Served.start({ uploadIdleTimeoutMs: 300, jsonBodyTimeoutMs: 300 });
    const json =
      'POST /v1/sandboxes HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n';
    const [upload, create] = [served.connect(), served.connect()];
    const answers = Promise.all([readAll(upload), readAll(create)]);
    upload.write(`${head}1\r\nx\r\n`);
    create.write(`${json}{"id":`);
    await sleep(50);
    // After this timers come first, and only then what is read.
    await turnOfLoop();
    upload.end('1\r\ny\r\n0\r\n\r\n');
    create.end('"sbx_1"}');
    standStill(600);
    const [uploaded, created] = await answers;
    expect(uploaded).toContain('"sizeBytes":2');
    expect(created).toContain('201 Created');
  });

  it('waits for a guest that takes its time, without reading ahead', async () => {
    await using served = await Served.start({ uploadIdleTimeoutMs: 1_000 });
    let sent = 0;
    const release = Promise.withResolvers<undefined>();
    served.host.files.write = async (_id, _path, content) => {
      let sizeBytes = 0;
      for await (const chunk of content) {
        if (sizeBytes === 0) await release.promise;
        sizeBytes += (chunk as Buffer).length;
      }
      return { sizeBytes };
    };
    const total = 64 * 1024 * 1024;
    const body = new Readable({
      read() {
        sent += 65_536;
        this.push(Buffer.alloc(65_536));
        if (sent === total) this.push(null);
      },
    });
    const answer = served.json('PUT', '/v1/sandboxes/sbx_1/files?path=/x', { body });
    await sleep(1_500);
    expect(sent).toBeLessThan(4 * 1024 * 1024);
    release.resolve(undefined);
    expect(await answer).toEqual({ sizeBytes: total });
  });

  it('of input may idle: people think before they type', async () => {
    await using served = await Served.start({ uploadIdleTimeoutMs: 50 });
    await served.send('POST', '/v1/sandboxes', { json: { id: 'sbx_1' } });
    await served.send('POST', '/v1/sandboxes/sbx_1/execs', { json: { id: 'exe_1', argv: ['cat'], stdin: true } });
    const body = Readable.from(
      (async function* () {
        yield Buffer.from('a');
        await sleep(200);
        yield Buffer.from('b');
      })(),
    );
    const answer = await served.json('PUT', '/v1/sandboxes/sbx_1/execs/exe_1/input?offset=0', { body });
    expect(answer).toEqual({ consumedBytes: 2 });
  });
});

describe('a download', () => {
  it('that breaks off does not look whole', async () => {
    await using served = await Served.start();
    served.host.files.read = () =>
      Promise.resolve(
        Readable.from(
          (async function* () {
            yield Buffer.alloc(100_000);
            await sleep(20);
            throw new OffshootError('guest-unresponsive');
          })(),
        ),
      );
    await expect(served.send('GET', '/v1/sandboxes/sbx_1/files?path=/x')).rejects.toThrow();
    await expect.poll(() => served.logLines.join('')).toContain('guest-unresponsive');
  });

  it('whose client leaves is ended at its source', async () => {
    await using served = await Served.start();
    const source = new Readable({
      read() {
        this.push(Buffer.alloc(65_536));
      },
    });
    served.host.files.read = () => Promise.resolve(source);
    const { body } = await served.open('GET', '/v1/sandboxes/sbx_1/files?path=/x');
    body.on('error', () => undefined);
    body.destroy();
    await expect.poll(() => source.destroyed).toBe(true);
  });
});
