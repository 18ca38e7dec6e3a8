import { expect, test } from 'vitest';
import { roundShape } from './shape.ts';
import { FakeImages } from './testing/fake-images.ts';

const limits = { cpus: 4, memoryMiB: 8192, diskMiB: 50_000 };
const image = new FakeImages().add('default', { minMemoryMiB: 96, diskMiB: 1500 }).manifest;
const wanted = { cpus: 1, memoryMiB: 512, diskMiB: 8192 };

test.each([
  [{ memoryMiB: 96 }, { memoryMiB: 256 }],
  [{ memoryMiB: 256 }, { memoryMiB: 256 }],
  [{ memoryMiB: 257 }, { memoryMiB: 512 }],
  [{ diskMiB: 1 }, { diskMiB: 2048 }],
  [{ diskMiB: 8193 }, { diskMiB: 9216 }],
  [{ cpus: 3 }, { cpus: 3 }],
])('%o is served by %o', (asked, got) => {
  expect(roundShape({ ...wanted, ...asked }, image, limits)).toEqual({ ...wanted, ...got });
});

test('memory below what the image needs is an invalid request that names the least', () => {
  expect(() => roundShape({ ...wanted, memoryMiB: 95 }, image, limits)).toThrow(
    expect.objectContaining({
      code: 'invalid-request',
      details: expect.objectContaining({ minMemoryMiB: 96 }) as object,
    }),
  );
});

test.each([{ cpus: 5 }, { memoryMiB: 8193 }, { diskMiB: 50_001 }])('%o can never be', (asked) => {
  expect(() => roundShape({ ...wanted, ...asked }, image, limits)).toThrow(
    expect.objectContaining({ code: 'capacity-impossible', details: expect.objectContaining({ limits }) as object }),
  );
});
