import { expect, test } from 'vitest';
import { goneSandbox } from '../testing/fake-hostd.ts';
import { renderSummary } from './summary.ts';

const timings = { queued: 0, restored: 212.4, 'first output': 1800, done: 200_000 };

test('says where the time went and what was used', () => {
  const text = renderSummary({ sandbox: goneSandbox, outcome: 'succeeded', timings });
  expect(text).toContain('### Offshoot: image default\n\nsucceeded\n');
  expect(text).toContain('| queued | restored | first output | done |');
  expect(text).toContain('| 0 ms | 212 ms | 1.8 s | 3.3 min |');
  expect(text).toContain('CPU used: 2.5 s, memory at most: 100 MiB, lived: 10.0 s');
});

test('a kept sandbox is one command away', () => {
  const kept = { snapshot: 'kept-1', minutes: 30, command: 'offshoot sandbox shell --snapshot kept-1' };
  const text = renderSummary({
    sandbox: { ...goneSandbox, snapshot: 'base' },
    outcome: 'run failed with exit code 4.',
    timings,
    kept,
  });
  expect(text).toContain('snapshot base\n\nrun failed with exit code 4.\n');
  expect(text).toContain('kept for 30 minutes');
  expect(text).toContain('```sh\noffshoot sandbox shell --snapshot kept-1\n```');
});
