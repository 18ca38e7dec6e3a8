import { expect, onTestFinished, test } from 'vitest';
import { parsePolicy } from '../policy/parse-rules.ts';
import { openProxyService } from './proxy-service.ts';
import { testFolder } from './testing/test-folder.ts';

function document(revision: number, phase: 'narrow' | 'final', own: readonly string[] = []) {
  const policy = parsePolicy('enforce', [`r${String(revision)}.example`]);
  const sandbox = { sandboxId: 'sbx_one', sourceAddress: '127.0.0.2', netnsPath: '/run/netns/none', policy, revision };
  return { sandboxes: [sandbox], others: 'keep', own, phase };
}

async function openProxy() {
  const service = await openProxyService(await testFolder());
  onTestFinished(() => service.close());
  return async (method: string, params: unknown) => service.operations[method]?.(params);
}

test('a document that narrows is had in its final phase by its mark, once', async () => {
  const ask = await openProxy();
  expect(await ask('setPolicies', document(1, 'final'))).toEqual({ revisions: { sbx_one: 1 }, cut: 0 });
  const narrowed = await ask('setPolicies', document(2, 'narrow'));
  expect(narrowed).toEqual({ revisions: { sbx_one: 1 }, cut: 0, narrowed: expect.any(String) as string });
  expect(await ask('widen', narrowedOf(narrowed))).toEqual({ revisions: { sbx_one: 2 }, cut: 0 });
  expect(await ask('widen', narrowedOf(narrowed))).toBeNull();
});

test('no other document comes by a mark: not after a newer one, nor a sandbox that was dropped', async () => {
  const ask = await openProxy();
  const first = await ask('setPolicies', document(1, 'narrow'));
  const second = await ask('setPolicies', document(1, 'narrow', ['192.0.2.1']));
  expect(await ask('widen', narrowedOf(first))).toBeNull();
  await ask('dropSandbox', { sandboxId: 'sbx_one' });
  expect(await ask('widen', narrowedOf(second))).toBeNull();
});

function narrowedOf(ack: unknown): { narrowed: unknown } {
  return { narrowed: typeof ack === 'object' && ack !== null && 'narrowed' in ack ? ack.narrowed : undefined };
}
