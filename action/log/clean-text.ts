/* eslint-disable no-control-regex -- control characters are what this is about */
import type { ProtectedForms } from './protected-values.ts';

const anyControl = /[\0-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/;
const controlsAndTitles = /\x1b\][^\0-\x1f\x7f]{0,2040}(?:\x07|\x1b\\)|[\0-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/g;

/**
 * What the log shows of text from the guest, whose line ends are already `\n`.
 *
 * - Control characters become their pictures (U+2400 and on), those above U+007F become U+FFFD: a NUL ends text for some readers of the log and is
 *   nothing at all for others, a backspace hides what was printed. Tab and escape sequences stay.
 * - `##[` becomes `##\[`: the runner takes `##[command]` for a command anywhere in a line. It seeks the three characters with its culture's
 *   rules, which pass over invisible ones between them, but then takes the command's name from the fourth character on, so that only the plain
 *   three can start a command (actions/runner: ActionCommand.cs).
 * - A protected value that these two would change becomes `***`, since the runner could no longer find it.
 */
export function cleanText(text: string, protect: ProtectedForms): string {
  let clean = text;
  for (const form of protect.maskedHere) clean = clean.replaceAll(form, '***');
  if (anyControl.test(clean)) clean = clean.replace(controlsAndTitles, picture);
  return clean.includes('##[') ? clean.replaceAll('##[', '##\\[') : clean;
}

function picture(found: string): string {
  if (found.length > 1) return found; // an escape sequence that ends in a control character
  const code = found.charCodeAt(0);
  if (code === 0x7f) return '\u2421';
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
}
