import type { Metric } from '../sandbox/host.ts';
import type { OpenStreams } from './limits.ts';

interface Series {
  labels: Record<string, string>;
  count: number;
  seconds: number;
}

/** Counts requests by route and status, and reports this process beside them. */
export class RequestMetrics {
  readonly #series = new Map<string, Series>();
  readonly #streams: OpenStreams;
  #open = 0;

  constructor(streams: OpenStreams) {
    this.#streams = streams;
  }

  opened(): void {
    this.#open += 1;
  }

  /** `route` is a path of the table, or empty when none fitted: what clients make up must not become labels. */
  closed(method: string, route: string, status: number, durationMs: number): void {
    this.#open -= 1;
    const key = `${method} ${route} ${String(status)}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels: { method, route, status: String(status) }, count: 0, seconds: 0 };
      this.#series.set(key, series);
    }
    series.count += 1;
    series.seconds += durationMs / 1000;
  }

  collect(): Metric[] {
    const series = [...this.#series.values()];
    const cpu = process.cpuUsage();
    return [
      {
        name: 'offshoot_http_requests_total',
        help: 'Requests answered.',
        type: 'counter',
        values: series.map(({ labels, count }) => ({ labels, value: count })),
      },
      {
        name: 'offshoot_http_request_seconds_total',
        help: 'Time from the request to the end of its answer, summed.',
        type: 'counter',
        values: series.map(({ labels, seconds }) => ({ labels, value: seconds })),
      },
      gauge('offshoot_http_requests_open', 'Requests being answered.', this.#open),
      {
        name: 'offshoot_http_streams_open',
        help: 'Long requests that are open, by kind.',
        type: 'gauge',
        values: Object.entries(this.#streams.counts).map(([kind, value]) => ({ labels: { kind }, value })),
      },
      gauge('process_resident_memory_bytes', 'Memory of hostd itself.', process.memoryUsage.rss()),
      {
        name: 'process_cpu_seconds_total',
        help: 'CPU time of hostd itself.',
        type: 'counter',
        values: [{ value: (cpu.user + cpu.system) / 1e6 }],
      },
    ];
  }
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] };
}
