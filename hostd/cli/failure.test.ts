import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OffshootError } from '../errors/offshoot-error.ts';
import { reportFailure } from './failure.ts';

let written: string;
beforeEach(() => {
  written = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const gone = (message: string | null): OffshootError =>
  new OffshootError('sandbox-gone', {
    message: 'The sandbox sbx_1 has ended: expired.',
    details: { sandboxId: 'sbx_1', end: { reason: 'expired', message } },
  });

test('of a sandbox that is gone people are told why, and scripts have the details', () => {
  expect(reportFailure(gone('Nobody renewed it.'), false)).toBe(125);
  expect(written).toBe(`offshoot: The sandbox sbx_1 has ended: expired. [sandbox-gone]
  - Nobody renewed it.
  hint: Create a new one.
`);
  written = '';
  reportFailure(gone(null), false);
  expect(written).toBe('offshoot: The sandbox sbx_1 has ended: expired. [sandbox-gone]\n  hint: Create a new one.\n');
  written = '';
  reportFailure(gone('Nobody renewed it.'), true);
  expect(JSON.parse(written)).toMatchObject({
    error: { hint: 'details.end tells why; create a new one.', details: { end: { message: 'Nobody renewed it.' } } },
  });
});
