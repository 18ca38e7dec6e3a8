import { openingRules } from '../client/egress/opening-rules.ts';
import type { EgressDenial, EgressEntry, EgressPolicyInfo, EgressReport } from '../contract/egress.ts';
import { byteSize, printable, table } from './print.ts';

type Policy = Omit<EgressPolicyInfo, 'revision'>;

/** Rules that a view of something else shows; beyond them it tells how many there are. */
const maxRows = 20;

/** Rows of a description: the mode and the first rules. `whole` is the command that shows all. */
export function policyRows(policy: Policy, whole: string): string[][] {
  const { allow } = policy;
  const shown = allow.slice(0, maxRows);
  const left = allow.length - shown.length;
  return [
    ['egress', policySummary(policy)],
    ...shown.map((rule) => ['', printable(rule)]),
    ...(left === 0 ? [] : [['', `and ${String(left)} more: ${whole}`]]),
  ];
}

/** A policy with all its rules. */
export function describePolicy(id: string, policy: EgressPolicyInfo): string {
  const rules = policy.allow.map((rule) => `  ${printable(rule)}\n`).join('');
  return `${id}: egress ${policySummary(policy)} (revision ${String(policy.revision)})\n${rules}`;
}

/** Policy, allowed, denied and the list to paste, for people. */
export function describeReport(id: string, report: EgressReport): string {
  return [
    describePolicy(id, report.policy),
    allowedTable(report.allowed),
    deniedPart(report),
    listPart(report),
    closedPart(report),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Rules that would let through what was denied and that are not in force. */
export function missingRules({ policy, suggestedAllow }: EgressReport): string[] {
  const inForce = new Set(policy.allow);
  return suggestedAllow.filter((rule) => !inForce.has(rule));
}

/** Where something went, as far as it is known. */
export function placeOf({ name, address }: Pick<EgressEntry, 'name' | 'address'>): string {
  if (name === null) return printable(address ?? '-');
  return printable(address === null ? name : `${name} (${address})`);
}

/** `443`, `53/udp`, `icmp`; `-` for a name that was only asked of DNS. */
export function portOf({ port, transport }: Pick<EgressEntry, 'port' | 'transport'>): string {
  if (port === null) return transport === 'icmp' || transport === 'other' ? transport : '-';
  return transport === 'tcp' ? String(port) : `${String(port)}/${transport}`;
}

function policySummary({ mode, allow }: Policy): string {
  if (allow.length === 0) return mode === 'enforce' ? 'enforce, no rules: nothing is allowed' : mode;
  return `${mode}, ${allow.length === 1 ? '1 rule' : `${String(allow.length)} rules`}`;
}

function allowedTable(allowed: readonly EgressEntry[]): string {
  if (allowed.length === 0) return 'ALLOWED  nothing\n';
  const rows = allowed.map((entry) => [
    placeOf(entry),
    portOf(entry),
    String(entry.count),
    byteSize(entry.bytesIn),
    byteSize(entry.bytesOut),
    entry.firstAt,
    entry.lastAt,
  ]);
  return table(['ALLOWED', 'PORT', 'COUNT', 'IN', 'OUT', 'FIRST', 'LAST'], rows);
}

function deniedPart({ policy, denied, deniedCount, omitted }: EgressReport): string {
  if (denied.length === 0) return 'DENIED  nothing\n';
  const left = omitted === 0 ? '' : `; ${String(omitted)} more places are not listed, there were too many`;
  const what = policy.mode === 'audit' ? 'enforce would deny' : 'denied';
  const total = deniedCount === 0 ? '' : `${what} ${String(deniedCount)} times in all${left}\n`;
  const head = ['DENIED', 'PORT', 'REASON', 'COUNT', 'IN', 'OUT', 'FIRST', 'LAST', ''];
  return table(head, denied.map(deniedRow)) + total;
}

function deniedRow(entry: EgressDenial): string[] {
  const audit = entry.blocked ? '' : 'let through (audit)';
  return [
    placeOf(entry),
    portOf(entry),
    entry.reason,
    String(entry.count),
    byteSize(entry.bytesIn),
    byteSize(entry.bytesOut),
    entry.firstAt,
    entry.lastAt,
    audit,
  ];
}

function listPart(report: EgressReport): string {
  if (missingRules(report).length === 0) return report.denied.length === 0 ? '' : 'No further rule is suggested.\n';
  const list = report.suggestedAllow.map((rule) => `${printable(rule)}\n`).join('');
  return `A list that allows it, to paste:\n\n${list}`;
}

function closedPart(report: EgressReport): string {
  const rules = openingRules(report);
  if (rules.length === 0) return '';
  const width = Math.max(...rules.map(({ rule }) => rule.length));
  const lines = rules.map(
    ({ rule, denial }) => `${printable(rule).padEnd(width)}  # ${denial.reason}: ${placeOf(denial)}\n`,
  );
  return `Closed in every mode; what of it is meant, these rules open:\n\n${lines.join('')}`;
}
