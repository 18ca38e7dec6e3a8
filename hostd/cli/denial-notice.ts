import type { Sandbox } from '../client/sandbox.ts';
import type { EgressReport } from '../contract/egress.ts';
import type { EgressOptions } from './egress-options.ts';
import { missingRules, placeOf, portOf } from './egress-view.ts';
import { printable } from './print.ts';

/** A command's end does not wait longer for the report. */
const reportDeadlineMs = 2000;
const shownPlaces = 3;
const shownRules = 5;

/** Says on stderr what was denied, if anything; without a report it says nothing. Never rejects. */
export async function printDenialNotice(sandbox: Sandbox, options: EgressOptions): Promise<void> {
  try {
    const report = await sandbox.egressReport({ signal: AbortSignal.timeout(reportDeadlineMs) });
    process.stderr.write(denialNotice(sandbox.id, report, options));
  } catch {
    // the command has done its work, and a notice about it is not worth a failure
  }
}

/** Empty when nothing was denied. What audit let through is only told to those who asked for audit: it is the default. */
export function denialNotice(id: string, report: EgressReport, options: EgressOptions): string {
  const denied = report.denied.filter(({ blocked }) => blocked || options.egress === 'audit');
  if (denied.length === 0) return '';
  const times = denied.reduce((sum, { count }) => sum + count, 0);
  const places = denied.length === 1 ? '1 place' : `${String(denied.length)} places`;
  const lines = denied.slice(0, shownPlaces).map((entry) => {
    const audit = entry.blocked ? '' : ', let through';
    return `${placeOf(entry)}, port ${portOf(entry)}: ${entry.reason}, ${timesOf(entry.count)}${audit}`;
  });
  const show = `offshoot sandbox firewall show ${id}`;
  if (denied.length > shownPlaces) lines.push(`and ${String(denied.length - shownPlaces)} more: ${show}`);
  const remedy = remedyFor(report, options, show);
  return [
    `offshoot: egress ${report.policy.mode}: ${places} not allowed, ${timesOf(times)}\n`,
    ...[...lines, ...(remedy === '' ? [] : [`to allow it: ${remedy}`])].map((line) => `  ${line}\n`),
  ].join('');
}

/** Options for the next run. Those of this one stay; where it had no list, the rules that were in force come with them. */
function remedyFor(report: EgressReport, options: EgressOptions, show: string): string {
  const missing = missingRules(report);
  if (missing.length === 0) return '';
  const listed = options.allow !== undefined || options.allowFrom !== undefined;
  const rules = listed ? missing : report.suggestedAllow;
  if (rules.length > shownRules) return `--allow-from FILE with the list of ${show}`;
  const without = options.egress === 'none' ? ' instead of --egress none' : '';
  return rules.map((rule) => `--allow ${quoted(printable(rule))}`).join(' ') + without;
}

/** A guest chooses the names it asks for, so nothing of them may be more than a word to a shell. */
function quoted(rule: string): string {
  return /^[\w.:/-]+$/.test(rule) ? rule : `'${rule.replaceAll("'", `'\\''`)}'`;
}

function timesOf(count: number): string {
  if (count === 1) return 'once';
  return count === 2 ? 'twice' : `${String(count)} times`;
}
