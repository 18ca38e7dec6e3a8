import { expect, test } from 'vitest';
import { Timings } from './timings.ts';

test('spans add up, in order, with a unit for programs', () => {
  const timings = new Timings({ queued: 2 });
  timings.add('first output', 10.04);
  timings.add('first output', 5);
  expect(timings.entries()).toEqual({ queued: 2, 'first output': 15 });
  expect(JSON.stringify(timings)).toBe('{"queuedMs":2,"firstOutputMs":15}');
});
