import { Option, type Command } from 'commander';
import type { CreateOptions } from '../client/sandbox.ts';
import { connectionOf, keyValue, wholeNumber, type CommonOptions } from './common.ts';

/** What `run` and `sandbox create` take about the machine. */
export interface MachineOptions extends CommonOptions {
  image?: string;
  snapshot?: string;
  bootDisk?: true;
  cpus?: number;
  memory?: number;
  disk?: number;
  wait: number;
  egress?: EgressMode;
  label?: Record<string, string>;
}

export type EgressMode = 'open' | 'none';

/** The option of every command that starts sandboxes. */
export function egressOption(description: string): Option {
  return new Option('--egress <mode>', description).choices(['open', 'none']);
}

/** No default is sent with a snapshot, which has its own, so hostd fills them in. */
export function addMachineOptions(command: Command): Command {
  return command
    .option('--image <name>', 'the image to start from (default: "default")')
    .option('--snapshot <name>', 'start as a copy of this snapshot instead; it has its own image and size')
    .option('--boot-disk', "boot from the snapshot's disk alone, without its memory and processes")
    .option('--cpus <n>', 'virtual CPUs (default: 1)', wholeNumber(1))
    .option('--memory <MiB>', 'memory (default: 512)', wholeNumber(1))
    .option('--disk <MiB>', 'disk (default: 8192)', wholeNumber(1))
    .option('--wait <seconds>', 'how long to wait for room on the host', wholeNumber(0), 0)
    .addOption(egressOption('what it may reach'))
    .option('--label <key=value>', 'label it; may be repeated', keyValue);
}

export function machineRequest(options: MachineOptions): CreateOptions {
  return {
    waitSeconds: options.wait,
    labels: options.label ?? {},
    connection: connectionOf(options),
    ...(options.image === undefined ? {} : { image: options.image }),
    ...(options.snapshot === undefined ? {} : { snapshot: options.snapshot }),
    ...(options.bootDisk === undefined ? {} : { bootDisk: true }),
    ...(options.cpus === undefined ? {} : { cpus: options.cpus }),
    ...(options.memory === undefined ? {} : { memoryMiB: options.memory }),
    ...(options.disk === undefined ? {} : { diskMiB: options.disk }),
    ...(options.egress === undefined ? {} : { egress: { mode: options.egress } }),
  };
}
