import { expect, test } from 'vitest';
import { threeGenerations } from './support/generations.ts';
import { useHostd } from './support/suite.ts';

const suite = useHostd({ sandboxes: { maxSandboxes: 128 } });

test('1 GiB of patterned memory is right after three generations', async () => {
  await using source = await suite.create({ memoryMiB: 1536 });
  await threeGenerations(source, 1024);
});

test('100 copies of one sandbox are alive at once, and all answer', async () => {
  await using source = await suite.create();
  const copies = await source.fork({ count: 100 });
  try {
    const names = await Promise.all(copies.map(async (copy) => (await copy.exec('hostname', { check: true })).stdout));
    expect(new Set(names).size).toBe(100);
  } finally {
    await Promise.all(copies.map((copy) => copy.stop()));
  }
});
