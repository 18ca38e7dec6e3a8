import path from 'node:path';
import { runChecked, systemRunner } from '../../hostd/platform/run.ts';
import { figure, time, type Figure } from './figures.ts';

const launcher = path.resolve(import.meta.dirname, '..', '..', 'hostd', 'bin', 'offshoot');

/** The command line from its start to its end. */
export async function measureCommandLine(host: string, n: number, report: (figure: Figure) => void): Promise<void> {
  const list = await time(n, () => runChecked(systemRunner, launcher, ['sandbox', 'list', '--host', host]));
  report(figure('offshoot sandbox list', 'ms', '<= 250 ms', list));
}
