import { isDeepStrictEqual } from 'node:util';
import type { Sandbox } from '../../hostd/client/index.ts';
import type { EgressReport } from '../../hostd/contract/index.ts';
import type { DeniedRow, EgressCase, PassedRow } from './egress-case.ts';
import type { EgressWorld } from './egress-world.ts';
import { probe } from './guest-probe.ts';
import { mayArrive } from './outside-of-battery.ts';

/**
 * Tries all cases in a sandbox that has `batteryRules`, and says in one sentence each what was not as it has to be: what the guest saw, what the
 * report says of it, and what came out that no rule explains. `checkReport: false` for when only the doors matter.
 */
export async function runCases(
  world: EgressWorld,
  sandbox: Sandbox,
  cases: readonly EgressCase[],
  { user, afterSeconds = 0, checkReport = true }: { user?: string; afterSeconds?: number; checkReport?: boolean } = {},
): Promise<string[]> {
  const seenBefore = world.outside.arrivals.length;
  const results = await probe(
    sandbox,
    cases.map((one) => one.probe),
    { afterSeconds, ...(user === undefined ? {} : { user }) },
  );
  const wrong = cases.flatMap((one, index) => {
    const seen = results[index]?.seen ?? 'nothing';
    const wanted = user === undefined ? one.sees : (one.userSees ?? one.sees);
    const fits = typeof wanted === 'string' ? seen === wanted : wanted.test(seen);
    return fits ? [] : [`${one.name}: saw ${JSON.stringify(seen)}, not ${String(wanted)}`];
  });
  const report = checkReport ? await sandbox.egressReport() : undefined;
  const unexplained = report === undefined ? [] : [...missingRows(report, cases), ...untold(report, cases)];
  return [...wrong, ...unexplained, ...(await cameOut(world, seenBefore))];
}

function missingRows(report: EgressReport, cases: readonly EgressCase[]): string[] {
  return cases.flatMap(({ name, denied }) => {
    if (denied === undefined || report.denied.some((row) => row.blocked && isLike(row, denied))) return [];
    const near = report.denied.filter((row) =>
      (['name', 'address', 'port'] as const).some((key) => denied[key] != null && row[key] === denied[key]),
    );
    const rows = near.map(({ reason, name: called, address, port, transport }) =>
      [reason, called, address, port, transport].map(String).join(' '),
    );
    return [`${name}: the report has no row ${JSON.stringify(denied)}; near to it: ${rows.join('; ') || 'none'}`];
  });
}

function untold({ allowed }: EgressReport, cases: readonly EgressCase[]): string[] {
  return cases.flatMap(({ name, passed }) => {
    if (passed === undefined || allowed.some((row) => isLike(row, passed) && row.bytesIn > 0 && row.bytesOut > 0))
      return [];
    const near = allowed.filter(({ port }) => port === passed.port);
    return [
      `${name}: the report has not ${JSON.stringify(passed)} as what passed; near to it: ${JSON.stringify(near)}`,
    ];
  });
}

function isLike(row: EgressReport['allowed'][number], wanted: DeniedRow | PassedRow): boolean {
  return isDeepStrictEqual({ ...row, ...wanted }, row);
}

/** What reached the outside although no rule explains it; by default one of `batteryRules`. */
export async function cameOut(world: EgressWorld, seenBefore: number, may = mayArrive): Promise<string[]> {
  const packets = Object.entries(await world.watched()).map(([kind, count]) => `${kind}: ${String(count)} came out`);
  const strange = world.outside.arrivals.slice(seenBefore).filter((arrival) => !may(arrival));
  return [...packets, ...strange.map((arrival) => `came out: ${JSON.stringify(arrival)}`)];
}
