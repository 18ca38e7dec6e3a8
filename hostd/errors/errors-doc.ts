import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue, type ErrorEntry } from './catalogue.ts';

/** Where the page lies in the checkout. */
export const errorsPage = join(import.meta.dirname, '../../docs/errors.md');

/** docs/errors.md: the catalogue for people. */
export function renderErrorsPage(): string {
  const entries: [string, ErrorEntry][] = Object.entries(catalogue);
  const overHttp = entries.filter(([, { status }]) => status !== 0);
  const local = entries.filter(([, { status }]) => status === 0);
  return [
    '# Errors',
    '',
    'Every error of Offshoot has a code that stays, a message that names the thing at fault, and a hint that says what to do.',
    'This page is made from `hostd/errors/catalogue.ts` by `hostd/errors/errors-doc.ts`; a test fails when they differ.',
    '',
    'Over HTTP an error is `application/problem+json` (RFC 9457) with `code`, `detail`, `hint`, `retryable`, `details` and `requestId`.',
    'The same request may be sent again, later, when it is retryable. In the SDK it is an `OffshootError` with the same `code`, `hint` and `details`.',
    'The command line prints message, code and hint and ends with 125.',
    '',
    '## Over HTTP',
    '',
    ...table(
      ['Code', 'Status', 'Retryable', 'What it means', 'What to do'],
      overHttp.map(([code, entry]) => [
        `\`${code}\``,
        String(entry.status),
        entry.retryable ? 'yes' : 'no',
        entry.title,
        entry.hint,
      ]),
    ),
    '',
    '## Of the client, the command line and the start of hostd',
    '',
    ...table(
      ['Code', 'Retryable', 'What it means', 'What to do'],
      local.map(([code, entry]) => [`\`${code}\``, entry.retryable ? 'yes' : 'no', entry.title, entry.hint]),
    ),
    '',
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    '<!-- prettier-ignore-start -->',
    line(head),
    `|${head.map(() => ' --- |').join('')}`,
    ...rows.map(line),
    '<!-- prettier-ignore-end -->',
  ];
}

if (import.meta.main) writeFileSync(errorsPage, renderErrorsPage());
