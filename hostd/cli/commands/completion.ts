import type { Command } from 'commander';
import { OffshootError } from '../../errors/offshoot-error.ts';

export function addCompletionCommand(program: Command): void {
  program
    .command('completion <shell>')
    .description('print a completion script for bash or zsh: source <(offshoot completion bash)')
    .action((shell: string) => {
      if (shell !== 'bash' && shell !== 'zsh') {
        throw new OffshootError('usage', { message: `There is no completion for ${shell}.`, hint: 'Use bash or zsh.' });
      }
      process.stdout.write(completionScript(program, shell));
    });
}

/** A completion script made from the commands and options as they are. */
export function completionScript(program: Command, shell: 'bash' | 'zsh'): string {
  const commands = walk(program, '');
  const values = walkValues(program, '');
  const paths = commands.map(({ path }) => `'${path}'`).filter((path) => path !== "''");
  const body = `_offshoot() {
  local path='' words='' next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    [ "\${COMP_WORDS[i]}" = -- ] && return
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case "$next" in ${paths.join(' | ')}) path=$next ;; esac
  done
  case "$path" in
${commands.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n')}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.map(({ option, words }) => `    '${option}') words='${words.join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _offshoot offshoot
`;
  return shell === 'bash' ? body : `autoload -U +X bashcompinit && bashcompinit\n${body}`;
}

/** Options that take one of a few words, each with the path of its command. */
function walkValues(command: Command, path: string): { option: string; words: readonly string[] }[] {
  const own = command.options.flatMap(({ short, long, argChoices }) =>
    argChoices === undefined
      ? []
      : [short, long].flatMap((flag) => (flag === undefined ? [] : [{ option: `${path} ${flag}`, words: argChoices }])),
  );
  return [...own, ...command.commands.flatMap((child) => walkValues(child, `${path} ${child.name()}`.trim()))];
}

function walk(command: Command, path: string): { path: string; words: string[] }[] {
  const words = [
    ...command.commands.map((child) => child.name()),
    ...command.options.flatMap((option) => [option.short, option.long].filter((flag) => flag != null)),
    '--help',
  ];
  return [{ path, words }, ...command.commands.flatMap((child) => walk(child, `${path} ${child.name()}`.trim()))];
}
