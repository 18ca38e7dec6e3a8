import type { Stopwatch } from '../../hostd/platform/stopwatch.ts';

/** The parts of a job's time. */
export type Timings = Stopwatch<
  | 'queued'
  | 'restored'
  | 'synced'
  | 'prepared'
  | 'saved'
  | 'first output'
  | 'done'
  | 'kept'
  | 'brought back'
  | 'destroyed'
>;

/** The step's output `timings`, for programs: `{"firstOutputMs":12.3}`. */
export function renderTimings(timings: Timings): string {
  const key = (name: string) => `${name.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())}Ms`;
  return JSON.stringify(
    Object.fromEntries(Object.entries(timings.toJSON()).map(([name, durationMs]) => [key(name), durationMs])),
  );
}
