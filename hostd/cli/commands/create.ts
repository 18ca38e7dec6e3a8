import type { Command } from 'commander';
import { Sandbox } from '../../client/sandbox.ts';
import { clientCommand, envEntry, wholeNumber } from '../common.ts';
import { addMachineOptions, machineRequest, type MachineOptions } from '../machine-options.ts';
import { printJson } from '../print.ts';

interface CreateOptions extends MachineOptions {
  id?: string;
  timeout: number;
  env?: Record<string, string>;
}

export function addCreateCommand(parent: Command): void {
  addMachineOptions(clientCommand(parent, 'create', 'create a sandbox and print its id'))
    .option('--id <id>', 'the id it shall have: sbx_ and letters, digits, - or _')
    .option('--timeout <seconds>', 'how long it may live without renewal', wholeNumber(1), 3600)
    .option('-e, --env <NAME=VALUE>', 'default environment of its execs; may be repeated', envEntry)
    .action(async (options: CreateOptions) => {
      const sandbox = await Sandbox.create({
        ...(await machineRequest(options)),
        timeoutSeconds: options.timeout,
        env: options.env ?? {},
        ...(options.id === undefined ? {} : { id: options.id }),
      });
      if (options.json === true) printJson(sandbox.info);
      else process.stdout.write(`${sandbox.id}\n`);
    });
}
