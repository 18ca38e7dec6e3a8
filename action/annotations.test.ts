import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OffshootError } from '../hostd/errors/offshoot-error.ts';

let written: string;

beforeEach(() => {
  written = '';
  vi.resetModules();
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

test('ten of a kind are annotations, the rest are lines', async () => {
  const { tell } = await import('./annotations.ts');
  for (let n = 1; n <= 12; n += 1) tell('error', 'Title', `number ${String(n)}`);
  tell('warning', 'Title', 'of another kind');
  expect(written.match(/^::error /gm)).toHaveLength(10);
  expect(written).toContain('\nerror: Title: number 11\n');
  expect(written).toContain('::warning title=Title::of another kind');
});

test('a failure says what, why and what to do, and shows no stack', async () => {
  const { tellFailure } = await import('./annotations.ts');
  tellFailure(new OffshootError('image-not-found', { message: 'There is no image x.' }));
  expect(written).toContain(
    '::error title=Offshoot%3A image-not-found::There is no image x.%0AOn the host, offshoot image list',
  );
  tellFailure(new Error('odd'));
  expect(written).not.toContain('    at ');
});

test('messages longer than the runner shows are cut', async () => {
  const { tell } = await import('./annotations.ts');
  tell('error', 'T', 'x'.repeat(5000));
  expect(written.length).toBeLessThan(4200);
});
