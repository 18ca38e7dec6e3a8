import { expect, test } from 'vitest';
import { progressPrinter } from './image.ts';

test('steps of a build are numbered to the last one, and its end is no further one', () => {
  const lines: string[] = [];
  const write = (text: string): boolean => lines.push(text) > 0;
  const print = progressPrinter({ write, isTTY: false, columns: 80 });
  for (const [done, step] of ['packages', 'disk', 'done'].entries()) {
    print({ step, done, total: 2 });
    print({ step, done, total: 2, line: 'what a tool says' });
  }
  expect(lines).toEqual(['[1/2]   0s  packages\n', '[2/2]   0s  disk\n', '[2/2]   0s  done\n']);
});
