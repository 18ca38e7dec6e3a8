import type { Sandbox } from '../client/sandbox.ts';
import type { EgressDenial, EgressReport } from '../contract/egress.ts';
import type { ExecInfo } from '../contract/exec.ts';
import { denialWords, meantPart, quoted, reportWithinDeadline, shownPlaces, shownRules } from './denial-notice.ts';
import { missingRules } from './egress-view.ts';
import { printable } from './print.ts';

/** Says on stderr what was denied while a command ran that failed; of one that succeeded nobody is asked. Never rejects. */
export async function printExecNotice(sandbox: Sandbox, { exitCode, startedAt }: ExecInfo): Promise<void> {
  if (exitCode === null || exitCode === 0) return;
  const report = await reportWithinDeadline(sandbox);
  if (report !== undefined) process.stderr.write(execNotice(sandbox.id, report, startedAt));
}

/** Empty when nothing was held back since then. A report counts from the sandbox's beginning, so it says no numbers of times. */
export function execNotice(id: string, report: EgressReport, sinceAt: string): string {
  const { policy } = report;
  const since = Date.parse(sinceAt);
  const listed = report.denied.filter(({ blocked, lastAt }) => blocked && Date.parse(lastAt) >= since);
  if (listed.length === 0) return '';
  const show = `offshoot sandbox firewall show ${id}`;
  const left = listed.length - shownPlaces;
  const places = listed.length === 1 ? '1 place' : `${String(listed.length)} places`;
  const remedy = remedyFor(id, report, listed, show);
  const lines = [
    ...listed.slice(0, shownPlaces).map((entry) => denialWords(entry) + meantPart(entry, policy.allow)),
    ...(left > 0 ? [`and ${String(left)} more: ${show}`] : []),
    ...(remedy === undefined ? [] : [`to allow it: ${remedy}`]),
  ];
  const head = `offshoot: egress ${policy.mode}: ${places} not allowed while it ran\n`;
  return head + lines.map((line) => `  ${line}\n`).join('');
}

/** The whole list, as the command replaces the one in force. What audit holds back no list opens. */
function remedyFor(
  id: string,
  report: EgressReport,
  listed: readonly EgressDenial[],
  show: string,
): string | undefined {
  if (report.policy.mode !== 'enforce') return undefined;
  const hosts = listed.flatMap(({ name, address }) => name ?? address ?? []);
  const wanted = missingRules(report).filter((rule) =>
    hosts.some((host) => rule.replace(/^udp:/, '').startsWith(`${host}:`)),
  );
  if (wanted.length === 0) return undefined;
  const rules = [...report.policy.allow, ...wanted];
  const set = `offshoot sandbox firewall set ${id}`;
  if (rules.length > shownRules) return `${set} --from FILE with the list of ${show}`;
  return `${set} ${rules.map((rule) => quoted(printable(rule))).join(' ')}`;
}
