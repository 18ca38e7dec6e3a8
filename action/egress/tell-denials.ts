import type { EgressDenial, EgressReport } from '../../hostd/contract/egress.ts';
import { tell } from '../annotations.ts';
import { say } from '../say.ts';
import { recordsDenials } from './policy.ts';
import { placeOf } from './plain-name.ts';
import type { TakenReport } from './take-report.ts';

export interface DenialOptions {
  /** Whether a denial fails the step. */
  fail: boolean;
  /** Denials that earlier steps in the sandbox have been told of; default none. */
  seen?: number;
}

const title = 'Offshoot: egress denied';
const named = 5;

/**
 * Tells what was denied since the last time. Gives what failed the step, for the summary; undefined when nothing did. Where denials fail
 * steps, a report that can not be had does too.
 */
export function tellDenials(taken: TakenReport, { fail, seen = 0 }: DenialOptions): string | undefined {
  if ('missing' in taken) return tellUnknown(taken.missing, fail);
  const { mode } = taken.report.policy;
  // it was changed while the sandbox ran
  if (fail && !recordsDenials(mode)) return tellUnknown(`egress mode ${mode} records no denials.`, fail);
  const { report } = taken;
  const count = report.deniedCount - seen;
  if (count <= 0) return undefined;
  const message = `${describe(report, count)}: ${placesOf(report)}. The summary has all of it and a list to paste.`;
  if (fail) {
    tell('error', title, `${message}\nThe input fail-on-egress-denied is true, so the step fails.`);
    return `failed by fail-on-egress-denied: ${describe(report, count)}`;
  }
  if (isBlocking(report)) tell('notice', title, message);
  else say(message);
  return undefined;
}

function tellUnknown(why: string, fail: boolean): string | undefined {
  if (!fail) {
    say(`no egress report: ${why}`);
    return undefined;
  }
  const message = `What the sandbox was denied is not known, and fail-on-egress-denied is true, so the step fails: ${why}`;
  tell('error', 'Offshoot: no egress report', message);
  return 'failed by fail-on-egress-denied: there is no report of what was denied';
}

function describe(report: EgressReport, count: number): string {
  const what = count === 1 ? 'attempt' : 'attempts';
  return isBlocking(report)
    ? `${String(count)} ${what} to reach what the egress rules do not allow`
    : `${String(count)} ${what} that egress-mode enforce would deny`;
}

/** Whether anything was held back, and not only recorded. */
function isBlocking({ policy, denied }: EgressReport): boolean {
  return denied.length === 0 ? policy.mode !== 'audit' : denied.some(({ blocked }) => blocked);
}

/** The last ones first: what ended a build is among them. */
function placesOf({ denied, omitted }: EgressReport): string {
  const latest = denied.toSorted((one, other) => Date.parse(other.lastAt) - Date.parse(one.lastAt));
  const mixed = new Set(denied.map(({ blocked }) => blocked)).size > 1;
  const words = latest.slice(0, named).map((denial) => describeDenial(denial, mixed));
  const more = denied.length - words.length;
  if (more > 0 || omitted > 0) words.push('and more');
  return words.length === 0 ? 'the host has no list of them' : words.join(', ');
}

function describeDenial(denial: EgressDenial, mixed: boolean): string {
  const times = denial.count === 1 ? '' : `, ${String(denial.count)} times`;
  return `${placeOf(denial)} (${denial.reason}${times}${mixed && !denial.blocked ? ', let through' : ''})`;
}
