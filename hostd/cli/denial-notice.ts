import { rulesThatOpen } from '../client/egress/opening-rules.ts';
import type { Sandbox } from '../client/sandbox.ts';
import type { EgressDenial, EgressReport } from '../contract/egress.ts';
import type { EgressOptions } from './egress-options.ts';
import { missingRules, placeOf, portOf } from './egress-view.ts';
import { printable } from './print.ts';

/** A command's end does not wait longer for the report. */
const reportDeadlineMs = 2000;
export const shownPlaces = 3;
export const shownRules = 5;

/** Undefined where the report can not be had at once: a command has done its work, and what is told of it is not worth a failure. Never rejects. */
export async function reportWithinDeadline(sandbox: Sandbox): Promise<EgressReport | undefined> {
  return sandbox.egressReport({ signal: AbortSignal.timeout(reportDeadlineMs) }).catch(() => undefined);
}

/**
 * Empty when nothing was denied. The places that audit let through are listed to those who asked for audit; as it is the default,
 * everybody else is told the list alone.
 */
export function denialNotice(id: string, report: EgressReport, options: EgressOptions): string {
  const passed = report.denied.filter(({ blocked }) => !blocked);
  const listed = options.egress === 'audit' ? report.denied : report.denied.filter(({ blocked }) => blocked);
  const show = `offshoot sandbox firewall show ${id}`;
  const lines = [
    ...listedLines(listed, report, show),
    ...remedyLines(passed, listed, remedyFor(report, options, show)),
  ];
  if (lines.length === 0) return '';
  return lines
    .map((line, index) => `${index === 0 ? `offshoot: egress ${report.policy.mode}: ` : '  '}${line}\n`)
    .join('');
}

function listedLines(listed: readonly EgressDenial[], { policy }: EgressReport, show: string): string[] {
  if (listed.length === 0) return [];
  const times = timesOf(listed.reduce((sum, { count }) => sum + count, 0));
  const places = listed.length === 1 ? '1 place' : `${String(listed.length)} places`;
  const left = listed.length - shownPlaces;
  return [
    `${places} ${policy.mode === 'audit' ? 'that no rule allows' : 'not allowed'}, ${times}`,
    ...listed.slice(0, shownPlaces).map((entry) => {
      const times = `${timesOf(entry.count)}${entry.blocked ? '' : ', let through'}`;
      return `${denialWords(entry)}, ${times}${meantPart(entry, policy.allow)}`;
    }),
    ...(left > 0 ? [`and ${String(left)} more: ${show}`] : []),
  ];
}

/** Where something went and why it was denied, `a.example.com, port 443: sni`. */
export function denialWords(entry: EgressDenial): string {
  const place = placeOf(entry);
  const where = [...(place === '-' ? [] : [place]), ...portWords(portOf(entry))].join(', ');
  return `${where}: ${entry.reason}`;
}

/** Of what is closed in every mode, which no list here opens. */
export function meantPart(entry: EgressDenial, allow: readonly string[]): string {
  const rules = rulesThatOpen(entry, allow);
  return rules.length === 0 ? '' : `; if it is meant, a rule opens it: ${printable(rules.join(' '))}`;
}

function portWords(port: string): string[] {
  if (port === '-') return [];
  return [/^\d/.test(port) ? `port ${port}` : port];
}

/** No rule is suggested for what is closed in every mode, so where audit let something through the suggestions are for that. */
function remedyLines(passed: readonly EgressDenial[], listed: readonly EgressDenial[], remedy: string): string[] {
  if (remedy === '') return [];
  if (passed.length === 0) return listed.length === 0 ? [] : [`to allow it: ${remedy}`];
  const hosts = new Set(passed.map(({ name, address }) => name ?? address)).size;
  const told = listed.some(({ blocked }) => !blocked);
  return [
    ...(told ? [] : [`let through to ${hosts === 1 ? '1 host' : `${String(hosts)} hosts`} that no rule names`]),
    `to allow only what was let through: ${remedy}`,
  ];
}

/** Options for the next run. Those of this one stay; where it had no list, the rules that were in force come with them. */
function remedyFor(report: EgressReport, options: EgressOptions, show: string): string {
  const missing = missingRules(report);
  if (missing.length === 0) return '';
  const listed = options.allow !== undefined || options.allowFrom !== undefined;
  const rules = listed ? missing : report.suggestedAllow;
  if (rules.length > shownRules) return `--allow-from FILE with the list of ${show}`;
  const { egress } = options;
  const without = egress === undefined || egress === 'enforce' ? '' : ` instead of --egress ${egress}`;
  return rules.map((rule) => `--allow ${quoted(printable(rule))}`).join(' ') + without;
}

/** A guest chooses the names it asks for, so nothing of them may be more than a word to a shell. */
export function quoted(rule: string): string {
  return /^[\w.:/-]+$/.test(rule) ? rule : `'${rule.replaceAll("'", `'\\''`)}'`;
}

function timesOf(count: number): string {
  if (count === 1) return 'once';
  return count === 2 ? 'twice' : `${String(count)} times`;
}
