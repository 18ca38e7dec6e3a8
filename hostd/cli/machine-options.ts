import type { Command } from 'commander';
import type { CreateOptions } from '../client/sandbox.ts';
import { connectionOf, keyValue, wholeNumber, type CommonOptions } from './common.ts';
import { addEgressOptions, egressRequest, type EgressOptions } from './egress-options.ts';

/** What `run` and `sandbox create` take about the machine. */
export interface MachineOptions extends CommonOptions, EgressOptions {
  image?: string;
  snapshot?: string;
  bootDisk?: true;
  cpus?: number;
  memory?: number;
  disk?: number;
  wait: number;
  label?: Record<string, string>;
}

/** No default is sent with a snapshot, which has its own, so hostd fills them in. */
export function addMachineOptions(command: Command): Command {
  command
    .option('--image <name>', 'the image to start from (default: "default")')
    .option('--snapshot <name>', 'start as a copy of this snapshot instead; it has its own image and size')
    .option('--boot-disk', "boot from the snapshot's disk alone, without its memory and processes")
    .option('--cpus <n>', 'virtual CPUs (default: 1)', wholeNumber(1))
    .option('--memory <MiB>', 'memory (default: 512)', wholeNumber(1))
    .option('--disk <MiB>', 'disk (default: 8192)', wholeNumber(1))
    .option('--wait <seconds>', 'how long to wait for room on the host', wholeNumber(0), 0)
    .option('--label <key=value>', 'label it; may be repeated', keyValue);
  return addEgressOptions(command, "the snapshot's, or as the host is set up");
}

/** Throws `local-file-error` and `usage` for rules that can't be read. */
export async function machineRequest(options: MachineOptions): Promise<CreateOptions> {
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
    ...(await egressRequest(options)),
  };
}
