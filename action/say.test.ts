import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { say } from './say.ts';

let written: string;

beforeEach(() => {
  written = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  'without their credentials: "##[stop-commands]token/.netrc"',
  '::error::forged',
  '  ::stop-commands::x',
  'a file\n::set-output name=a::b',
  'a file\r::set-output name=a::b',
  'a file\r\n##[error]b',
])('%j gives the runner no command', (line) => {
  say(line);
  for (const printed of written.split(/[\r\n]+/)) {
    expect(printed.trimStart()).not.toMatch(/^::/);
    expect(printed).not.toContain('##[');
  }
});

test('ordinary lines stay what they are', () => {
  say('synced 2 entries, 0.0 MB');
  expect(written).toBe('synced 2 entries, 0.0 MB\n');
});
