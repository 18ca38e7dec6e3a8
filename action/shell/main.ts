import { statSync } from 'node:fs';
import path from 'node:path';
import { processIdentitySchema } from '../../hostd/platform/process-identity.ts';
import { beat } from '../heartbeat/heartbeat.ts';
import { hostOfTheJob, runStep } from './run-step.ts';

/** Entry of the command `offshoot` on a job's PATH: the shell of a step, the heartbeat between steps, else the command line. */
async function main(args: string[]): Promise<number> {
  if (args[0] === '--heartbeat') {
    const [, file = '', pid = '', startTicks = ''] = args;
    await beat(file, processIdentitySchema.parse({ pid: Number(pid), startTicks: Number(startTicks) }));
    return 0;
  }
  const sync = args[0] === '--sync';
  const script = sync ? args[1] : args[0];
  if (script !== undefined && isScript(script)) return runStep(script, { sync });
  const { runCommandLine } = await import('../../hostd/cli/command-line.ts');
  const host = process.env['OFFSHOOT_HOST'] ?? (await hostOfTheJob());
  if (host !== undefined) process.env['OFFSHOOT_HOST'] = host;
  await runCommandLine(['node', 'offshoot', ...args]);
  return Number(process.exitCode ?? 0);
}

/** The runner names a file by its absolute path; a word of the command line may be a file's name too. */
function isScript(word: string): boolean {
  return path.isAbsolute(word) && statSync(word, { throwIfNoEntry: false })?.isFile() === true;
}

// connections that are still open must not keep the runner waiting
process.exit(await main(process.argv.slice(2)));
