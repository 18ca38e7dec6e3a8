import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from 'vitest';
import { helloBody, helloRecords } from './testing/hello-bytes.ts';
import { get, openHttpLab, say, serveHttp } from './testing/http-lab.ts';
import { addresses, Lab, untilClosed } from './testing/lab.ts';

const labs: Lab[] = [];
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

/** Takes requests and never answers. */
const silent = () => createServer((socket) => socket.resume());
/** A busy machine takes its time. */
const patient = { timeout: 15_000 };
const longRequest = get('good.test', '/', `X-Long: ${'x'.repeat(10_000)}`);

describe('requests that wait for the one before them', () => {
  test('take so much of a sandbox and no more, over all its connections; others have their own', async () => {
    const { lab, listener } = await openHttpLab(labs, ['good.test:80'], { waitingBytesPerSandbox: 75_000 });
    lab.sandboxes.set('127.0.0.2', 'sbx_two');
    await lab.serve(addresses.good, 80, silent());
    const guests = ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.2'].map((from) => lab.connect(listener, from));
    const [first, second, third, other] = guests;
    first?.write(longRequest.repeat(5));
    await expect.poll(() => lab.outcomes(), patient).toHaveLength(1);
    second?.write(longRequest);
    await expect.poll(() => lab.outcomes(), patient).toHaveLength(2);
    third?.write(longRequest.repeat(4));
    if (third !== undefined) expect((await untilClosed(third)).reset).toBe(true);
    other?.write(longRequest.repeat(5));
    await expect
      .poll(() => lab.entries.map(({ sandboxId, outcome }) => `${sandboxId} ${outcome}`), patient)
      .toEqual([...['sbx_one allowed', 'sbx_one allowed', 'sbx_one failed', 'sbx_two allowed']]);
    expect([first, second, other].map((guest) => guest?.destroyed)).toEqual([false, false, false]);
  });

  test('give their room back when they are answered, and when their connection ends', async () => {
    const { lab, listener } = await openHttpLab(labs, ['good.test:80'], { waitingBytesPerSandbox: 75_000 });
    await serveHttp(lab, 'good');
    const many = longRequest.repeat(5) + get('good.test', '/last', 'Connection: close');
    for (let round = 0; round < 4; round += 1) expect(await say(lab, listener, many)).toContain('good /last');
    await lab.serve(addresses.good, 80, silent());
    for (let round = 0; round < 4; round += 1) {
      const allowed = lab.entries.length;
      const guest = lab.connect(listener);
      guest.write(longRequest.repeat(5));
      await expect.poll(() => lab.entries.length, patient).toBeGreaterThan(allowed);
      const gone = once(guest, 'close');
      guest.resetAndDestroy();
      await gone;
      await sleep(50);
    }
    expect(lab.entries.filter(({ failure }) => failure === 'limit')).toEqual([]);
  });
});

describe('header lines, each of which takes much more than its bytes', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `a: ${String(index)}`);

  test('may be so many in a request, and the server gets all of them; with more it is refused', async () => {
    const { lab, listener } = await openHttpLab(labs, ['good.test:80'], { headerLines: 100 });
    const seen = await serveHttp(lab, 'good');
    await say(lab, listener, get('good.test', '/', ...lines(98), 'Connection: close'));
    expect(seen[0]?.rawHeaders.filter((text) => text === 'a')).toHaveLength(98);
    for (const more of [100, 200, 5000]) {
      expect(await say(lab, listener, get('good.test', '/', ...lines(more)))).toContain('denied this request: no-name');
    }
    // What stands behind the lines that are looked at decides nothing.
    expect(
      await say(lab, listener, `GET / HTTP/1.1\r\n${lines(200).join('\r\n')}\r\nHost: evil.test\r\n\r\n`),
    ).toContain('denied this request: no-name');
    expect(seen).toHaveLength(1);
  });

  test('may be as many in trailers, in answers and in trailers of answers', async () => {
    const { lab, listener } = await openHttpLab(labs, ['good.test:80'], { headerLines: 100 });
    const seen = await serveHttp(lab, 'good', 80, (request, response) => {
      const kind = request.url ?? '';
      const raw = (count: number) => lines(count).flatMap((line): [string, string][] => [['a', line.slice(3)]]);
      if (kind === '/head') response.writeHead(200, raw(200).flat());
      if (kind === '/trailers') response.writeHead(200, { Trailer: 'a' }).addTrailers(raw(200));
      response.end('answered');
    });
    const chunked = (count: number) =>
      `POST /in HTTP/1.1\r\nHost: good.test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\nx\r\n0\r\n${lines(count).join('\r\n')}\r\n\r\n`;
    expect(await say(lab, listener, chunked(50))).toContain('answered');
    expect(await say(lab, listener, chunked(300))).toContain('denied');
    expect(seen.map(({ line }) => line)).toEqual(['POST /in']);
    expect(await say(lab, listener, get('good.test', '/head'))).toContain('502');
    expect(await say(lab, listener, get('good.test', '/trailers', 'Connection: close'))).not.toMatch(
      /0\r\n(a: \d+\r\n)*\r\n$/,
    );
  });
});

test('what was read of a ClientHello is not kept while the connection lasts', async () => {
  const lab = await Lab.open(['good.test']);
  labs.push(lab);
  lab.zone.set('good.test', [addresses.good]);
  const listener = await lab.listen('tls');
  await lab.serve(addresses.good, 443, silent());
  const long = helloRecords(helloBody({ names: [{ text: 'good.test' }], extensions: [[21, Buffer.alloc(14_000)]] }));
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const held = async (): Promise<number> => {
    for (let round = 0; round < 3; round += 1) {
      collect();
      await sleep(20);
    }
    return process.memoryUsage().arrayBuffers;
  };
  const before = await held();
  const guests = Array.from({ length: 150 }, () => lab.connect(listener));
  for (const guest of guests) guest.write(Buffer.from(long));
  await expect.poll(() => lab.outcomes().filter((outcome) => outcome.startsWith('allowed')), patient).toHaveLength(150);
  expect((await held()) - before).toBeLessThan(2_000_000);
}, 20_000);
