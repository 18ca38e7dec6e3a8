import { runChecked, type Runner } from '../../../platform/run.ts';

/** Runs an nft document in a network namespace as one transaction. By standard input: a document may be longer than an argument can be. Throws CommandError; then nothing has changed. */
export async function loadRules(runner: Runner, netnsPath: string, document: string): Promise<void> {
  await runChecked(runner, 'nsenter', [`--net=${netnsPath}`, '--', 'nft', '-f', '-'], { input: document });
}
