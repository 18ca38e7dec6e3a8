import type { Command } from 'commander';
import { Sandbox } from '../../client/sandbox.ts';
import { changeEach } from '../change-each.ts';
import { clientCommand, connectionOf, keyValue, wholeNumber, type CommonOptions } from '../common.ts';
import { printJson } from '../print.ts';
import { describeSandbox, sandboxTable } from '../sandbox-view.ts';
import { addCpCommand } from './cp.ts';
import { addCreateCommand } from './create.ts';
import { addExecCommand } from './exec.ts';
import { addFirewallCommands } from './firewall.ts';
import { addForkCommand } from './fork.ts';
import { addLogsCommand } from './logs.ts';
import { addPauseCommands } from './pause.ts';
import { addShellCommand } from './shell.ts';
import { addTakeSnapshotCommand } from './snapshot.ts';

export function addSandboxCommands(program: Command): void {
  const parent = program.command('sandbox').description('create, use, fork, pause and stop sandboxes');
  addCreateCommand(parent);
  addListCommand(parent);
  clientCommand(parent, 'inspect <id>', 'show everything about a sandbox').action(
    async (id: string, options: CommonOptions) => {
      const sandbox = await Sandbox.connect(id, connectionOf(options));
      if (options.json === true) printJson(sandbox.info);
      else process.stdout.write(describeSandbox(sandbox.info));
    },
  );
  addExecCommand(parent);
  addShellCommand(parent);
  addCpCommand(parent);
  addLogsCommand(parent);
  addForkCommand(parent);
  addPauseCommands(parent);
  addTakeSnapshotCommand(parent);
  addFirewallCommands(parent);
  addRenewCommand(parent);
  addStopCommand(parent);
}

function addListCommand(parent: Command): void {
  clientCommand(parent, 'list', 'list sandboxes')
    .option('--label <key=value>', 'only those with this label; may be repeated', keyValue)
    .option('--all', 'also those that have ended')
    .action(async (options: CommonOptions & { label?: Record<string, string>; all?: true }) => {
      const sandboxes = await Sandbox.list({
        labels: options.label ?? {},
        all: options.all === true,
        connection: connectionOf(options),
      });
      if (options.json === true) printJson({ sandboxes });
      else process.stdout.write(sandboxTable(sandboxes));
    });
}

function addRenewCommand(parent: Command): void {
  clientCommand(parent, 'renew <id>', 'let a sandbox live longer')
    .option('--timeout <seconds>', 'how long from now', wholeNumber(1), 3600)
    .option('--shorten', 'also when that is sooner than its lease now')
    .action(async (id: string, options: CommonOptions & { timeout: number; shorten?: true }) => {
      const sandbox = await Sandbox.connect(id, connectionOf(options));
      const info = await sandbox.renew(options.timeout, { shorten: options.shorten === true });
      if (options.json === true) printJson(info);
      else process.stdout.write(`${id} lives until ${info.expiresAt}\n`);
    });
}

function addStopCommand(parent: Command): void {
  clientCommand(parent, 'stop <id...>', 'destroy sandboxes').action(async (ids: string[], options: CommonOptions) => {
    await changeEach(ids, options, (sandbox) => sandbox.stop());
  });
}
