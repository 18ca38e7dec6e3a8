import type { Command } from 'commander';
import { Sandbox } from '../../client/sandbox.ts';
import type { EgressReport } from '../../contract/egress.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { clientCommand, envEntry, repeated, wholeNumber } from '../common.ts';
import { denialNotice, reportWithinDeadline } from '../denial-notice.ts';
import { addMachineOptions, machineRequest, type MachineOptions } from '../machine-options.ts';
import { milliseconds, printJson, table } from '../print.ts';
import { exitCodeOf, streamExec } from '../stream-exec.ts';
import { keepLease } from '../../client/keep-lease.ts';
import { Stopwatch } from '../../platform/stopwatch.ts';

interface RunOptions extends MachineOptions {
  timeout?: number;
  env?: Record<string, string>;
  user?: string;
  shell?: string;
  stdin?: true;
  workdirFrom?: string;
  exclude?: string[];
  download?: string[];
  keep?: true;
  timings?: true;
}

const leaseSeconds = 300;

/** What --json prints, once there is the report that goes with it. */
interface Ended {
  result?: object;
}

export function addRunCommand(program: Command): void {
  const command = clientCommand(
    program,
    'run [command...]',
    "run a command in a fresh sandbox and destroy it; its exit code becomes this command's",
  );
  addMachineOptions(command)
    .option('--timeout <seconds>', 'end the command after this long', wholeNumber(1))
    .option('-e, --env <NAME=VALUE>', 'set a variable (NAME alone: as it is here); may be repeated', envEntry)
    .option('-u, --user <user>', 'as whom: a name, uid or uid:gid (default: root)')
    .option('-c, --shell <text>', 'a text for /bin/sh instead of a command and its arguments')
    .option('-i, --stdin', 'pass standard input on')
    .option('--workdir-from <folder>', "copy this folder's content into /workspace first")
    .option('--exclude <glob>', 'leave this out of the copy; may be repeated', repeated)
    .option(
      '--download <remote[:local]>',
      'bring this file or folder back afterwards, whatever the exit code; may be repeated',
      repeated,
    )
    .option('--keep', 'leave the sandbox running')
    .option('--timings', 'print where the time went')
    .passThroughOptions()
    .action(async (command: string[], options: RunOptions) => {
      process.exitCode = await runCommand(command, options);
    });
}

async function runCommand(command: string[], options: RunOptions): Promise<number> {
  if ((options.shell === undefined) === (command.length === 0)) {
    throw new OffshootError('usage', {
      message: 'run needs a command or --shell TEXT.',
      hint: 'offshoot run -- make test',
    });
  }
  if (options.stdin === true && options.allowFrom?.includes('-') === true) {
    throw new OffshootError('usage', {
      message: 'Standard input can not be both the rules and the input of the command.',
      hint: 'Give the rules as a file.',
    });
  }
  const watch = new Stopwatch();
  const leaving = new AbortController();
  const leave = (): void => {
    leaving.abort();
  };
  process.once('SIGINT', leave).once('SIGTERM', leave);
  let sandbox: Sandbox | undefined;
  const ended: Ended = {};
  try {
    sandbox = await Sandbox.create({
      ...(await machineRequest(options)),
      timeoutSeconds: leaseSeconds,
      signal: leaving.signal,
    });
    const lease = keepLease(sandbox, leaseSeconds);
    try {
      return await work(sandbox, options.shell ?? command, options, watch, leaving.signal, ended);
    } finally {
      lease.stop();
    }
  } catch (error) {
    if (leaving.signal.aborted) return 130;
    throw error;
  } finally {
    process.off('SIGINT', leave).off('SIGTERM', leave);
    if (sandbox !== undefined) await finish(sandbox, options, watch, leaving.signal.aborted, ended);
  }
}

async function work(
  sandbox: Sandbox,
  command: string | string[],
  options: RunOptions,
  watch: Stopwatch,
  signal: AbortSignal,
  ended: Ended,
): Promise<number> {
  const { queuedMs, readyMs } = sandbox.info.timings;
  watch.add('queued', queuedMs);
  watch.add('restored', (readyMs ?? 0) - queuedMs);
  watch.lap();
  if (options.workdirFrom !== undefined) {
    await sandbox.files.upload(options.workdirFrom, '/workspace', {
      exclude: options.exclude ?? [],
      signal,
      owner: '0:0',
    });
    watch.lap('sent in');
  }
  const request = {
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.user === undefined ? {} : { user: options.user }),
    ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1000 }),
  };
  if (options.json === true) {
    const result = await sandbox.exec(command, { ...request, signal });
    watch.lap('done');
    ended.result = { sandboxId: sandbox.id, ...result, timings: watch.toJSON() };
    await bringBack(sandbox, options, signal, watch);
    return result.exitCode;
  }
  const handle = await sandbox.spawn(command, { ...request, stdin: options.stdin === true });
  const exec = await streamExec(handle, {
    forwardInput: options.stdin === true,
    onFirstOutput: () => {
      watch.lap('first output');
    },
    signal,
  });
  watch.lap('done');
  await bringBack(sandbox, options, signal, watch);
  return exitCodeOf(exec);
}

async function bringBack(sandbox: Sandbox, options: RunOptions, signal: AbortSignal, watch: Stopwatch): Promise<void> {
  for (const download of options.download ?? []) {
    const at = download.lastIndexOf(':');
    const [remote, local] = at < 1 ? [download, '.'] : [download.slice(0, at), download.slice(at + 1)];
    await sandbox.files.download(remote, local === '' ? '.' : local, { signal });
  }
  if (options.download !== undefined) watch.lap('brought back');
}

async function finish(
  sandbox: Sandbox,
  options: RunOptions,
  watch: Stopwatch,
  interrupted: boolean,
  { result }: Ended,
): Promise<void> {
  let egress: EgressReport | undefined;
  try {
    if (options.keep !== true) {
      watch.lap();
      await sandbox.stop();
      watch.lap('destroyed');
    }
    // of one that was stopped hostd has counted to the end by now
    if (!interrupted && (options.json !== true || result !== undefined)) egress = await reportWithinDeadline(sandbox);
  } finally {
    if (result !== undefined) printJson({ ...result, egress: egress ?? null });
  }
  if (options.json !== true && egress !== undefined) process.stderr.write(denialNotice(sandbox.id, egress, options));
  if (options.keep === true) {
    process.stderr.write(
      `offshoot: ${sandbox.id} goes on; it ends by itself in ${String(leaseSeconds)} s unless renewed\n`,
    );
  } else if (options.timings === true) {
    const rows = watch.entries().map(([name, ms]) => [name, milliseconds(ms)]);
    process.stderr.write(`\n${table(['step', 'took'], rows)}`);
  }
}
