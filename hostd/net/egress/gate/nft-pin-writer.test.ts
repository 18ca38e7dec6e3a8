import path from 'node:path';
import { expect, test } from 'vitest';
import { ScriptedRunner } from '../../testing/scripted-runner.ts';
import type { Pin } from '../dns/pin-document.ts';
import { NftPinWriter } from './nft-pin-writer.ts';

const pin = (port: Pin['port'], name = 'a.test'): Pin => ({ address: '192.0.2.1', port, transport: 'tcp', name });

test('replaces what is pinned in one transaction, an opening of two names with the longer life', async () => {
  const runner = new ScriptedRunner(() => ({}));
  const netns = import.meta.filename;
  const writer = new NftPinWriter(runner, () => netns);
  await writer.replaceAll('sbx_one', [
    { pin: pin(22), lifetimeMs: 1000 },
    { pin: pin(22, 'b.test'), lifetimeMs: 9000.4 },
    { pin: pin('any'), lifetimeMs: 5000 },
  ]);
  expect(runner.seen.map(({ line }) => line)).toEqual([`nsenter --net=${netns} -- nft -f -`]);
  const lines = runner.seen[0]?.input.split('\n') ?? [];
  expect(lines.filter((line) => line.startsWith('add element'))).toEqual([
    'add element inet offshoot pinned_tcp { 192.0.2.1 . 22 timeout 9000ms }',
    'add element inet offshoot pinned_hosts_tcp { 192.0.2.1 timeout 5000ms }',
  ]);
  const flushed = lines.filter((line) => line.startsWith('flush set'));
  expect(flushed).toHaveLength(4);
  expect(lines.indexOf(flushed[3] ?? '')).toBeLessThan(lines.findIndex((line) => line.startsWith('add element')));
});

test('a namespace that is gone holds no pins; a filter that refuses is an error', async () => {
  const runner = new ScriptedRunner(() => ({ code: 1, stderr: 'no' }));
  const gone = new NftPinWriter(runner, () => path.join(import.meta.dirname, 'nothing-here'));
  await gone.replaceAll('sbx_one', [{ pin: pin(22), lifetimeMs: 1000 }]);
  await new NftPinWriter(runner, () => undefined).replaceAll('sbx_one', []);
  expect(runner.seen).toEqual([]);
  const refused = new NftPinWriter(runner, () => import.meta.filename);
  await expect(refused.replaceAll('sbx_one', [])).rejects.toThrow('exit code 1');
});
