import type { Command } from 'commander';
import { Sandbox } from '../../client/sandbox.ts';
import type { SandboxInfo } from '../../contract/sandbox.ts';
import { clientCommand, connectionOf, envEntry, keyValue, wholeNumber, type CommonOptions } from '../common.ts';
import { milliseconds, printJson, shortDuration, table } from '../print.ts';
import { addCpCommand } from './cp.ts';
import { addExecCommand } from './exec.ts';
import { addLogsCommand } from './logs.ts';
import { addShellCommand } from './shell.ts';

interface CreateOptions extends CommonOptions {
  id?: string;
  image: string;
  cpus: number;
  memory: number;
  disk: number;
  timeout: number;
  wait: number;
  egress?: 'open' | 'none';
  env?: Record<string, string>;
  label?: Record<string, string>;
}

export function addSandboxCommands(program: Command): void {
  const parent = program.command('sandbox').description('create, use and stop sandboxes');
  addCreateCommand(parent);
  addListCommand(parent);
  clientCommand(parent, 'inspect <id>', 'show everything about a sandbox').action(
    async (id: string, options: CommonOptions) => {
      const sandbox = await Sandbox.connect(id, connectionOf(options));
      if (options.json === true) printJson(sandbox.info);
      else process.stdout.write(describe(sandbox.info));
    },
  );
  addExecCommand(parent);
  addShellCommand(parent);
  addCpCommand(parent);
  addLogsCommand(parent);
  addRenewCommand(parent);
  addStopCommand(parent);
}

function addCreateCommand(parent: Command): void {
  clientCommand(parent, 'create', 'create a sandbox and print its id')
    .option('--id <id>', 'the id it shall have: sbx_ and letters, digits, - or _')
    .option('--image <name>', 'the image to start from', 'default')
    .option('--cpus <n>', 'virtual CPUs', wholeNumber(1), 1)
    .option('--memory <MiB>', 'memory', wholeNumber(1), 512)
    .option('--disk <MiB>', 'disk', wholeNumber(1), 8192)
    .option('--timeout <seconds>', 'how long it may live without renewal', wholeNumber(1), 3600)
    .option('--wait <seconds>', 'how long to wait for room on the host', wholeNumber(0), 0)
    .option('--egress <mode>', 'what it may reach: open or none')
    .option('-e, --env <NAME=VALUE>', 'default environment of its execs; may be repeated', envEntry)
    .option('--label <key=value>', 'label it; may be repeated', keyValue)
    .action(async (options: CreateOptions) => {
      const sandbox = await Sandbox.create({
        image: options.image,
        cpus: options.cpus,
        memoryMiB: options.memory,
        diskMiB: options.disk,
        timeoutSeconds: options.timeout,
        waitSeconds: options.wait,
        labels: options.label ?? {},
        env: options.env ?? {},
        connection: connectionOf(options),
        ...(options.id === undefined ? {} : { id: options.id }),
        ...(options.egress === undefined ? {} : { egress: { mode: options.egress } }),
      });
      if (options.json === true) printJson(sandbox.info);
      else process.stdout.write(`${sandbox.id}\n`);
    });
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
      else process.stdout.write(table(listHeader, sandboxes.map(listRow)));
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
    const stopped: SandboxInfo[] = [];
    for (const id of ids) {
      const sandbox = await Sandbox.connect(id, connectionOf(options));
      stopped.push(await sandbox.stop());
      if (options.json !== true) process.stdout.write(`${id}\n`);
    }
    if (options.json === true) printJson({ sandboxes: stopped });
  });
}

const listHeader = ['ID', 'STATE', 'IMAGE', 'CPUS', 'MEMORY', 'ISOLATION', 'AGE', 'EXPIRES', 'LABELS'];

function listRow(info: SandboxInfo): string[] {
  const nowMs = Date.now();
  const left = info.endedAt === null ? shortDuration((Date.parse(info.expiresAt) - nowMs) / 1000) : '-';
  return [
    info.id,
    info.end === null ? info.state : `${info.state} (${info.end.reason})`,
    info.image,
    String(info.cpus),
    `${String(info.memoryMiB)} MiB`,
    info.isolation.tier,
    shortDuration((nowMs - Date.parse(info.createdAt)) / 1000),
    left,
    Object.entries(info.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
  ];
}

function describe(info: SandboxInfo): string {
  const rows = [
    ['state', info.end === null ? info.state : `${info.state}: ${info.end.reason}: ${info.end.message}`],
    ['image', info.image],
    ['size', `${String(info.cpus)} CPU, ${String(info.memoryMiB)} MiB memory, ${String(info.diskMiB)} MiB disk`],
    ['isolation', `${info.isolation.tier}: ${info.isolation.reason}`],
    ['egress', info.egress.mode],
    ['created', info.createdAt],
    [info.endedAt === null ? 'expires' : 'ended', info.endedAt ?? info.expiresAt],
    ['labels', JSON.stringify(info.labels)],
    [
      'used',
      `${info.usage.wallSeconds.toFixed(1)} s, ${info.usage.cpuSeconds.toFixed(1)} CPU s, ${info.usage.peakMemoryMiB.toFixed(0)} MiB peak`,
    ],
    ['queued', milliseconds(info.timings.queuedMs)],
    ['ready after', milliseconds(info.timings.readyMs)],
  ];
  return table([info.id, ''], rows);
}
