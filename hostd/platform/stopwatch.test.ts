import { expect, test } from 'vitest';
import { Stopwatch } from './stopwatch.ts';

test('a stopwatch names only what it is told to', () => {
  const watch = new Stopwatch();
  watch.add('queued', 1.25);
  watch.lap();
  watch.lap('done');
  expect(Object.keys(watch.toJSON())).toEqual(['queued', 'done']);
});

test('it goes on with an earlier one, and times of a name add up', () => {
  const watch = new Stopwatch({ queued: 2 });
  watch.add('first output', 10.04);
  watch.add('first output', 5);
  expect(watch.toJSON()).toEqual({ queued: 2, 'first output': 15 });
});
