import { info } from '@actions/core';
import { cleanText } from './log/clean-text.ts';
import { protectedForms } from './log/protected-values.ts';

const nothing = protectedForms([]);

/**
 * Prints lines of the action's own. Names of files, of hosts and messages are in them, and a pull request or a guest may have chosen those: they give the
 * runner no command either.
 */
export function say(text: string): void {
  for (const line of text.split(/\r\n|\r|\n/)) info(harmless(line));
}

function harmless(line: string): string {
  const clean = cleanText(line, nothing);
  return clean.trimStart().startsWith('::') ? `| ${clean}` : clean;
}
