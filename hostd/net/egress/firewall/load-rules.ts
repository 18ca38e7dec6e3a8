import { runChecked, type Runner } from '../../../platform/run.ts';

/** Runs an nft document in a network namespace as one transaction. By standard input: a document may be longer than an argument can be. Throws CommandError; then nothing has changed. */
export async function loadRules(runner: Runner, netnsPath: string, document: string): Promise<void> {
  await runChecked(runner, 'nsenter', [`--net=${netnsPath}`, '--', 'nft', '-f', '-'], { input: document });
}

/** A document for an empty netns, such as `slotRules` gives, made to take the place of whatever is there: pins and counts go too. */
export function rulesAnew(document: string): string {
  return `add table inet offshoot\ndelete table inet offshoot\n${document}`;
}
