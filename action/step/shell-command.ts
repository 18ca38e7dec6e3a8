/** How a step's shell is started: the file name ending it wants, and its words around the script. */
export interface ShellCommand {
  extension: string;
  argv: (script: string) => string[];
}

/** The runner's own command lines (GitHub's workflow syntax, `jobs.<job_id>.steps[*].shell`), so that a script behaves here as it does there. */
const known: Record<string, ShellCommand | undefined> = {
  bash: { extension: '.sh', argv: (script) => ['bash', '--noprofile', '--norc', '-eo', 'pipefail', script] },
  sh: { extension: '.sh', argv: (script) => ['sh', '-e', script] },
  python: { extension: '.py', argv: (script) => ['python3', script] },
};

/** A name the runner knows, or a command line with {0} for the script; its words are divided at blanks, with quotes as a shell has them. */
export function shellCommand(shell: string): ShellCommand {
  const found = known[shell];
  if (found !== undefined) return found;
  return { extension: '', argv: (script) => words(shell).map((word) => word.replaceAll('{0}', script)) };
}

function words(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}
