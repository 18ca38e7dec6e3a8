import { randomUUID } from 'node:crypto';
import { access, constants, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** How a `run` step's script is started, by the rules of actions/runner src/Runner.Worker/Handlers/ScriptHandler.cs. */

const templates: Record<string, string> = {
  bash: '--noprofile --norc -e -o pipefail {0}',
  sh: '-e {0}',
  python: '{0}',
};

const extensions: Record<string, string> = { bash: '.sh', sh: '.sh', python: '.py' };

export interface ShellCommand {
  command: string;
  args: string[];
}

/**
 * Writes the script to the runner's temporary folder and says how to start it. Without a shell it is `bash -e` (not pipefail: that
 * comes with `shell: bash`), a shell with arguments has to hold `{0}`. The program is looked for in `searchPath`.
 */
export async function prepareScript(
  script: string,
  shell: string | undefined,
  temp: string,
  searchPath: string,
): Promise<ShellCommand> {
  const given = shell === undefined || shell === '' ? `bash ${templates['sh'] ?? ''}` : shell;
  const space = given.indexOf(' ');
  const name = space < 0 ? given : given.slice(0, space);
  const template = (space < 0 ? '' : given.slice(space + 1).trimStart()) || (templates[name] ?? '');
  if (!template.includes('{0}')) throw new Error(`'${given}' is no built-in shell and holds no {0}`);
  const command = await which(name, searchPath);
  const file = path.join(temp, `${randomUUID()}${extensions[name] ?? ''}`);
  await writeFile(file, script);
  return { command, args: splitArguments(template.replaceAll('{0}', file.replaceAll('"', '\\"'))) };
}

async function which(name: string, searchPath: string): Promise<string> {
  if (path.isAbsolute(name)) return name;
  for (const folder of searchPath.split(':')) {
    if (folder === '') continue;
    const file = path.join(folder, name);
    const usable = await access(file, constants.X_OK).then(
      async () => (await stat(file)).isFile(),
      () => false,
    );
    if (usable) return file;
  }
  throw new Error(`${name}: command not found`);
}

/** Words as .NET splits an argument string: double quotes group, a backslash only escapes a quote. */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\' && text.charAt(at + 1) === '"') {
      word = `${word ?? ''}"`;
      at += 1;
    } else if (character === '"') {
      quoted = !quoted;
      word ??= '';
    } else if (!quoted && (character === ' ' || character === '\t')) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (word !== undefined) words.push(word);
  return words;
}
