import { readFile, writeFile } from 'node:fs/promises';
import { OffshootError } from '../../hostd/errors/offshoot-error.ts';
import { variableOf } from './limits.ts';

/**
 * Puts the action's own Markdown in front of what a script left in the step's summary. Behind it, an open comment, code fence, tag or attribute of the script's could swallow
 * it, and no text closes all of those; in front of it, nothing that follows an empty line changes a block. Other steps' summaries are rendered apart
 * (docs.github.com: workflow commands, job summaries). `mergeBack` has kept room for it (`summaryReserveBytes`). Does nothing where the runner gives no summary.
 * Throws `local-file-error`.
 */
export async function putAheadOfSummary(markdown: string, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const file = env[variableOf.summary] ?? '';
  if (file === '') return;
  try {
    const present = await readFile(file);
    await writeFile(file, Buffer.concat([Buffer.from(`${markdown.trimEnd()}\n\n`), present]));
  } catch (error) {
    throw new OffshootError('local-file-error', {
      message: `The runner's ${variableOf.summary} could not be written: ${error instanceof Error ? error.message : String(error)}`,
      cause: error,
    });
  }
}
