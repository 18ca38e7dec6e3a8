import { Sandbox } from '../../hostd/client/sandbox.ts';
import type { EgressReport } from '../../hostd/contract/egress.ts';
import { explain } from '../annotations.ts';

/** What a sandbox reached and what it was denied, or why that is not known. */
export type TakenReport = { report: EgressReport } | { missing: string };

/** The host takes a few seconds at most to count; the job's end does not wait for one that is away. */
const requestTimeoutMs = 15_000;
const reconnectTimeoutMs = 5_000;

/** Asks for the egress report of a sandbox, also of one that has ended. It never throws. */
export async function takeReport(host: string, sandboxId: string): Promise<TakenReport> {
  try {
    const sandbox = await Sandbox.connect(sandboxId, { host, requestTimeoutMs, reconnectTimeoutMs });
    try {
      return { report: await sandbox.egressReport() };
    } finally {
      await sandbox.disconnect();
    }
  } catch (error) {
    const [why = ''] = explain(error).message.split('\n');
    return { missing: why };
  }
}
