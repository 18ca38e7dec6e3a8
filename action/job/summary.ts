import type { SandboxInfo } from '../../hostd/contract/sandbox.ts';
import { renderEgress } from '../egress/render-report.ts';
import type { TakenReport } from '../egress/take-report.ts';
import { putAheadOfSummary } from '../file-commands/own-summary.ts';
import type { Kept } from './keep.ts';

export interface SummaryFacts {
  sandbox: SandboxInfo;
  /** What came of the script, when one ran: `succeeded`, or what an annotation says too. */
  outcome?: string | undefined;
  timings: Record<string, number>;
  kept?: Kept | undefined;
  snapshot?: string | undefined;
  egress?: TakenReport | undefined;
}

/** Adds a short table to the job's summary page. */
export async function writeSummary(facts: SummaryFacts): Promise<void> {
  await putAheadOfSummary(renderSummary(facts));
}

export function renderSummary({ sandbox, outcome, timings, kept, snapshot, egress }: SummaryFacts): string {
  const { usage } = sandbox;
  const from = sandbox.snapshot === null ? `image ${sandbox.image}` : `snapshot ${sandbox.snapshot}`;
  const spans = Object.entries(timings);
  const lines = [
    `### Offshoot: ${from}`,
    ...(outcome === undefined ? [] : ['', outcome]),
    '',
    `\`${sandbox.id}\`, ${String(sandbox.cpus)} CPU, ${String(sandbox.memoryMiB)} MiB, isolated by ${sandbox.isolation.tier === 'kvm' ? 'KVM' : 'emulation'}`,
    '',
    row(spans.map(([name]) => name)),
    row(spans.map(() => '--:')),
    row(spans.map(([, ms]) => duration(ms))),
    '',
    `CPU used: ${usage.cpuSeconds.toFixed(1)} s, memory at most: ${String(Math.round(usage.peakMemoryMiB))} MiB, lived: ${duration(usage.wallSeconds * 1000)}`,
  ];
  if (snapshot !== undefined) lines.push('', `Saved as snapshot \`${snapshot}\`.`);
  if (kept !== undefined) {
    lines.push(
      '',
      `The failed sandbox is kept for ${String(kept.minutes)} minutes, memory and processes included. A shell in a copy of it, on the host:`,
      '',
      '```sh',
      kept.command,
      '```',
    );
  }
  if (egress !== undefined) lines.push('', renderEgress(egress).trimEnd());
  return `${lines.join('\n')}\n`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function duration(ms: number): string {
  if (ms < 1000) return `${String(Math.round(ms))} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${(ms / 60_000).toFixed(1)} min`;
}
