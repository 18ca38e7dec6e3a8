import { expect, test } from 'vitest';
import { figure, percentile } from './figures.ts';

test('percentiles are values that were measured', () => {
  const values = [5, 1, 4, 2, 3];
  expect(percentile(values, 0.5)).toBe(3);
  expect(percentile(values, 0.95)).toBe(5);
  expect(percentile([7], 0.5)).toBe(7);
});

test('the p95 of a throughput is its slow end', () => {
  const values = Array.from({ length: 20 }, (_, i) => i + 1);
  expect(figure('x', 'MB/s', '', values).p95).toBe(1);
  expect(figure('x', 'ms', '', values).p95).toBe(19);
});
