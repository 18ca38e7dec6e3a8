import type { Command } from 'commander';
import { changeEach } from '../change-each.ts';
import { clientCommand, wholeNumber, type CommonOptions } from '../common.ts';

interface PauseOptions extends CommonOptions {
  hibernateAfter?: number;
}

export function addPauseCommands(parent: Command): void {
  clientCommand(parent, 'pause <id...>', 'let sandboxes stand still: no CPU at once, after a while no memory')
    .option(
      '--hibernate-after <seconds>',
      'when memory goes to disk; 0 is at once (default: as the host is set up)',
      wholeNumber(0),
    )
    .action(async (ids: string[], options: PauseOptions) => {
      const after = options.hibernateAfter;
      const request = after === undefined ? {} : { hibernateAfterSeconds: after };
      await changeEach(ids, options, (sandbox) => sandbox.pause(request));
    });
  clientCommand(parent, 'resume <id...>', 'let paused sandboxes run again').action(
    async (ids: string[], options: CommonOptions) => {
      await changeEach(ids, options, (sandbox) => sandbox.resume());
    },
  );
}
