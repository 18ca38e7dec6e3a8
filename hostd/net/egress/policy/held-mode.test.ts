import { expect, test } from 'vitest';
import { egressModes } from '../../../contract/egress.ts';
import { heldMode, isHeldByName } from './held-mode.ts';

test('open is held like audit as soon as there are rules, every other mode as it is', () => {
  const held = (hasRules: boolean) =>
    egressModes.map((mode) => [heldMode(mode, hasRules), isHeldByName(mode, hasRules)]);
  const others = { enforce: ['enforce', true], audit: ['audit', true], none: ['none', false] };
  expect(held(false)).toEqual([others.enforce, others.audit, ['open', false], others.none]);
  expect(held(true)).toEqual([others.enforce, others.audit, ['audit', true], others.none]);
});
