import type { Metric } from '../sandbox/host.ts';

/** The Prometheus text format 0.0.4. Metrics of one name are joined, as the format wants. */
export function renderMetrics(metrics: readonly Metric[]): string {
  const byName = new Map<string, Metric>();
  for (const metric of metrics) {
    const known = byName.get(metric.name);
    byName.set(metric.name, known === undefined ? metric : { ...known, values: [...known.values, ...metric.values] });
  }
  return [...byName.values()].map(renderMetric).join('');
}

function renderMetric(metric: Metric): string {
  const help = metric.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  const lines = metric.values.map((one) => `${metric.name}${renderLabels(one.labels)} ${renderValue(one.value)}`);
  return [`# HELP ${metric.name} ${help}`, `# TYPE ${metric.name} ${metric.type}`, ...lines, ''].join('\n');
}

function renderLabels(labels: Record<string, string> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function renderValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}
