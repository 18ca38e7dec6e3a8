import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { ProxyListener } from './options.ts';
import { makeCertificate, type Certificate } from './testing/certificate.ts';
import { helloBody, helloFor, helloRecords } from './testing/hello-bytes.ts';
import { addresses, echoServer, Lab, untilClosed } from './testing/lab.ts';

let certificate: Certificate;
const labs: Lab[] = [];

beforeAll(() => {
  certificate = makeCertificate(['good.test', '*.wild.test']);
});

afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

async function openLab(...args: Parameters<typeof Lab.open>): Promise<{ lab: Lab; listener: ProxyListener }> {
  const lab = await Lab.open(...args);
  labs.push(lab);
  lab.zone.set('good.test', [addresses.good]);
  lab.zone.set('evil.test', [addresses.evil]);
  return { lab, listener: await lab.listen('tls') };
}

/** Answers `hello from WHO` on TLS. */
function tlsServer(who: string) {
  return createTlsServer(certificate, (socket) => {
    socket.on('error', () => undefined);
    socket.end(`hello from ${who}`);
  });
}

async function speakTls(lab: Lab, listener: ProxyListener, servername: string): Promise<string> {
  const socket = lab.connect(listener);
  const client: TLSSocket = connectTls({ socket, servername, ca: certificate.cert });
  return await new Promise((resolve) => {
    let text = '';
    client.on('data', (chunk: Buffer) => (text += chunk.toString()));
    client.on('error', (error: Error & { reason?: string }) => {
      resolve(`error: ${error.message}`);
    });
    client.on('end', () => {
      resolve(text);
    });
  });
}

async function alertFor(lab: Lab, listener: ProxyListener, bytes: Buffer): Promise<{ alert: string; reset: boolean }> {
  const guest = lab.connect(listener);
  guest.write(bytes);
  const ending = await untilClosed(guest);
  return { alert: ending.bytes.toString('hex'), reset: ending.reset };
}

const accessDenied = '15030300020231';
const unrecognizedName = '15030300020270';
const decodeError = '15030300020232';
const internalError = '15030300020250';

test('a named host is reached, and its own certificate is what the guest sees', async () => {
  const { lab, listener } = await openLab(['good.test']);
  await lab.serve(addresses.good, 443, tlsServer('good'));
  expect(await speakTls(lab, listener, 'good.test')).toBe('hello from good');
  expect(lab.dialled).toEqual(['9.9.9.1:443']);
  expect(lab.entries).toEqual([
    {
      sandboxId: 'sbx_one',
      outcome: 'allowed',
      name: 'good.test',
      address: '9.9.9.1',
      port: 443,
      layer: 'tls',
      transport: 'tcp',
    },
  ]);
});

test('a wildcard takes any depth, in any case, and never the apex', async () => {
  const { lab, listener } = await openLab(['*.wild.test']);
  lab.zone.set('a.wild.test', [addresses.good]);
  lab.zone.set('wild.test', [addresses.good]);
  await lab.serve(addresses.good, 443, tlsServer('wild'));
  expect(await speakTls(lab, listener, 'A.Wild.Test')).toBe('hello from wild');
  expect(await alertFor(lab, listener, helloFor('wild.test'))).toEqual({ alert: accessDenied, reset: true });
  expect(await alertFor(lab, listener, helloFor('evilwild.test'))).toEqual({ alert: accessDenied, reset: true });
  expect(await alertFor(lab, listener, helloFor('a.wild.test.evil.test'))).toEqual({
    alert: accessDenied,
    reset: true,
  });
});

test('another name is denied: an alert, then a reset, and nothing is resolved or dialled', async () => {
  const { lab, listener } = await openLab(['good.test']);
  await lab.serve(addresses.evil, 443, tlsServer('evil'));
  let resolved = 0;
  lab.beforeResolve = () => {
    resolved += 1;
    return Promise.resolve();
  };
  expect(await alertFor(lab, listener, helloFor('evil.test'))).toEqual({ alert: accessDenied, reset: true });
  expect(await speakTls(lab, listener, 'evil.test')).toMatch(/alert access denied/);
  expect([lab.outcomes()[0], resolved, lab.dialled]).toEqual(['denied sni evil.test', 0, []]);
});

test('an empty list denies all', async () => {
  const { lab, listener } = await openLab([]);
  expect(await alertFor(lab, listener, helloFor('good.test'))).toEqual({ alert: accessDenied, reset: true });
});

test('a name that is allowed on another port only is denied for its port', async () => {
  const { lab, listener } = await openLab(['good.test:8443']);
  await alertFor(lab, listener, helloFor('good.test'));
  expect(lab.outcomes()).toEqual(['denied port good.test']);
});

test('each port has a listener of its own, and that port is what is dialled', async () => {
  const { lab } = await openLab(['tls:good.test:8443']);
  await lab.serve(addresses.good, 8443, tlsServer('good on 8443'));
  const listener = await lab.listen('tls', 8443);
  expect(await speakTls(lab, listener, 'good.test')).toBe('hello from good on 8443');
});

test('no name, an odd name, several names: denied', async () => {
  const { lab, listener } = await openLab(['good.test', '*.good.test']);
  const hello = (...names: string[]) => helloRecords(helloBody({ names: names.map((text) => ({ text })) }));
  expect(await alertFor(lab, listener, helloRecords(helloBody({})))).toEqual({ alert: unrecognizedName, reset: true });
  for (const bytes of [hello('good.test', 'evil.test'), hello('9.9.9.1'), hello('good.test\0')]) {
    expect(await alertFor(lab, listener, bytes)).toEqual({ alert: unrecognizedName, reset: true });
  }
  expect(lab.outcomes()).toEqual([
    'denied no-name',
    'denied sni good.test,evil.test',
    'denied sni 9.9.9.1',
    'denied sni good.test?',
  ]);
  expect(lab.dialled).toEqual([]);
});

test('what is no TLS is denied as protocol and reset without a word; a broken ClientHello gets an alert', async () => {
  const { lab, listener } = await openLab(['good.test']);
  for (const text of ['GET / HTTP/1.1\r\nHost: good.test\r\n\r\n', 'SSH-2.0-x\r\n', '\0']) {
    expect(await alertFor(lab, listener, Buffer.from(text))).toEqual({ alert: '', reset: true });
  }
  expect(await alertFor(lab, listener, Buffer.from([22, 3, 1, 0, 0]))).toEqual({ alert: decodeError, reset: true });
  expect(lab.outcomes()).toEqual(Array.from({ length: 4 }, () => 'denied protocol'));
});

test('a ClientHello in segments of one byte is decided on the real name, and arrives whole', async () => {
  const { lab, listener } = await openLab(['good.test']);
  await lab.serve(addresses.good, 443, echoServer());
  for (const name of ['good.test', 'evil.test']) {
    const guest = lab.connect(listener);
    guest.setNoDelay(true);
    const ending = untilClosed(guest);
    const bytes = helloRecords(helloBody({ names: [{ text: name }] }), 50);
    for (const byte of bytes) {
      guest.write(Buffer.from([byte]));
      await sleep(0);
    }
    guest.end();
    expect((await ending).bytes.toString('hex')).toBe(name === 'good.test' ? bytes.toString('hex') : accessDenied);
  }
});

test('a guest that never comes to a name is denied at the deadline, one that sends without end at the bound', async () => {
  const { lab, listener } = await openLab(['good.test'], { nameDeadlineMs: 150, bytesUntilName: 4096 });
  const silent = lab.connect(listener);
  expect((await untilClosed(silent)).reset).toBe(true);
  const slow = lab.connect(listener);
  slow.write(helloFor('good.test').subarray(0, 40));
  expect((await untilClosed(slow)).bytes.toString('hex')).toBe(unrecognizedName);
  await alertFor(lab, listener, helloRecords(Buffer.alloc(6000)));
  expect(lab.outcomes()).toEqual(['denied no-name', 'denied no-name', 'denied no-name']);
});

test('a name that resolves to private, loopback or metadata addresses is denied as rebind', async () => {
  const { lab, listener } = await openLab(['good.test', 'office.test:443 private']);
  await lab.serve('10.1.2.3', 443, tlsServer('office'));
  for (const address of [
    '10.1.2.3',
    '127.0.0.1',
    '169.254.169.254',
    '::1',
    '::ffff:169.254.169.254',
    'fe80::1',
    '10.84.0.9',
  ]) {
    lab.zone.set('good.test', [address]);
    expect(await alertFor(lab, listener, helloFor('good.test'))).toEqual({ alert: accessDenied, reset: true });
    expect(lab.outcomes().at(-1)).toBe(`denied rebind good.test ${address}`);
  }
  expect(lab.dialled).toEqual([]);
  lab.zone.set('office.test', ['10.1.2.3']);
  await alertFor(lab, listener, helloFor('office.test'));
  expect(lab.outcomes().at(-1)).toBe('allowed office.test 10.1.2.3');
});

test('among several addresses only those that may be used are dialled, and the next when one fails', async () => {
  const { lab, listener } = await openLab(['good.test']);
  await lab.serve(addresses.other, 443, tlsServer('other'));
  lab.zone.set('good.test', ['10.0.0.1', addresses.dead, '2606:4700::1', addresses.other]);
  expect(await speakTls(lab, listener, 'good.test')).toBe('hello from other');
  expect(lab.dialled).toEqual(['9.9.9.9:443', '2606:4700::1:443', '9.9.9.2:443']);
});

test('a name that does not resolve, or does not answer, is a failure and no denial', async () => {
  const { lab, listener } = await openLab(['good.test', 'unknown.test']);
  expect(await alertFor(lab, listener, helloFor('unknown.test'))).toEqual({ alert: internalError, reset: true });
  expect(await alertFor(lab, listener, helloFor('good.test'))).toEqual({ alert: internalError, reset: true });
  expect(lab.outcomes()).toEqual(['failed resolve unknown.test', 'failed dial good.test']);
});

test('an unknown source is reset before it says a word', async () => {
  const { lab, listener } = await openLab(['good.test']);
  const stranger = lab.connect(listener, '127.0.0.2');
  const ending = await untilClosed(stranger);
  expect([ending.reset, ending.bytes.length, lab.entries]).toEqual([true, 0, []]);
});

test('one connection too many is reset, others live on', async () => {
  const { lab, listener } = await openLab(['good.test'], { connectionsPerSandbox: 2 });
  await lab.serve(addresses.good, 443, echoServer());
  const held = [lab.connect(listener), lab.connect(listener)];
  const oneMore = lab.connect(listener);
  expect((await untilClosed(oneMore)).reset).toBe(true);
  expect(lab.outcomes()).toEqual(['failed limit']);
  for (const guest of held) {
    guest.write(helloFor('good.test'));
    const [echoed] = (await once(guest, 'data')) as [Buffer];
    expect(echoed.equals(helloFor('good.test'))).toBe(true);
    guest.destroy();
  }
  await expect.poll(() => lab.proxy.usage()[0]?.connections).toBe(2);
  const again = lab.connect(listener);
  again.write(helloFor('good.test'));
  await once(again, 'data');
});
