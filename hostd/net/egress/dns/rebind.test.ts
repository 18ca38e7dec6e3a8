import { expect, test } from 'vitest';
import { policyOf, resolverLab, sandboxId } from './testing/resolver-lab.ts';
import { a, cname, type Zone } from './testing/zone-server.ts';

const zone: Zone = {
  'rebind.example': { answers: [a('10.0.0.5')] },
  'mixed.example': { answers: [a('127.0.0.1'), a('203.0.113.7'), a('169.254.169.254')] },
  'metadata.example': { answers: [cname('inner.example'), a('169.254.169.254', { name: 'inner.example' })] },
};

test.for([
  ['10.0.0.5'],
  ['172.16.3.4'],
  ['192.168.1.1'],
  ['100.64.0.1'],
  ['127.0.0.1'],
  ['127.8.9.1'],
  ['0.0.0.0'],
  ['169.254.169.254'],
  ['169.254.1.1'],
  ['224.0.0.1'],
  ['240.0.0.1'],
  ['255.255.255.255'],
] as const)('a named host that leads to %s does not exist', async ([address]) => {
  const lab = resolverLab({
    zone: { 'rebind.example': { answers: [a(address)] } },
    policy: policyOf('enforce', 'rebind.example', 'rebind.example:22'),
  });
  expect(await lab.ask('rebind.example')).toMatchObject({ rcode: 3, addresses: [] });
  expect(lab.observed).toEqual([
    { sandboxId, outcome: 'denied', reason: 'rebind', name: 'rebind.example', address, transport: 'udp' },
  ]);
  expect(lab.sink.log).toEqual([]);
  expect(await lab.resolver.resolveForProxy(sandboxId, 'rebind.example')).toEqual([]);
  expect(await lab.resolver.resolveName(sandboxId, 'rebind.example')).toEqual({ kind: 'rebind', addresses: [address] });
});

test('of several addresses the public ones are left, and only they are pinned', async () => {
  const lab = resolverLab({ zone, policy: policyOf('enforce', 'mixed.example:22') });
  expect(await lab.ask('mixed.example')).toMatchObject({ rcode: 0, addresses: ['203.0.113.7'] });
  expect(lab.sink.log).toEqual([`+ ${sandboxId} tcp 203.0.113.7 22`]);
  expect(lab.observed).toMatchObject([
    { outcome: 'denied', reason: 'rebind', address: '127.0.0.1' },
    { outcome: 'allowed' },
  ]);
});

test('an alias is no way round it', async () => {
  const lab = resolverLab({ zone, policy: policyOf('enforce', '*.example') });
  expect(await lab.ask('metadata.example')).toMatchObject({ rcode: 3 });
});

test('the word `private` opens private ranges for its name and port, nothing else', async () => {
  const policy = policyOf('enforce', 'rebind.example:22 private', 'rebind.example:8080', 'metadata.example private');
  const lab = resolverLab({ zone, policy });
  expect(await lab.ask('rebind.example')).toMatchObject({ rcode: 0, addresses: ['10.0.0.5'] });
  expect(lab.sink.log).toEqual([`+ ${sandboxId} tcp 10.0.0.5 22`]);
  expect(await lab.ask('metadata.example')).toMatchObject({ rcode: 3 });
});

test('one private port does not open all ports that a rule for all names', async () => {
  const policy = policyOf('enforce', 'rebind.example:22 private', 'rebind.example:*');
  const lab = resolverLab({ zone, policy });
  await lab.ask('rebind.example');
  expect(lab.sink.log).toEqual([`+ ${sandboxId} tcp 10.0.0.5 22`]);
});

test('a range that a rule names in full may be led to', async () => {
  const policy = policyOf('enforce', 'rebind.example');
  const lab = resolverLab({
    zone,
    policy: {
      ...policy,
      rules: [
        ...policy.rules,
        {
          kind: 'address',
          family: 4,
          network: '10.0.0.0',
          prefixLength: 24,
          port: 443,
          transport: 'tcp',
          text: '10.0.0.0/24',
        },
      ],
    },
  });
  expect(await lab.ask('rebind.example')).toMatchObject({ rcode: 0, addresses: ['10.0.0.5'] });
});

test('closed addresses stay closed for an audited sandbox', async () => {
  const lab = resolverLab({ zone, policy: policyOf('audit') });
  expect(await lab.ask('rebind.example')).toMatchObject({ rcode: 3, addresses: [] });
  expect(lab.observed).toMatchObject([{ outcome: 'denied', reason: 'rebind' }]);
  expect(await lab.resolver.resolveForProxy(sandboxId, 'mixed.example')).toEqual(['203.0.113.7']);
});

test('the proxy is told only what the policy names', async () => {
  const lab = resolverLab({ zone, policy: policyOf('enforce', 'mixed.example') });
  expect(await lab.resolver.resolveForProxy(sandboxId, 'Mixed.Example.')).toEqual(['203.0.113.7']);
  expect(await lab.resolver.resolveName(sandboxId, 'other.example')).toEqual({ kind: 'denied' });
  expect(await lab.resolver.resolveName(sandboxId, 'no name')).toEqual({ kind: 'denied' });
  expect(await lab.resolver.resolveName('sbx_gone', 'mixed.example')).toEqual({ kind: 'failed' });
  await lab.ask('mixed.example');
  expect(lab.asked).toEqual(['mixed.example']);
});
