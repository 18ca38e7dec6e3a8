import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { ProxyListener } from './options.ts';
import { helloBody, helloFor, helloRecords } from './testing/hello-bytes.ts';
import { get, openHttpLab, say, serveHttp } from './testing/http-lab.ts';
import { addresses, echoServer, Lab, untilClosed } from './testing/lab.ts';

const labs: Lab[] = [];

afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

function refusedHello(lab: Lab, tls: ProxyListener, name: string) {
  const guest = lab.connect(tls);
  guest.write(helloFor(name));
  return untilClosed(guest);
}

async function openAuditLab(allow: string[] = []) {
  const { lab, listener } = await openHttpLab(labs, []);
  lab.setPolicy('audit', allow);
  return { lab, http: listener, tls: await lab.listen('tls') };
}

test('names that no rule has pass, and what enforce would have said is recorded', async () => {
  const { lab, http, tls } = await openAuditLab(['good.test:443']);
  await lab.serve(addresses.evil, 443, echoServer());
  await serveHttp(lab, 'evil');
  await serveHttp(lab, 'good');
  const guest = lab.connect(tls);
  guest.end(helloFor('evil.test'));
  expect((await untilClosed(guest)).bytes.equals(helloFor('evil.test'))).toBe(true);
  expect(await say(lab, http, get('evil.test', '/', 'Connection: close'))).toContain('evil /');
  expect(await say(lab, http, get('good.test', '/', 'Connection: close'))).toContain('good /');
  expect(await say(lab, http, get(addresses.evil, '/', 'Connection: close'))).toContain('evil /');
  expect(lab.outcomes()).toEqual([
    'audited sni evil.test 9.9.9.3',
    'audited host-header evil.test 9.9.9.3',
    'audited port good.test 9.9.9.1',
    'audited host-header 9.9.9.3 9.9.9.3',
  ]);
});

test('what only audit let through is counted apart from what a rule allows', async () => {
  const { lab, tls } = await openAuditLab();
  await lab.serve(addresses.good, 443, echoServer());
  for (const allow of [[], ['good.test:443']]) {
    lab.setPolicy('audit', allow);
    const guest = lab.connect(tls);
    guest.end(helloFor('good.test'));
    await untilClosed(guest);
  }
  const row = { sandboxId: 'sbx_one', name: 'good.test', port: 443, connections: 1 };
  const bytes = { bytesIn: helloFor('good.test').length, bytesOut: helloFor('good.test').length };
  await expect
    .poll(() => lab.proxy.usage())
    .toEqual([
      { ...row, ...bytes, wouldDeny: 'sni' },
      { ...row, ...bytes },
    ]);
});

test('private and metadata addresses stay closed, by name and as an address', async () => {
  const { lab, http } = await openAuditLab();
  for (const address of ['10.0.0.1', '169.254.169.254', '127.0.0.1', '10.84.0.5']) {
    lab.zone.set('good.test', [address]);
    expect(await say(lab, http, get('good.test'))).toContain('denied good.test: rebind');
    expect(await say(lab, http, get(address))).toMatch(/HTTP\/1\.1 403 [^]*: private-range\n/);
  }
  expect(lab.dialled).toEqual([]);
});

test('without a name it goes where the guest dialled', async () => {
  const { lab, http, tls } = await openAuditLab();
  lab.dialledByGuests = addresses.other;
  await lab.serve(addresses.other, 443, echoServer());
  const hellos = [helloRecords(helloBody({})), Buffer.from('SSH-2.0-guest\r\n'), helloFor('no_such..name')];
  for (const hello of hellos) {
    const guest = lab.connect(tls);
    guest.end(hello);
    expect((await untilClosed(guest)).bytes.equals(hello)).toBe(true);
  }
  const seen = await serveHttp(lab, 'other');
  expect(await say(lab, http, 'GET /old HTTP/1.0\r\n\r\n')).toContain('other /old');
  expect(seen[0]?.rawHeaders.slice(0, 2)).toEqual(['Host', addresses.other]);
  expect(lab.outcomes()).toEqual([
    'audited no-name 9.9.9.2 9.9.9.2',
    'audited protocol 9.9.9.2 9.9.9.2',
    'audited sni 9.9.9.2 9.9.9.2',
    'audited no-name 9.9.9.2 9.9.9.2',
  ]);
});

test('on an HTTP port other protocols go where the guest dialled, however their bytes come', async () => {
  const { lab, http } = await openAuditLab();
  lab.dialledByGuests = addresses.other;
  await lab.serve(addresses.other, 80, echoServer());
  for (const text of ['SSH-2.0-guest\r\n', 'CONNECT a.test:443 HTTP/1.1\r\n\r\n', 'G3', 'PRI * HTTP/2.0\r\n\r\n']) {
    const guest = lab.connect(http);
    guest.write(text.slice(0, 1));
    await setTimeout(5);
    guest.end(text.slice(1));
    expect((await untilClosed(guest)).bytes.toString()).toBe(text);
  }
  expect(new Set(lab.outcomes())).toEqual(new Set(['audited protocol 9.9.9.2 9.9.9.2']));
});

test('an HTTP request in single bytes is read as one, and keeps its body', async () => {
  const { lab, http } = await openAuditLab();
  lab.dialledByGuests = addresses.other;
  const seen = await serveHttp(lab, 'good');
  const guest = lab.connect(http);
  guest.setNoDelay(true);
  for (const byte of 'POST / HTTP/1.1\r\nHost: good.test\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody') {
    guest.write(byte);
    await setTimeout(1);
  }
  expect((await untilClosed(guest)).bytes.toString()).toContain('good /');
  expect(seen).toMatchObject([{ line: 'POST /', body: 'body' }]);
});

test('who says nothing is let through to where it dialled after a while: the server may speak first', async () => {
  const lab = await Lab.open([], { nameDeadlineMs: 100 });
  labs.push(lab);
  lab.setPolicy('audit', []);
  lab.dialledByGuests = addresses.other;
  const greeting = createServer((socket) => socket.end('220 hello\r\n'));
  await lab.serve(addresses.other, 80, greeting);
  await lab.serve(
    addresses.other,
    443,
    createServer((socket) => socket.end('220 hello\r\n')),
  );
  for (const layer of ['http', 'tls'] as const) {
    expect((await untilClosed(lab.connect(await lab.listen(layer)))).bytes.toString()).toBe('220 hello\r\n');
  }
  expect(new Set(lab.outcomes())).toEqual(new Set(['audited no-name 9.9.9.2 9.9.9.2']));
});

test('a name that does not resolve goes where the guest dialled, unless a rule names it', async () => {
  const { lab, tls, http } = await openAuditLab(['listed.test']);
  lab.dialledByGuests = addresses.other;
  await lab.serve(addresses.other, 443, echoServer());
  await serveHttp(lab, 'other');
  const guest = lab.connect(tls);
  guest.end(helloFor('local.test'));
  expect((await untilClosed(guest)).bytes.equals(helloFor('local.test'))).toBe(true);
  expect(await say(lab, http, get('local.test', '/', 'Connection: close'))).toContain('other /');
  expect((await refusedHello(lab, tls, 'listed.test')).reset).toBe(true);
  expect(lab.outcomes()).toEqual([
    'audited sni local.test 9.9.9.2',
    'audited host-header local.test 9.9.9.2',
    'failed resolve listed.test',
  ]);
});

test('where a guest dialled may be closed to it; and nothing without a name passes where that is not known, or another mode came', async () => {
  const { lab, http, tls } = await openAuditLab();
  const nameless = helloRecords(helloBody({}));
  const attempts = async () => {
    const guest = lab.connect(tls);
    guest.write(nameless);
    expect((await untilClosed(guest)).reset).toBe(true);
    return say(lab, http, 'GET / HTTP/1.0\r\n\r\n');
  };
  for (const address of ['10.0.0.1', '169.254.169.254', '127.0.0.1', '10.84.0.5']) {
    lab.dialledByGuests = address;
    expect(await attempts()).toContain('private-range');
  }
  lab.dialledByGuests = undefined;
  expect(await attempts()).toContain('no-name');
  lab.setPolicy('enforce', []);
  lab.dialledByGuests = addresses.other;
  expect(await attempts()).toContain('no-name');
  expect(lab.dialled).toEqual([]);
});

test('what goes by address is cut when the policy no longer audits, and its rule by address keeps it', async () => {
  const { lab, tls } = await openAuditLab();
  lab.dialledByGuests = addresses.other;
  await lab.serve(addresses.other, 443, echoServer());
  const guest = lab.connect(tls);
  guest.write('SSH-2.0-guest\r\n');
  await once(guest, 'data');
  lab.setPolicy('enforce', [`${addresses.other}:443`]);
  expect(lab.proxy.enforceAgain()).toBe(0);
  const ending = untilClosed(guest);
  lab.setPolicy('enforce', []);
  expect(lab.proxy.enforceAgain()).toBe(1);
  expect((await ending).reset).toBe(true);
  expect(lab.outcomes().at(-1)).toBe('cut protocol 9.9.9.2 9.9.9.2');
});

test('mode none denies all, open lets every public name through', async () => {
  const { lab, http } = await openAuditLab();
  await serveHttp(lab, 'good');
  lab.setPolicy('none', []);
  expect(await say(lab, http, get('good.test'))).toContain('host-header');
  lab.setPolicy('open', []);
  expect(await say(lab, http, get('good.test', '/', 'Connection: close'))).toContain('good /');
  expect(lab.outcomes().at(-1)).toBe('allowed good.test 9.9.9.1');
});
