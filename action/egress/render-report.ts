import { openingRules, type OpeningRule } from '../../hostd/client/egress/opening-rules.ts';
import type { EgressDenial, EgressEntry, EgressReport } from '../../hostd/contract/egress.ts';
import { plainName } from './plain-name.ts';
import type { TakenReport } from './take-report.ts';

/** With the bounds below the section stays under the 64 KiB that are kept for the action's own part of a summary. */
const mostRows = 50;
const mostClosedRows = 20;
const mostRuleBytes = 16_384;
const plainRule = /^[A-Za-z0-9._:*/[\]-]+( private)?$/;

/** The summary's section about egress, as Markdown in which nothing that a guest chose is more than a word. */
export function renderEgress(taken: TakenReport): string {
  if ('missing' in taken) return `Egress: there is no report. ${plainSentence(taken.missing)}\n`;
  const { report } = taken;
  const parts = [heading(report), ...denials(report), ...passed(report), ...suggestion(report), ...closed(report)];
  if (report.omitted > 0) parts.push(`The host has left out ${places(report.omitted)}: there were too many.`);
  return `${parts.join('\n\n')}\n`;
}

/** In audit most of it was let through, so it is not said to have been denied. */
function heading({ policy, deniedCount }: EgressReport): string {
  const what = policy.mode === 'audit' ? 'that enforce would deny' : 'denied';
  return `#### Egress: ${policy.mode}, ${String(deniedCount)} ${what}`;
}

/** What audit let through was reached, so its bytes stand here. */
function denials({ denied }: EgressReport): string[] {
  if (denied.length === 0) return [];
  const sorted = denied.toSorted((one, other) => other.count - one.count);
  const withBytes = denied.some(wasReached);
  const head = ['reason', 'name', 'address', 'port', 'times', 'in effect', ...(withBytes ? ['received', 'sent'] : [])];
  return table('denied', head, sorted, (entry) => [
    entry.reason,
    ...where(entry),
    String(entry.count),
    effect(entry),
    ...(withBytes ? [megabytes(entry.bytesIn), megabytes(entry.bytesOut)] : []),
  ]);
}

function passed({ allowed, denied }: EgressReport): string[] {
  if (allowed.length === 0) return denied.some(wasReached) ? [] : ['Nothing was reached.'];
  const sorted = allowed.toSorted((one, other) => bytesOf(other) - bytesOf(one));
  return table('reached', ['name', 'address', 'port', 'connections', 'received', 'sent'], sorted, (entry) => [
    ...where(entry),
    String(entry.count),
    megabytes(entry.bytesIn),
    megabytes(entry.bytesOut),
  ]);
}

/** What no list opens has no place in the one to paste: someone has to decide about each. */
function closed(report: EgressReport): string[] {
  const rules = openingRules(report).filter(({ rule }) => plainRule.test(rule));
  if (rules.length === 0) return [];
  return [
    'Closed in every mode, so not in a list to paste. A rule opens it where it is meant:',
    ...table('closed', ['reason', 'name', 'address', 'rule'], rules, closedCells, mostClosedRows),
  ];
}

function closedCells({ rule, denial }: OpeningRule): string[] {
  return [denial.reason, code(denial.name), code(denial.address), `\`${rule}\``];
}

/** Rules that would let through what was denied; where all that was wanted is allowed already nobody needs them. */
function suggestion({ policy, denied, suggestedAllow }: EgressReport): string[] {
  const settled = policy.mode === 'enforce' && denied.length === 0;
  const rules = suggestedAllow.filter((rule) => plainRule.test(rule));
  if (settled || rules.length === 0) return [];
  const shown: string[] = [];
  let bytes = 0;
  for (const rule of rules) {
    bytes += rule.length + 3;
    if (bytes > mostRuleBytes) break;
    shown.push(rule);
  }
  const rest = rules.length - shown.length;
  return [
    `The rules in force and those that would let through what was denied. Read them before you paste them: the build chose the names.`,
    ['```yaml', 'egress: |', ...shown.map((rule) => `  ${rule}`), '```'].join('\n'),
    ...(rest === 0 ? [] : [`${String(rest)} more rules are in the report.`]),
  ];
}

function table<Entry>(
  what: string,
  head: readonly string[],
  entries: readonly Entry[],
  cells: (entry: Entry) => string[],
  most = mostRows,
): string[] {
  const rows = entries.slice(0, most).map((entry) => row(cells(entry)));
  const rest = entries.length - rows.length;
  return [
    [row(head), row(head.map(() => '---')), ...rows].join('\n'),
    ...(rest === 0 ? [] : [`${places(rest)} more ${rest === 1 ? 'was' : 'were'} ${what}.`]),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function where({ name, address, port, transport }: EgressEntry): string[] {
  const asked = port === null && transport === 'udp';
  const words = [...(port === null ? [] : [String(port)]), ...(transport === 'tcp' || asked ? [] : [transport])];
  return [code(name), code(address), words.join(' ')];
}

function code(name: string | null): string {
  return name === null ? '' : `\`${plainName(name)}\``;
}

/** A name that was only asked of DNS was not. */
function wasReached({ blocked, port }: EgressDenial): boolean {
  return !blocked && port !== null;
}

function effect({ blocked }: EgressDenial): string {
  return blocked ? 'blocked' : 'let through';
}

function bytesOf({ bytesIn, bytesOut }: EgressEntry): number {
  return bytesIn + bytesOut;
}

function megabytes(bytes: number): string {
  if (bytes < 1000) return `${String(bytes)} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function places(count: number): string {
  return `${String(count)} ${count === 1 ? 'place' : 'places'}`;
}

/** A host's message in Markdown: without what could begin or end anything. */
function plainSentence(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9 .,:;/()-]/g, ' ').slice(0, 300);
}
