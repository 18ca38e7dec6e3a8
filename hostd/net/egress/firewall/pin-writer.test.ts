import { expect, test } from 'vitest';
import type { Runner, RunResult } from '../../../platform/run.ts';
import { ScriptedRunner } from '../../testing/scripted-runner.ts';
import type { Pin } from '../dns/pin-document.ts';
import { PinWriter } from './pin-writer.ts';

const pin = (last: number, port: number | 'any' = 22): Pin => ({
  address: `203.0.113.${String(last)}`,
  port,
  transport: 'tcp',
  name: 'named.example',
});

test('what is asked for at once is one run; an element is replaced in the run that renews it', async () => {
  const runner = new ScriptedRunner(() => ({}));
  const writer = new PinWriter(runner, (id) => `/run/netns/${id}`);
  await Promise.all([
    writer.add('a', pin(1), 1500),
    writer.add('a', pin(2, 'any'), 60_000),
    writer.remove('a', pin(3)),
  ]);
  expect(runner.seen.map(({ line }) => line)).toEqual(['nsenter --net=/run/netns/a -- nft -f -']);
  expect(runner.seen[0]?.input.split('\n')).toEqual([
    'add element inet offshoot pinned_tcp { 203.0.113.1 . 22 timeout 1m }',
    'delete element inet offshoot pinned_tcp { 203.0.113.1 . 22 }',
    'add element inet offshoot pinned_tcp { 203.0.113.1 . 22 timeout 1500ms }',
    'add element inet offshoot pinned_hosts_tcp { 203.0.113.2 timeout 1m }',
    'delete element inet offshoot pinned_hosts_tcp { 203.0.113.2 }',
    'add element inet offshoot pinned_hosts_tcp { 203.0.113.2 timeout 60000ms }',
    'add element inet offshoot pinned_tcp { 203.0.113.3 . 22 timeout 1m }',
    'delete element inet offshoot pinned_tcp { 203.0.113.3 . 22 }',
    '',
  ]);
});

test('one run at a time for a sandbox, in order; sandboxes don’t wait for each other', async () => {
  const open: (() => void)[] = [];
  const seen: string[] = [];
  const runner: Runner = {
    run: (_command, args, options) => {
      seen.push(`${String(args[0])} ${String(options?.input).includes('203.0.113.1 ') ? 'first' : 'second'}`);
      return new Promise<RunResult>((resolve) => {
        open.push(() => {
          resolve({ code: 0, signal: null, stdout: '', stderr: '' });
        });
      });
    },
  };
  const writer = new PinWriter(runner, (id) => id);
  const first = writer.add('a', pin(1), 1000);
  await Promise.resolve();
  await Promise.resolve();
  const second = writer.add('a', pin(2), 1000);
  const other = writer.add('b', pin(1), 1000);
  await Promise.resolve();
  await Promise.resolve();
  expect(seen).toEqual(['--net=a first', '--net=b first']);
  for (const finish of open.splice(0)) finish();
  await Promise.all([first, other]);
  await Promise.resolve();
  expect(seen).toEqual(['--net=a first', '--net=b first', '--net=a second']);
  for (const finish of open) finish();
  await second;
});

test('what waits is bounded', async () => {
  const runner = new ScriptedRunner(() => ({}));
  const writer = new PinWriter(runner, (id) => id);
  const results = await Promise.allSettled(Array.from({ length: 8200 }, () => writer.remove('a', pin(1))));
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(8);
  expect(runner.seen).toHaveLength(16);
});

test('a sandbox that is gone is idle when what was being written is done, and what waits has failed', async () => {
  const finish = Promise.withResolvers<RunResult>();
  const gone = new Set<string>();
  const runner: Runner = { run: () => finish.promise };
  const writer = new PinWriter(runner, (id) => (gone.has(id) ? undefined : id));
  const ends: string[] = [];
  const first = writer.add('a', pin(1), 1000).then(() => ends.push('written'));
  await Promise.resolve();
  await Promise.resolve();
  const second = writer.add('a', pin(2), 1000).catch(() => ends.push('failed'));
  gone.add('a');
  const idle = writer.idle('a').then(() => ends.push('idle'));
  finish.resolve({ code: 0, signal: null, stdout: '', stderr: '' });
  await Promise.all([first, second, idle]);
  expect(ends).toEqual(['written', 'failed', 'idle']);
  await writer.idle('b');
});
