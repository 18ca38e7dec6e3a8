import type { Command } from 'commander';
import { clientCommand, connectionOf, type CommonOptions } from '../common.ts';

const startShell = 'if command -v bash >/dev/null 2>&1; then exec bash -l; else exec sh -l; fi';

export function addShellCommand(parent: Command): void {
  clientCommand(parent, 'shell <id>', 'open a shell in a sandbox')
    .option('-w, --cwd <folder>', 'where (default: /workspace)')
    .option('-u, --user <user>', 'as whom (default: root)')
    .action(async (id: string, options: CommonOptions & { cwd?: string; user?: string }) => {
      const { runInTerminal } = await import('../terminal.ts');
      process.exitCode = await runInTerminal(id, startShell, { ...options, connection: connectionOf(options) });
    });
}
