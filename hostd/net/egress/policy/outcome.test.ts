import { expect, it } from 'vitest';
import { outcomeOf } from './outcome.ts';

it.each([
  ['enforce', 'sni', false],
  ['audit', 'sni', true],
  ['audit', 'dns-name', true],
  ['audit', 'address', true],
  ['audit', 'port', true],
  ['audit', 'private-range', false],
  ['audit', 'rebind', false],
  ['open', 'private-range', false],
  ['none', 'dns-name', false],
] as const)('%s with %s passes: %s, and is recorded', (mode, reason, passes) => {
  expect(outcomeOf(mode, { allowed: false, reason })).toEqual({ passes, reason });
});

it('what is allowed passes in every mode and is no denial', () => {
  expect(outcomeOf('enforce', { allowed: true })).toEqual({ passes: true });
});
