import { runChecked, type Runner } from '../../../platform/run.ts';

/**
 * Divides a document into what is loaded first and the one command that follows at once. To nft it is a comment: a namespace that carries
 * nothing yet may be given the whole in one transaction.
 *
 * The kernel has new rules in force a moment before it shows them the elements of some new sets (nft_set_pipapo). What of an open connection seems
 * to be refused in that moment is dropped, and sent again, until the second transaction: a reset would end connections that the old policy and the new one allow.
 */
export const thenLine = '# then\n';

const loadThen = 'then=$1; shift; "$@" && exec nft "$then"';

/** Runs an nft document in a network namespace as one transaction, or as two. By standard input: a document may be longer than an argument can be. Throws CommandError; then nothing has changed, but perhaps for the first of two. */
export async function loadRules(runner: Runner, netnsPath: string, document: string): Promise<void> {
  const [input = '', then] = document.split(thenLine);
  const load = ['nft', '-f', '-'];
  const command = then === undefined ? load : ['sh', '-c', loadThen, 'sh', then.trim(), ...load];
  await runChecked(runner, 'nsenter', [`--net=${netnsPath}`, '--', ...command], { input });
}

/** A document for an empty netns, such as `slotRules` gives, made to take the place of whatever is there: pins and counts go too. */
export function rulesAnew(document: string): string {
  return `add table inet offshoot\ndelete table inet offshoot\n${document}`;
}
