import type { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../testing/free-port.ts';
import { guestQuery, readReply } from '../dns/testing/guest-message.ts';
import { a, zoneServer } from '../dns/testing/zone-server.ts';
import { parsePolicy } from '../policy/parse-rules.ts';
import type { PinWriter } from './pin-writer.ts';
import { openResolverService } from './resolver-service.ts';
import { logPinWriter } from './testing/log-pin-writer.ts';
import { testFolder } from './testing/test-folder.ts';

/** A service with the policy of one sandbox, which may use port 22 of a.test. */
async function openService(writer: Partial<PinWriter>) {
  const service = await openResolverService(await testFolder(), () => ({ ...logPinWriter('/dev/null'), ...writer }));
  onTestFinished(() => service.close());
  const ask = async (method: string, params: unknown) => service.operations[method]?.(params);
  const policy = parsePolicy('enforce', ['a.test:22']);
  const sandbox = {
    sandboxId: 'sbx_one',
    sourceAddress: '127.0.0.2',
    netnsPath: '/run/netns/none',
    policy,
    revision: 1,
  };
  await ask('setPolicies', { sandboxes: [sandbox], others: 'drop', own: [], phase: 'final' });
  return { service, ask };
}

test('a sandbox is dropped when nothing is being written into its namespace any more: the name may soon be another one’s', async () => {
  const written = Promise.withResolvers<undefined>();
  const { service, ask } = await openService({ idle: () => written.promise });
  let isDropped = false;
  const dropping = ask('dropSandbox', { sandboxId: 'sbx_one' }).then(() => (isDropped = true));
  await new Promise(setImmediate);
  expect([service.health().sandboxes, isDropped]).toEqual([0, false]);
  written.resolve(undefined);
  await dropping;
});

test('of a sandbox that went while its pin was written nothing is kept', async () => {
  const written = Promise.withResolvers<undefined>();
  const writing = Promise.withResolvers<undefined>();
  const add = () => {
    writing.resolve(undefined);
    return written.promise;
  };
  const { service, ask } = await openService({ add });
  const fetchAll = async () => {
    const page = (await ask('report', {})) as { cursor: unknown };
    await ask('report', { since: page.cursor });
  };
  const { port: upstream } = await zoneServer({ 'a.test': { answers: [a('192.0.2.1')] } });
  const [address, port] = ['127.0.0.1', await freePort()];
  await ask('listen', { address, port, resolvConf: '/nonexistent', upstreams: [{ address, port: upstream }] });
  const guest = createSocket('udp4').bind(0, '127.0.0.2');
  onTestFinished(() => {
    guest.close();
  });
  await once(guest, 'listening');
  guest.send(guestQuery({ name: 'a.test' }), port, address);
  await writing.promise;
  await ask('dropSandbox', { sandboxId: 'sbx_one' });
  await fetchAll();
  written.resolve(undefined);
  const [reply] = (await once(guest, 'message')) as [Buffer];
  expect(readReply(reply).addresses).toEqual(['192.0.2.1']);
  await fetchAll();
  expect(service.health().reportRows).toBe(0);
});
