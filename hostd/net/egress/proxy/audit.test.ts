import { afterEach, expect, test } from 'vitest';
import { helloBody, helloFor, helloRecords } from './testing/hello-bytes.ts';
import { get, openHttpLab, say, serveHttp } from './testing/http-lab.ts';
import { addresses, echoServer, untilClosed, type Lab } from './testing/lab.ts';

const labs: Lab[] = [];

afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

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

test('private and metadata addresses stay closed, by name and as an address', async () => {
  const { lab, http } = await openAuditLab();
  for (const address of ['10.0.0.1', '169.254.169.254', '127.0.0.1', '10.84.0.5']) {
    lab.zone.set('good.test', [address]);
    expect(await say(lab, http, get('good.test'))).toContain('denied good.test: rebind');
    expect(await say(lab, http, get(address))).toMatch(/HTTP\/1\.1 403 [^]*: private-range\n/);
  }
  expect(lab.dialled).toEqual([]);
});

test('without a name it is denied in audit mode too: there is nowhere to go', async () => {
  const { lab, http, tls } = await openAuditLab();
  const guest = lab.connect(tls);
  guest.write(helloRecords(helloBody({})));
  expect((await untilClosed(guest)).reset).toBe(true);
  expect(await say(lab, http, 'GET / HTTP/1.1\r\n\r\n')).toContain('no-name');
  expect(lab.outcomes()).toEqual(['denied no-name', 'denied no-name']);
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
