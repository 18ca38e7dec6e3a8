import type { Proxy } from '../proxy/options.ts';
import type { Amounts, ReportLog } from './report-log.ts';

const nothing: Amounts = { count: 0, bytesIn: 0, bytesOut: 0 };

/** Brings the proxy's totals into a report. Adds what each one grew by, as a row of the report may stand for several of them. */
export class UsageReport {
  readonly #proxy: Pick<Proxy, 'usage' | 'forget'>;
  readonly #report: Pick<ReportLog, 'count'>;
  /** By sandbox, then name, port and reason: what the report has of it. */
  readonly #reported = new Map<string, Map<string, Amounts>>();

  constructor(proxy: Pick<Proxy, 'usage' | 'forget'>, report: Pick<ReportLog, 'count'>) {
    this.#proxy = proxy;
    this.#report = report;
  }

  update(): void {
    for (const { sandboxId, name, port, wouldDeny, connections: count, bytesIn, bytesOut } of this.#proxy.usage()) {
      const reported = this.#reported.get(sandboxId) ?? new Map<string, Amounts>();
      this.#reported.set(sandboxId, reported);
      const key = JSON.stringify([port, wouldDeny, name]);
      const before = reported.get(key) ?? nothing;
      reported.set(key, { count, bytesIn, bytesOut });
      this.#report.count(
        { sandboxId, outcome: 'usage', reason: wouldDeny, name, port, transport: 'tcp' },
        { count: count - before.count, bytesIn: bytesIn - before.bytesIn, bytesOut: bytesOut - before.bytesOut },
      );
    }
  }

  /** Ends what the sandbox has open in the proxy, whose totals of it begin anew; the report keeps what was counted. */
  forget(sandboxId: string): void {
    this.update();
    this.#proxy.forget(sandboxId);
    this.#reported.delete(sandboxId);
  }
}
