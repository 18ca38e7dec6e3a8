import { mkdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openControlServer, operation } from './control-server.ts';
import { openGate, type Gate } from './gate.ts';
import { gateFolder, helperFiles } from './helper-files.ts';
import { maxControlLineBytes, policyDocumentSchema, protocolVersion, type HelperRole } from './messages.ts';
import { testFolder } from './testing/test-folder.ts';

/** What the gate said to a helper about policies, in order. */
type Said = string[];

/** A helper in this process that agrees to everything; `knows` says whether the proxy still has what it narrowed to. */
async function serveHelper(folder: string, role: HelperRole, said: Said, knows: () => boolean): Promise<void> {
  const { pid } = process;
  const counts = { epoch: 'one', sandboxes: 0, listeners: 0, reportRows: 0, rssMiB: 1 };
  const health = { role, protocolVersion, pid, startTicks: 1, ...counts };
  const ack = { revisions: {}, cut: 0 };
  const server = await openControlServer(
    helperFiles(folder, role).controlSocket,
    {
      health: operation(z.unknown(), () => health),
      listen: operation(z.unknown(), () => (role === 'proxy' ? { listeners: [] } : null)),
      setPolicies: operation(policyDocumentSchema, ({ phase, sandboxes }) => {
        said.push(`${role} ${phase} ${String(sandboxes[0]?.revision)}`);
        return role === 'proxy' && phase === 'narrow' ? { ...ack, narrowed: 'mark' } : ack;
      }),
      widen: operation(z.unknown(), (params) => {
        said.push(`${role} widen ${JSON.stringify(params)}`);
        return knows() ? ack : null;
      }),
    },
    maxControlLineBytes,
  );
  onTestFinished(() => server.close());
}

async function openGateOn(said: Said, knows: () => boolean): Promise<Gate> {
  const stateDirectory = await testFolder();
  await mkdir(gateFolder(stateDirectory));
  for (const role of ['resolver', 'proxy'] as const) await serveHelper(gateFolder(stateDirectory), role, said, knows);
  const gate = await openGate({
    stateDirectory,
    commands: { resolver: [], proxy: [] },
    sandboxes: [],
    own: [],
    dns: { address: '127.0.0.1', port: 53, resolvConf: '/nonexistent' },
    listeners: [],
    onEvent: () => undefined,
  });
  onTestFinished(() => gate.stop(true));
  said.length = 0;
  return gate;
}

const sandbox = {
  sandboxId: 'sbx_one',
  sourceAddress: '127.0.0.2',
  netnsPath: '/run/netns/none',
  policy: { mode: 'enforce', rules: [] },
  revision: 1,
} as const;

test('the proxy is given a document once, between its two steps the resolver', async () => {
  const said: Said = [];
  const gate = await openGateOn(said, () => true);
  await gate.setPolicy(sandbox);
  expect(said).toEqual(['proxy narrow 1', 'resolver final 1', 'proxy widen {"narrowed":"mark"}']);
});

test('a proxy that does not know any more what it narrowed to is given it again', async () => {
  const said: Said = [];
  const gate = await openGateOn(said, () => false);
  await gate.setPolicy(sandbox);
  expect(said.slice(2)).toEqual(['proxy widen {"narrowed":"mark"}', 'proxy final 1']);
});
