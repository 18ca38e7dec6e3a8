import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import path from 'node:path';
import { progressPrinter } from '../../hostd/cli/commands/image.ts';
import { table } from '../../hostd/cli/print.ts';
import { HostClient } from '../../hostd/client/index.ts';
import { HostdProcess } from '../support/hostd-process.ts';
import { endedBySignals, ending } from './endings.ts';
import type { Figure } from './figures.ts';
import { measureAction } from './action.ts';
import { measureColdBoot } from './cold-boot.ts';
import { measureCommandLine } from './command-line.ts';
import { measureCrowd } from './crowd.ts';
import { measureEgress } from './egress.ts';
import { measureForks, measureHundredCopies, measurePauses, measureSnapshots } from './forks.ts';
import { measureSandboxes, measureSpares } from './sandboxes.ts';
import { measureTransfers } from './transfers.ts';

/** npm run bench [-- --n 20] [--only sandboxes|forks|action|egress]: measures, never judges; JSON in build/bench.json. */

const build = path.resolve(import.meta.dirname, '..', '..', 'build');
const only = process.argv[process.argv.indexOf('--only') + 1];
const wanted = (part: string) => !process.argv.includes('--only') || only === part;
const n = Number(process.argv[process.argv.indexOf('--n') + 1] ?? 20) || 20;

async function main(): Promise<void> {
  await mkdir(build, { recursive: true });
  const stateDirectory = path.join(build, 'bench-state');
  const figures: Figure[] = [];
  const report = (figure: Figure): void => {
    figures.push(figure);
    console.log(
      `${figure.name}: p50 ${String(figure.p50)} ${figure.unit}, p95 ${String(figure.p95)} (n=${String(figure.n)})`,
    );
  };
  const isolation = await withHostd(stateDirectory, async (hostd) => {
    await using client = new HostClient({ host: hostd.host });
    await client.images.build({ name: 'default' }, progressPrinter());
    if (wanted('sandboxes')) {
      await measureSandboxes(hostd.host, n, report);
      await measureTransfers(hostd.host, n, report);
      await measureCommandLine(hostd.host, n, report);
      await measureCrowd(hostd, report);
    }
    if (wanted('forks')) {
      await measureForks(hostd.host, n, report);
      await measurePauses(hostd.host, n, report);
      await measureSnapshots(hostd, n, report);
    }
    return (await client.info()).isolation;
  });
  if (wanted('action')) {
    await withHostd(stateDirectory, (hostd) => measureAction(hostd.host, n, report), { spares: 1 });
  }
  if (wanted('forks')) {
    await withHostd(stateDirectory, (hostd) => measureHundredCopies(hostd.host, report), { maxSandboxes: 128 });
  }
  if (wanted('egress')) await measureEgress(stateDirectory, n, report);
  await withHostd(stateDirectory, (hostd) => measureSpares(hostd.host, n, report), { spares: 1 });
  await measureColdBoot(stateDirectory, n, report);
  const rows = figures.map((one) => [
    one.name,
    String(one.n),
    `${String(one.p50)} ${one.unit}`,
    String(one.p95),
    one.limit,
  ]);
  console.log(`\n${table(['figure', 'n', 'p50', 'p95', 'limit (p50)'], rows)}`);
  const cold = figures.find((one) => one.name === 'cold boot to first output');
  for (const create of figures.filter((one) => one.name.startsWith('create to first output'))) {
    if (cold !== undefined)
      console.log(`${create.name} / cold boot: ${(create.p50 / cold.p50).toFixed(3)} (limit 0.1)`);
  }
  const result = { at: new Date().toISOString(), cpus: cpus().length, cpu: cpus()[0]?.model, isolation, figures };
  await writeFile(path.join(build, 'bench.json'), `${JSON.stringify(result, null, 2)}\n`);
  console.log(`written to ${path.relative(process.cwd(), path.join(build, 'bench.json'))}`);
}

async function withHostd<T>(
  stateDirectory: string,
  use: (hostd: HostdProcess) => Promise<T>,
  sandboxes: Record<string, unknown> = {},
): Promise<T> {
  const starting = HostdProcess.start({ stateDirectory, config: { sandboxes } });
  return await ending(
    async () => use(await starting),
    async () => (await starting)[Symbol.asyncDispose](),
    async () => (await starting).endWithSandboxes(),
  );
}

await endedBySignals(main);
