import { InvalidArgumentError, type Command } from 'commander';
import { HostClient } from '../../client/host-client.ts';
import { Sandbox } from '../../client/sandbox.ts';
import type { SnapshotInfo } from '../../contract/snapshot.ts';
import { clientCommand, connectionOf, type CommonOptions } from '../common.ts';
import { policyRows } from '../egress-view.ts';
import { printJson, shortDuration, table } from '../print.ts';

interface TakeOptions extends CommonOptions {
  name: string;
  retentionDays?: number;
}

/** `sandbox snapshot` */
export function addTakeSnapshotCommand(parent: Command): void {
  clientCommand(parent, 'snapshot <id>', 'keep memory, disk and processes of a sandbox under a name; it goes on')
    .requiredOption('--name <name>', 'lower-case letters, digits, ., - and _')
    .option('--retention-days <days>', 'remove it after this many days (default: never)', days)
    .action(async (id: string, options: TakeOptions) => {
      const sandbox = await Sandbox.connect(id, connectionOf(options));
      const { name, retentionDays } = options;
      const snapshot = await sandbox.snapshot({ name, ...(retentionDays === undefined ? {} : { retentionDays }) });
      if (options.json === true) printJson(snapshot);
      else process.stdout.write(`${snapshot.name}\n`);
    });
}

/** `snapshot list | inspect | rm` */
export function addSnapshotCommands(program: Command): void {
  const parent = program.command('snapshot').description('list and remove snapshots; "sandbox snapshot" takes one');
  clientCommand(parent, 'list', 'list snapshots').action(async (options: CommonOptions) => {
    await using host = new HostClient(connectionOf(options));
    const snapshots = await host.snapshots.list();
    if (options.json === true) printJson({ snapshots });
    else process.stdout.write(snapshotTable(snapshots));
  });
  clientCommand(parent, 'inspect <name>', 'show everything about a snapshot').action(
    async (name: string, options: CommonOptions) => {
      await using host = new HostClient(connectionOf(options));
      const snapshot = await host.snapshots.get(name);
      if (options.json === true) printJson(snapshot);
      else process.stdout.write(describeSnapshot(snapshot));
    },
  );
  clientCommand(parent, 'rm <name...>', 'remove snapshots that no sandbox stands on').action(
    async (names: string[], options: CommonOptions) => {
      await using host = new HostClient(connectionOf(options));
      for (const name of names) {
        await host.snapshots.remove(name);
        if (options.json !== true) process.stdout.write(`${name}\n`);
      }
      if (options.json === true) printJson({ removed: names });
    },
  );
}

/** One line for each snapshot. */
export function snapshotTable(snapshots: readonly SnapshotInfo[], nowMs: number = Date.now()): string {
  const rows = snapshots.map((snapshot) => [
    snapshot.name,
    snapshot.image,
    String(snapshot.cpus),
    `${String(snapshot.memoryMiB)} MiB`,
    `${snapshot.storedMiB.toFixed(0)} MiB`,
    snapshot.restorable.ok ? 'yes' : 'no: disk only',
    shortDuration((nowMs - Date.parse(snapshot.createdAt)) / 1000),
    snapshot.expiresAt === null ? 'never' : shortDuration((Date.parse(snapshot.expiresAt) - nowMs) / 1000),
    String(snapshot.usedBy.length),
  ]);
  return table(['NAME', 'IMAGE', 'CPUS', 'MEMORY', 'STORED', 'RESTORABLE', 'AGE', 'EXPIRES', 'USED BY'], rows);
}

/** Everything about a snapshot, for people. */
export function describeSnapshot(snapshot: SnapshotInfo): string {
  const { vmm, restorable } = snapshot;
  return table(
    [snapshot.name, ''],
    [
      ['taken of', snapshot.sandboxId],
      ['image', snapshot.image],
      [
        'size',
        `${String(snapshot.cpus)} CPU, ${String(snapshot.memoryMiB)} MiB memory, ${String(snapshot.diskMiB)} MiB disk`,
      ],
      ['stored', `${snapshot.storedMiB.toFixed(0)} MiB`],
      ...policyRows(snapshot.egress, `offshoot snapshot inspect ${snapshot.name} --json`),
      ['created', snapshot.createdAt],
      ['expires', snapshot.expiresAt ?? 'never'],
      ['made with', `${vmm.name} ${vmm.version}, ${vmm.machine}, CPU ${vmm.cpuModel}, ${vmm.tier}`],
      ['agent protocol', String(vmm.agentProtocol)],
      ['env values', snapshot.hasEnvValues ? 'were given: its memory may hold secrets' : 'none were given'],
      ['restorable', restorable.ok ? 'yes' : `no: ${restorable.reason}; its disk can be booted (--boot-disk)`],
      ['used by', snapshot.usedBy.length === 0 ? '-' : snapshot.usedBy.join(', ')],
    ],
  );
}

function days(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value <= 0) throw new InvalidArgumentError('must be a number of days above 0');
  return value;
}
