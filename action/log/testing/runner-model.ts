/**
 * What a runner makes of a step's output: a second, small reading of its rules (actions/runner: ActionCommand.cs, ActionCommandManager.cs,
 * OutputManager.cs, AddMaskCommandExtension), written without the log's code so that the two can disagree.
 */
export interface ReadLog {
  /** Commands acted on, by name; the stop command and its end are `stop-commands` and `resume`. */
  commands: string[];
  /** Lines that are shown, commands acted on left out. */
  lines: string[];
  stopped: boolean;
}

const registered = new Set(
  'stop-commands set-env set-output save-state add-mask add-path add-matcher remove-matcher debug warning error notice group endgroup echo'.split(
    ' ',
  ),
);

/** Characters that .NET's TrimStart removes. */
const netSpace = /^[\t-\r\u0085\p{Zs}\u2028\u2029]+/u;

export function readLikeTheRunner(output: Buffer): ReadLog {
  const read: ReadLog = { commands: [], lines: [], stopped: false };
  let token: string | undefined;
  for (const line of runnerLines(output.toString('utf8'))) {
    const known = (name: string): boolean => registered.has(name) || (token !== undefined && name === token);
    const command = colonCommand(line, known) ?? bracketCommand(line, known);
    if (command === undefined) {
      read.lines.push(line);
    } else if (token !== undefined) {
      if (command.name === token) {
        read.commands.push('resume');
        token = undefined;
      } else {
        read.lines.push(line);
      }
    } else {
      read.commands.push(command.name);
      if (command.name === 'stop-commands') token = command.data.toLowerCase();
    }
  }
  read.stopped = token !== undefined;
  return read;
}

/** Commands that a line would be without any stop: `##[` ones only, since those are kept out also while commands are stopped. */
export function bracketCommandsIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => bracketCommand(line, () => true)?.name ?? []);
}

function runnerLines(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

interface Command {
  name: string;
  data: string;
}

function colonCommand(line: string, known: (name: string) => boolean): Command | undefined {
  const text = line.replace(netSpace, '');
  if (!text.startsWith('::')) return undefined;
  const end = text.indexOf('::', 2);
  if (end < 0) return undefined;
  const name = (text.slice(2, end).split(' ')[0] ?? '').toLowerCase();
  return known(name) ? { name, data: text.slice(end + 2) } : undefined;
}

function bracketCommand(line: string, known: (name: string) => boolean): Command | undefined {
  const start = line.indexOf('##[');
  if (start < 0) return undefined;
  const end = line.indexOf(']', start);
  if (end < 0) return undefined;
  const name = (line.slice(start + 3, end).split(' ')[0] ?? '').toLowerCase();
  return known(name) ? { name, data: line.slice(end + 1) } : undefined;
}
