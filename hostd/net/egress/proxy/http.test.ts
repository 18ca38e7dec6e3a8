import { afterEach, expect, test } from 'vitest';
import { get, openHttpLab, say, serveHttp, untilText } from './testing/http-lab.ts';
import { type Lab, untilClosed } from './testing/lab.ts';

const labs: Lab[] = [];

afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

test('a named host is reached; headers pass in their order and case, those of the connection do not', async () => {
  const { lab, listener } = await openHttpLab(labs, ['http:good.test:80']);
  const seen = await serveHttp(lab, 'good');
  const more = ['X-ONE: 1', 'x-two: \u00e9', 'X-One: 2', 'Keep-Alive: timeout=1', 'X-Hop: no', 'TE: trailers'];
  const text = await say(lab, listener, get('Good.test.', '/a?b=c', ...more, 'Connection: close, X-Hop, Host'));
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\ngood \/a\?b=c\n$/);
  expect(seen[0]?.line).toBe('GET /a?b=c');
  const expected = ['Host', 'Good.test.', 'X-ONE', '1', 'x-two', '\u00e9', 'X-One', '2', 'Connection', 'close'];
  expect(seen[0]?.rawHeaders).toEqual(expected);
  expect(lab.outcomes()).toEqual(['allowed good.test 9.9.9.1']);
});

test.each(['enforce', 'audit'] as const)(
  'who ends its side after its requests gets the whole answers: %s',
  async (mode) => {
    const { lab, listener } = await openHttpLab(labs, []);
    lab.setPolicy(mode, ['http:good.test:80']);
    await serveHttp(lab, 'good', 80, (request, response) => {
      response.write('begun ');
      setTimeout(() => response.end(`${request.url ?? ''} whole\n`), 100);
    });
    const guest = lab.connect(listener);
    guest.end(get('good.test', '/1') + get('good.test', '/2'));
    const { bytes, reset } = await untilClosed(guest);
    expect(bytes.toString()).toMatch(/\/1 whole\n[^]*\/2 whole\n/);
    expect(reset).toBe(false);
  },
);

test('who ends its side after a request that is denied is told why', async () => {
  const { lab, listener } = await openHttpLab(labs, ['http:good.test:80']);
  const guest = lab.connect(listener);
  guest.end(get('evil.test'));
  const { bytes, reset } = await untilClosed(guest);
  expect([bytes.toString().split('\r\n')[0], reset]).toEqual(['HTTP/1.1 403 Forbidden', false]);
});

test('another host is denied with 403, the reason and the name, and nothing is dialled', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const text = await say(lab, listener, get('evil.test'));
  expect(text).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
  expect(text).toMatch(/\r\nConnection: close\r\n\r\nOffshoot denied evil\.test: host-header\n$/);
  expect([lab.outcomes(), lab.dialled]).toEqual([['denied host-header evil.test'], []]);
});

test('requests of one connection share one upstream connection; a port in Host must be the one that was dialled', async () => {
  const { lab } = await openHttpLab(labs, ['http:good.test:8080']);
  const seen = await serveHttp(lab, 'good', 8080);
  const listener = await lab.listen('http', 8080);
  const guest = lab.connect(listener);
  guest.write(get('good.test:8080', '/1'));
  await untilText(guest, 'good /1');
  guest.write(get('good.test', '/2'));
  await untilText(guest, 'good /2');
  guest.write(get('good.test:80', '/3'));
  expect((await untilClosed(guest)).bytes.toString()).toContain('host-header');
  expect([seen.map(({ line }) => line), lab.dialled]).toEqual([['GET /1', 'GET /2'], ['9.9.9.1:8080']]);
});

test('a pipelined second request with another Host is denied, after the first was answered', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  const evil = await serveHttp(lab, 'evil');
  await serveHttp(lab, 'good');
  const text = await say(lab, listener, get('good.test', '/1') + get('evil.test', '/2') + get('good.test', '/3'));
  expect(text).toMatch(/good \/1\n[^]*403 Forbidden[^]*evil\.test: host-header\n$/);
  expect(text).not.toContain('/3');
  expect([evil, lab.dialled]).toEqual([[], ['9.9.9.1:80']]);
});

test('a second request for another allowed host goes to that host', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80', 'other.test:80']);
  await serveHttp(lab, 'good');
  await serveHttp(lab, 'other');
  const requests = [get('good.test', '/1'), get('other.test', '/2'), get('good.test', '/3', 'Connection: close')];
  const text = await say(lab, listener, requests.join(''));
  expect(text.match(/(good|other) \/\d/g)).toEqual(['good /1', 'other /2', 'good /3']);
  expect(lab.dialled).toEqual(['9.9.9.1:80', '9.9.9.2:80', '9.9.9.1:80']);
});

test('without Host there is no name, in HTTP/1.0 too; with one HTTP/1.0 works', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  await serveHttp(lab, 'good', 80, (_, response) => {
    response.write('in ');
    response.end('chunks');
  });
  expect(await say(lab, listener, 'GET / HTTP/1.0\r\n\r\n')).toContain('Offshoot denied this request: no-name');
  expect(await say(lab, listener, 'GET / HTTP/1.1\r\nHost: \r\n\r\n')).toContain('no-name');
  const old = await say(lab, listener, 'GET / HTTP/1.0\r\nHost: good.test\r\nConnection: keep-alive\r\n\r\n');
  expect(old).toMatch(/\r\n\r\nin chunks$/);
  expect(old).not.toMatch(/transfer-encoding/i);
});

test('an absolute URI passes when it is equal to Host, and reaches the server as a path', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80', 'other.test:80']);
  const seen = await serveHttp(lab, 'good');
  await say(lab, listener, get('good.test', 'http://GOOD.test:80/x?y', 'Connection: close'));
  expect(seen[0]?.line).toBe('GET /x?y');
  for (const uri of ['http://evil.test/', 'http://other.test/', 'http://good.test:81/', 'http://x@good.test/']) {
    expect(await say(lab, listener, get('good.test', uri))).toContain('host-header');
  }
  for (const uri of ['https://good.test/', 'ftp://good.test/']) {
    expect(await say(lab, listener, get('good.test', uri))).toContain('protocol');
  }
  expect(seen.length).toBe(1);
});

test('an address as Host is what address rules decide; decimal, hex and mapped spellings reach nothing', async () => {
  const { lab, listener } = await openHttpLab(labs, ['9.9.9.0/24:80', 'good.test:80']);
  await serveHttp(lab, 'other');
  expect(await say(lab, listener, get('9.9.9.2', '/', 'Connection: close'))).toContain('other /');
  const hosts = ['9.9.8.1', '169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518'];
  for (const host of [
    ...hosts,
    '[::ffff:169.254.169.254]',
    '[fe80::1]',
    '[fe80::1%25eth0]',
    'good.test:80:80',
    'a b',
  ]) {
    expect(await say(lab, listener, get(host)), host).toMatch(
      /^HTTP\/1\.1 403 [^]*: (host-header|address|private-range)\n$/,
    );
  }
  expect(lab.dialled).toEqual(['9.9.9.2:80']);
});

test('a name that resolves to a private address is denied as rebind', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  lab.zone.set('good.test', ['192.168.1.1']);
  expect(await say(lab, listener, get('good.test'))).toContain('Offshoot denied good.test: rebind');
  expect(lab.outcomes()).toEqual(['denied rebind good.test 192.168.1.1']);
});
