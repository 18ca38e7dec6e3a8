import { Command } from 'commander';
import { version } from '../version.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEventsCommand } from './commands/events.ts';
import { addHostdCommand } from './commands/hostd.ts';
import { addImageCommands } from './commands/image.ts';
import { addRunCommand } from './commands/run.ts';
import { addSandboxCommands } from './commands/sandbox.ts';
import { addSnapshotCommands } from './commands/snapshot.ts';
import { reportFailure } from './failure.ts';
import { leave } from './leave.ts';

/** The whole command line as commander sees it. */
export function buildProgram(): Command {
  const program = new Command('offshoot')
    .description('CI builds in their own microVMs, fresh or forked')
    .version(version)
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError('(offshoot --help, or offshoot COMMAND --help)');
  addRunCommand(program);
  addSandboxCommands(program);
  addSnapshotCommands(program);
  addImageCommands(program);
  addEventsCommand(program);
  addHostdCommand(program);
  addDoctorCommand(program);
  addCompletionCommand(program);
  return program;
}

/** Runs a command line (as in process.argv); its exit code becomes this process's. */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0); // `offshoot ... | head` is no failure
    throw error;
  });
  try {
    await buildProgram().parseAsync(argv);
  } catch (error) {
    process.exitCode = reportFailure(error, argv.includes('--json'));
  }
  if (!argv.includes('hostd')) await leave();
}
