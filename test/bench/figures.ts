export interface Figure {
  name: string;
  unit: 'ms' | 'MB/s' | 'MiB' | '%';
  n: number;
  p50: number;
  p95: number;
  /** What the project promises, for the reader: the bench never fails on it. */
  limit: string;
}

/** Percentile by the nearest rank; `share` between 0 and 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Sums measurements up. For throughputs and shares of them p95 is the slow end. */
export function figure(name: string, unit: Figure['unit'], limit: string, values: readonly number[]): Figure {
  const slowEnd = unit === 'MB/s' || unit === '%' ? 0.05 : 0.95;
  return {
    name,
    unit,
    n: values.length,
    p50: round(percentile(values, 0.5)),
    p95: round(percentile(values, slowEnd)),
    limit,
  };
}

/** Runs something n times after one warm-up and returns the milliseconds each took. */
export async function time(n: number, once: () => Promise<unknown>): Promise<number[]> {
  await once();
  const taken: number[] = [];
  for (let i = 0; i < n; i += 1) {
    const startedMs = performance.now();
    await once();
    taken.push(performance.now() - startedMs);
  }
  return taken;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
