import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue, type ErrorEntry } from './catalogue.ts';
import { errorsPage, renderErrorsPage } from './errors-doc.ts';

describe('docs/errors.md', () => {
  it('is what the catalogue makes it: sh hostd/setup/node.sh hostd/errors/errors-doc.ts', () => {
    expect(readFileSync(errorsPage, 'utf8')).toBe(renderErrorsPage());
  });

  it('has one row for every code', () => {
    const codes = [...renderErrorsPage().matchAll(/^\| `([a-z-]+)` \|/gm)].map((match) => match[1]);
    expect(codes.toSorted()).toEqual(Object.keys(catalogue).toSorted());
  });
});

describe('the catalogue', () => {
  const entries: [string, ErrorEntry][] = Object.entries(catalogue);
  it.each(entries)('%s says what it is and what to do', (code, entry) => {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(entry.title).toMatch(/^([A-Z]|hostd ).*\.$/);
    expect(entry.hint.length).toBeGreaterThan(10);
    expect(entry.status === 0 || (entry.status >= 400 && entry.status < 600)).toBe(true);
  });
});
