import type { Command } from 'commander';
import { Sandbox } from '../../client/sandbox.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { clientCommand, connectionOf, envEntry, wholeNumber, type CommonOptions } from '../common.ts';
import { printExecNotice } from '../exec-notice.ts';
import { printJson } from '../print.ts';
import { exitCodeOf, streamExec } from '../stream-exec.ts';

interface ExecOptions extends CommonOptions {
  shell?: string;
  env?: Record<string, string>;
  cwd?: string;
  user?: string;
  timeout?: number;
  stdin?: true;
  tty?: true;
  detach?: true;
}

export function addExecCommand(parent: Command): void {
  clientCommand(parent, 'exec <id> [command...]', "run a command in a sandbox; its exit code becomes this command's")
    .option('-c, --shell <text>', 'a text for /bin/sh instead of a command and its arguments')
    .option('-e, --env <NAME=VALUE>', 'set a variable (NAME alone: as it is here); may be repeated', envEntry)
    .option('-w, --cwd <folder>', 'where to run it (default: /workspace)')
    .option('-u, --user <user>', 'as whom: a name, uid or uid:gid (default: root)')
    .option('--timeout <seconds>', 'end it after this long', wholeNumber(1))
    .option('-i, --stdin', 'pass standard input on')
    .option('-t, --tty', 'give it a terminal')
    .option('-d, --detach', 'start it and print its id; "logs" shows its output')
    .passThroughOptions()
    .action(async (id: string, command: string[], options: ExecOptions) => {
      // commander hands on the -- that parts the command from the options, once a word went before it
      process.exitCode = await execCommand(id, command[0] === '--' ? command.slice(1) : command, options);
    });
}

async function execCommand(id: string, command: string[], options: ExecOptions): Promise<number> {
  if (command[0]?.startsWith('-') === true) {
    throw new OffshootError('usage', {
      message: `${command[0]} comes after the id, so it would be the command.`,
      hint: 'Options go before the id: offshoot sandbox exec --user nobody ID -- id',
    });
  }
  if ((options.shell === undefined) === (command.length === 0)) {
    throw new OffshootError('usage', {
      message: 'exec needs a command or --shell TEXT.',
      hint: 'offshoot sandbox exec ID -- ls -l',
    });
  }
  if (options.tty === true) {
    const { runInTerminal } = await import('../terminal.ts');
    return runInTerminal(id, options.shell ?? command, { ...options, connection: connectionOf(options) });
  }
  const sandbox = await Sandbox.connect(id, connectionOf(options));
  const handle = await sandbox.spawn(options.shell ?? command, {
    stdin: options.stdin === true,
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.user === undefined ? {} : { user: options.user }),
    ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1000 }),
  });
  if (options.detach === true) {
    if (options.json === true) printJson(await handle.info());
    else process.stdout.write(`${handle.id}\n`);
    return 0;
  }
  if (options.json === true) {
    const { collectOutput } = await import('../../client/exec-result.ts');
    const result = await collectOutput(handle, {});
    printJson(result);
    return result.exitCode;
  }
  const ended = await streamExec(handle, { forwardInput: options.stdin === true });
  const exitCode = exitCodeOf(ended);
  await printExecNotice(sandbox, ended);
  return exitCode;
}
