import { InvalidArgumentError, type Command } from 'commander';
import { Sandbox } from '../../client/sandbox.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { clientCommand, connectionOf, type CommonOptions } from '../common.ts';
import { keepLease } from '../../client/keep-lease.ts';

interface ShellOptions extends CommonOptions {
  snapshot?: string;
  cwd?: string;
  user?: string;
}

const startShell = 'if command -v bash >/dev/null 2>&1; then exec bash -l; else exec sh -l; fi';
const leaseSeconds = 300;

export function addShellCommand(parent: Command): void {
  clientCommand(parent, 'shell [id]', 'open a shell in a sandbox, or in a copy of a snapshot')
    .option(
      '--snapshot <name>',
      'start a sandbox from this snapshot for the shell, and destroy it afterwards',
      snapshotName,
    )
    .option('-w, --cwd <folder>', 'where (default: /workspace)')
    .option('-u, --user <user>', 'as whom (default: root)')
    .action(async (id: string | undefined, options: ShellOptions) => {
      if ((id === undefined) === (options.snapshot === undefined)) {
        throw new OffshootError('usage', {
          message: 'shell needs the id of a sandbox, or --snapshot NAME.',
          hint: 'offshoot sandbox shell ID',
        });
      }
      process.exitCode = id === undefined ? await shellInCopy(options) : await openShell(id, options);
    });
}

async function openShell(id: string, options: ShellOptions): Promise<number> {
  const { runInTerminal } = await import('../terminal.ts');
  return runInTerminal(id, startShell, { ...options, connection: connectionOf(options) });
}

async function shellInCopy(options: ShellOptions): Promise<number> {
  const { snapshot = '' } = options;
  await using sandbox = await Sandbox.create({
    snapshot,
    timeoutSeconds: leaseSeconds,
    connection: connectionOf(options),
  });
  process.stderr.write(`offshoot: ${sandbox.id} is a copy of ${snapshot}; it ends with this shell\n`);
  const lease = keepLease(sandbox, leaseSeconds);
  try {
    return await openShell(sandbox.id, options);
  } finally {
    lease.stop();
  }
}

function snapshotName(text: string): string {
  if (text === '') throw new InvalidArgumentError('must be the name of a snapshot');
  return text;
}
