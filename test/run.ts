import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { unavailableSuites } from './act/suites.ts';
import { comparePictures, takeHostPicture } from './support/host-picture.ts';

/** npm test: every check and suite in order, each with its time; the first failure is remembered, the rest still runs. */

const root = path.resolve(import.meta.dirname, '..');
const node = process.execPath;
const reports = path.join(root, 'build', 'reports');

interface Step {
  name: string;
  command: string;
  args: string[];
  /** A vitest JSON report that this step writes. */
  report?: string;
}

function vitest(project: string, leftOut: readonly string[] = []): Step {
  const report = path.join(reports, `${project}.json`);
  return {
    name: `${project} tests`,
    command: node,
    args: [
      ...['node_modules/vitest/vitest.mjs', 'run', '--project', project],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
      ...leftOut.flatMap((suite) => ['--exclude', suite]),
    ],
    report,
  };
}

/** Suites whose tools can't be had on this machine. */
const unavailable = await unavailableSuites();

const steps: Step[] = [
  { name: 'types', command: node, args: ['node_modules/typescript/bin/tsc', '-p', '.'] },
  { name: 'lint', command: node, args: ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', '.'] },
  { name: 'format', command: node, args: ['node_modules/prettier/bin/prettier.cjs', '--check', '.'] },
  { name: 'guest agent tests (C, sanitizers)', command: 'make', args: ['-s', '-C', 'hostd/guest/agent', 'test'] },
  vitest('unit'),
  vitest(
    'e2e',
    unavailable.map(({ suite }) => suite),
  ),
  ...(process.argv.includes('--full') ? [vitest('full')] : []),
];

const reportSchema = z.object({
  numTotalTests: z.number(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  testResults: z.array(
    z.object({ name: z.string(), status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) }),
  ),
});

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  problems: string[];
}

async function main(): Promise<number> {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0, problems: [] };
  await mkdir(reports, { recursive: true });
  const before = await takeHostPicture();
  const times: [string, number][] = [];
  for (const step of steps) {
    console.log(`\n=== ${step.name}`);
    const startedMs = performance.now();
    if (step.report !== undefined) await rm(step.report, { force: true });
    const code = await runStep(step);
    times.push([step.name, (performance.now() - startedMs) / 1000]);
    if (code !== 0) tally.problems.push(`${step.name}: exit code ${String(code)}`);
    if (step.report === undefined) tally[code === 0 ? 'passed' : 'failed'] += 1;
    else await countReport(step.report, tally);
  }
  const leaks = comparePictures(before, await takeHostPicture());
  tally[leaks.length === 0 ? 'passed' : 'failed'] += 1;
  if (leaks.length > 0) tally.problems.push(...leaks.map((leak) => `left behind: ${leak}`));
  console.log('\n=== summary');
  for (const [name, seconds] of times) console.log(`${seconds.toFixed(1).padStart(8)} s  ${name}`);
  for (const { suite, reason } of unavailable) console.log(`NOT RUN  ${suite}: ${reason}`);
  for (const problem of tally.problems) console.log(`PROBLEM  ${problem}`);
  console.log(`\n${String(tally.passed)} passed, ${String(tally.failed)} failed, ${String(tally.skipped)} skipped`);
  return tally.problems.length === 0 && tally.failed === 0 ? 0 : 1;
}

function runStep(step: Step): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(step.command, step.args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) => {
      console.error(error.message);
      resolve(127);
    });
    child.on('close', (code) => {
      resolve(code ?? 1);
    });
  });
}

async function countReport(file: string, tally: Tally): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) {
    tally.failed += 1;
    tally.problems.push(`${path.basename(file)}: no report was written`);
    return;
  }
  const report = reportSchema.parse(JSON.parse(text));
  tally.passed += report.numPassedTests;
  tally.failed += report.numFailedTests;
  tally.skipped += report.numPendingTests;
  if (report.numTotalTests === 0) tally.problems.push(`${path.basename(file)}: no test ran`);
  for (const suite of report.testResults) {
    const ran = suite.assertionResults.some((result) => result.status === 'passed' || result.status === 'failed');
    if (!ran) tally.problems.push(`${path.relative(root, suite.name)}: every test was skipped or none is there`);
    else if (suite.status === 'failed') tally.problems.push(`${path.relative(root, suite.name)}: failed`);
  }
}

process.exitCode = await main();
