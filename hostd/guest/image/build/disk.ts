import { open } from 'node:fs/promises';
import { runChecked } from '../../../platform/run.ts';
import { rootOf, stepTimeoutMs, type BuildContext } from './context.ts';

/**
 * Makes the root directory an ext4 file system on a sparse file: owners, links and capabilities kept, all tables written now (the
 * guest is to do nothing in the background), room to be grown online, nothing reserved for root.
 */
export async function makeDisk(context: BuildContext, file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o644);
  await handle.truncate(context.plan.recipe.diskMiB * 1024 * 1024);
  await handle.close();
  await runChecked(
    context.runner,
    'mkfs.ext4',
    [
      ...['-q', '-F', '-b', '4096', '-m', '0', '-L', 'offshoot', '-O', '64bit,^orphan_file', '-J', 'size=32'],
      ...['-E', 'lazy_itable_init=0,lazy_journal_init=0,root_owner=0:0', '-d', rootOf(context), file],
    ],
    { timeoutMs: stepTimeoutMs, onLine: context.onLine },
  );
}
