import { expect, test } from 'vitest';
import { Stopwatch } from '../../hostd/platform/stopwatch.ts';
import { renderTimings } from './timings.ts';

test('the output names parts with their unit, without blanks', () => {
  expect(renderTimings(new Stopwatch({ queued: 2, 'first output': 15.04 }))).toBe('{"queuedMs":2,"firstOutputMs":15}');
});
