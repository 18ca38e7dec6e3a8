import type { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { helloFor } from './testing/hello-bytes.ts';
import { get, openHttpLab, serveHttp, untilText } from './testing/http-lab.ts';
import { addresses, echoServer, untilClosed, type Lab } from './testing/lab.ts';

const labs: Lab[] = [];

afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close();
});

async function openTlsLab(allow: string[]) {
  const { lab } = await openHttpLab(labs, allow);
  await lab.serve(addresses.good, 443, echoServer());
  await lab.serve(addresses.other, 443, echoServer());
  return { lab, listener: await lab.listen('tls') };
}

async function openFlow(lab: Lab, listener: Awaited<ReturnType<Lab['listen']>>, name: string) {
  const guest = lab.connect(listener);
  guest.write(helloFor(name));
  await once(guest, 'data');
  return guest;
}

test('what is no longer allowed is reset in the same tick, what still is lives on', async () => {
  const { lab, listener } = await openTlsLab(['good.test', 'other.test']);
  const good = await openFlow(lab, listener, 'good.test');
  const other = await openFlow(lab, listener, 'other.test');
  const ended = untilClosed(good);
  lab.setPolicy('enforce', ['other.test']);
  expect(lab.proxy.enforceAgain()).toBe(1);
  expect(lab.outcomes().at(-1)).toBe('cut sni good.test 9.9.9.1');
  expect((await ended).reset).toBe(true);
  other.write('still here');
  expect(((await once(other, 'data')) as [Buffer])[0].toString()).toBe('still here');
  expect(lab.proxy.enforceAgain()).toBe(0);
});

test('a running download stops: nothing more of it comes', async () => {
  const { lab, listener } = await openHttpLab(labs, ['good.test:80']);
  await serveHttp(lab, 'good', 80, (_, response) => {
    const writing = setInterval(() => response.write('x'.repeat(1000)), 1);
    response.on('close', () => {
      clearInterval(writing);
    });
  });
  const guest = lab.connect(listener);
  guest.write(get('good.test'));
  await untilText(guest, 'xxx');
  lab.setPolicy('enforce', []);
  expect(lab.proxy.enforceAgain()).toBe(1);
  expect((await untilClosed(guest)).reset).toBe(true);
  expect(lab.outcomes().at(-1)).toBe('cut host-header good.test 9.9.9.1');
});

test('an address that is no longer allowed for a name is cut too', async () => {
  const { lab, listener } = await openTlsLab(['good.test private']);
  await lab.serve('10.1.1.1', 443, echoServer());
  lab.zone.set('good.test', ['10.1.1.1']);
  const guest = await openFlow(lab, listener, 'good.test');
  lab.setPolicy('enforce', ['good.test']);
  expect(lab.proxy.enforceAgain()).toBe(1);
  expect(lab.outcomes().at(-1)).toBe('cut rebind good.test 10.1.1.1');
  expect((await untilClosed(guest)).reset).toBe(true);
});

test('a policy that changes while a name is resolved or dialled is the one that counts', async () => {
  for (const step of ['beforeResolve', 'beforeDial'] as const) {
    const { lab, listener } = await openTlsLab(['good.test']);
    lab[step] = () => {
      lab.setPolicy('enforce', ['other.test']);
      return Promise.resolve();
    };
    const guest = lab.connect(listener);
    guest.write(helloFor('good.test'));
    const { bytes, reset } = await untilClosed(guest);
    expect([bytes.length, reset, lab.outcomes()]).toEqual([7, true, [expect.stringMatching(/^denied sni good\.test/)]]);
  }
});

test('connections that have not said a name yet are judged by the new policy', async () => {
  const { lab, listener } = await openTlsLab(['good.test']);
  const early = lab.connect(listener);
  const hello = helloFor('good.test');
  early.write(hello.subarray(0, 60));
  await sleep(20);
  lab.setPolicy('enforce', []);
  expect(lab.proxy.enforceAgain()).toBe(0);
  early.write(hello.subarray(60));
  expect((await untilClosed(early)).reset).toBe(true);
  expect(lab.outcomes()).toEqual(['denied sni good.test']);
});

test('a sandbox that is gone, or whose address is another one’s now, has its connections cut', async () => {
  const { lab, listener } = await openTlsLab(['good.test']);
  const guest = await openFlow(lab, listener, 'good.test');
  lab.sandboxes.set('127.0.0.1', 'sbx_two');
  expect(lab.proxy.enforceAgain()).toBe(1);
  expect((await untilClosed(guest)).reset).toBe(true);
  const second = await openFlow(lab, listener, 'good.test');
  lab.proxy.forget('sbx_two');
  expect((await untilClosed(second)).reset).toBe(true);
  expect(lab.proxy.usage().map(({ sandboxId }) => sandboxId)).toEqual(['sbx_one']);
});

test('policies that change all the time never let a name through that none of them has', async () => {
  const { lab, listener } = await openTlsLab(['good.test']);
  lab.beforeResolve = () => sleep(2);
  lab.beforeDial = () => sleep(2);
  const policies = [['good.test'], ['other.test'], [], ['good.test', 'other.test']];
  let ended = 0;
  let passed = 0;
  // By endings, not by the clock: on a slow machine no connection would be made between two changes.
  const oneAfterAnother = async (_: unknown, first: number): Promise<void> => {
    for (let index = first; ended < 100 || passed === 0; index += 1) {
      const guest = lab.connect(listener);
      guest.end(helloFor(['good.test', 'other.test', 'evil.test'][index % 3] ?? ''));
      if ((await untilClosed(guest)).bytes.length > 7) passed += 1;
      ended += 1;
      lab.setPolicy('enforce', policies[Math.floor(ended / 3) % policies.length] ?? []);
      lab.proxy.enforceAgain();
    }
  };
  await Promise.all(Array.from({ length: 10 }, oneAfterAnother));
  expect(new Set(lab.dialled)).toEqual(new Set(['9.9.9.1:443', '9.9.9.2:443']));
  expect(lab.outcomes().some((outcome) => outcome.startsWith('allowed evil'))).toBe(false);
});
