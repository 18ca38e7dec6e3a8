import type { Command } from 'commander';
import { Sandbox } from '../../client/sandbox.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { clientCommand, connectionOf, wholeNumber, type CommonOptions } from '../common.ts';
import { printJsonLine } from '../print.ts';
import { streamExec } from '../stream-exec.ts';

interface LogsOptions extends CommonOptions {
  follow?: true;
  from: number;
  console?: true;
}

export function addLogsCommand(parent: Command): void {
  clientCommand(parent, 'logs <id> [exec]', 'print the output of an exec (default: the newest one)')
    .option('-f, --follow', 'wait for more until it ends')
    .option('--from <offset>', 'start at this byte', wholeNumber(0), 0)
    .option('--console', "the console of the sandbox's kernel instead")
    .action(logs);
}

async function logs(id: string, execId: string | undefined, options: LogsOptions): Promise<void> {
  const sandbox = await Sandbox.connect(id, connectionOf(options));
  if (options.console === true) {
    process.stdout.write(await sandbox.console());
    return;
  }
  const chosen = execId ?? (await sandbox.execs()).at(-1)?.id;
  if (chosen === undefined) {
    throw new OffshootError('exec-not-found', {
      message: `${id} has run nothing yet.`,
      hint: 'offshoot sandbox exec ID -- CMD',
    });
  }
  const handle = sandbox.execHandle(chosen);
  const follow = options.follow === true;
  if (options.json !== true) {
    await streamExec(handle, { from: options.from, follow });
    return;
  }
  for await (const { stream, offset, bytes } of handle.output({ from: options.from, follow })) {
    printJsonLine({ stream, offset, base64: bytes.toString('base64') });
  }
  printJsonLine({ end: await handle.info() });
}
