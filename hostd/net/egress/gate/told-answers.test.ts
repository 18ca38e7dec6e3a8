import { expect, test } from 'vitest';
import { ToldAnswers } from './told-answers.ts';

test('each pair of a sandbox is new once, and so many at most', () => {
  const told = new ToldAnswers();
  expect(told.isNew('sbx_one', 'a.test', '192.0.2.1')).toBe(true);
  expect(told.isNew('sbx_one', 'a.test', '192.0.2.1')).toBe(false);
  expect(told.isNew('sbx_two', 'a.test', '192.0.2.1')).toBe(true);
  const others = Array.from({ length: 1000 }, (_, index) =>
    told.isNew('sbx_one', `n${String(index)}.test`, '192.0.2.1'),
  );
  expect(others.filter(Boolean).length).toBe(399);
  told.forget('sbx_one');
  expect(told.isNew('sbx_one', 'a.test', '192.0.2.1')).toBe(true);
});
