import { expect, test } from 'vitest';
import { InFlight } from './in-flight.ts';

test('each client has its own limit and all share one', () => {
  const inFlight = new InFlight(2, 3);
  expect([inFlight.enter('a'), inFlight.enter('a'), inFlight.enter('a')]).toEqual([true, true, false]);
  expect([inFlight.enter('b'), inFlight.enter('b')]).toEqual([true, false]);
  inFlight.leave('a');
  expect(inFlight.enter('b')).toBe(true);
  inFlight.leave('a');
  inFlight.leave('a');
  expect([inFlight.enter('c'), inFlight.enter('c')]).toEqual([true, false]);
});
