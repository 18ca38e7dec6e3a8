import type { Command } from 'commander';
import { isForkFailed, type ForkReport } from '../../client/fork.ts';
import { Sandbox } from '../../client/sandbox.ts';
import { clientCommand, connectionOf, keyValue, wholeNumber, type CommonOptions } from '../common.ts';
import { addEgressOptions, egressRequest, type EgressOptions } from '../egress-options.ts';
import { milliseconds, printJson } from '../print.ts';

interface ForkOptions extends CommonOptions, EgressOptions {
  count: number;
  label?: Record<string, string>;
  timeout?: number;
  keepSnapshot?: string | true;
}

export function addForkCommand(parent: Command): void {
  const command = clientCommand(
    parent,
    'fork <id>',
    'start running copies of a sandbox and print their ids; Ctrl-C cancels it',
  )
    .option('--count <n>', 'how many, 1 to 100', wholeNumber(1), 1)
    .option('--label <key=value>', "label the copies, over the source's labels; may be repeated", keyValue)
    .option('--timeout <seconds>', 'how long each may live without renewal (default: as the source)', wholeNumber(1))
    .option('--keep-snapshot [name]', 'keep what they start from as a snapshot; give it after the id');
  addEgressOptions(command, 'as the source').action(async (id: string, options: ForkOptions) => {
    process.exitCode = await forkCommand(id, options);
  });
}

async function forkCommand(id: string, options: ForkOptions): Promise<number> {
  const source = await Sandbox.connect(id, connectionOf(options));
  const leaving = new AbortController();
  const leave = (): void => {
    process.stderr.write('offshoot: cancelling the fork\n');
    leaving.abort();
  };
  process.once('SIGINT', leave).once('SIGTERM', leave);
  if (options.json !== true) process.stderr.write(`offshoot: forking ${id}, ${copies(options.count)}\n`);
  try {
    const forked = await source.fork({ ...(await request(options)), signal: leaving.signal });
    if (options.json === true) printJson({ ...source.lastFork, sandboxes: forked.map(({ info }) => info) });
    else printCopies(source.lastFork);
    return 0;
  } catch (error) {
    if (leaving.signal.aborted) return 130;
    if (isForkFailed(error) && options.json !== true) {
      for (const started of error.details.startedSandboxIds) process.stdout.write(`${started}\n`);
      for (const { index, code, message } of error.details.failures) {
        process.stderr.write(`offshoot: copy ${String(index)} did not start: ${message} [${code}]\n`);
      }
    }
    throw error;
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave);
  }
}

async function request(options: ForkOptions): Promise<Parameters<Sandbox['fork']>[0] & { count: number }> {
  return {
    count: options.count,
    labels: options.label ?? {},
    keepSnapshot: options.keepSnapshot ?? false,
    ...(options.timeout === undefined ? {} : { timeoutSeconds: options.timeout }),
    ...(await egressRequest(options)),
  };
}

function printCopies(report: ForkReport | undefined): void {
  if (report === undefined) return;
  const { sandboxIds, pausedMs, method, snapshot } = report;
  const kept = snapshot === null ? '' : `; kept as the snapshot ${snapshot.name}`;
  const how = `the source stood still for ${milliseconds(pausedMs)} (${method})`;
  process.stderr.write(`offshoot: ${copies(sandboxIds.length)}; ${how}${kept}\n`);
  for (const id of sandboxIds) process.stdout.write(`${id}\n`);
}

function copies(count: number): string {
  return count === 1 ? '1 copy' : `${String(count)} copies`;
}
