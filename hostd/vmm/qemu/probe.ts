import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Runner } from '../../platform/run.ts';
import { machineType, sandboxOptions } from './command-line.ts';
import { parseQemuVersion, type QemuVersion } from './qemu-version.ts';

/** What the driver needs of QEMU beyond booting: device state without RAM is what templates and copies are made of. */
export const neededCommands = [
  ...['stop', 'cont', 'quit', 'query-status', 'xen-save-devices-state', 'migrate-incoming'],
  ...['blockdev-add', 'blockdev-del', 'blockdev-snapshot', 'block-stream', 'block-job-cancel'],
  ...['query-block', 'query-block-jobs', 'query-named-block-nodes', 'query-fdsets', 'remove-fd'],
] as const;
/** 7.2 is the oldest that was tried. */
const oldest = { major: 7, minor: 2 };
const timeoutMs = 10_000;

export interface QemuFound {
  program: string;
  version: QemuVersion;
}

export interface QemuProblem {
  problem: string;
  /** The command that mends it, or what else to do. */
  mend: string;
}

const install = 'apt-get install qemu-system-x86 qemu-utils';

/** Finds QEMU and checks that it has what the driver uses. For `doctor` and the start of hostd. */
export async function probeQemu(runner: Runner, given?: string): Promise<QemuFound | QemuProblem> {
  const program = given ?? (await findProgram('qemu-system-x86_64'));
  if (program === undefined) return { problem: 'qemu-system-x86_64 is not installed', mend: install };
  if ((await findProgram('qemu-img')) === undefined) return { problem: 'qemu-img is not installed', mend: install };
  const version = parseQemuVersion(await output(runner, program, ['--version']));
  if (version === undefined) return { problem: `${program} does not tell its version`, mend: install };
  if (version.major < oldest.major || (version.major === oldest.major && version.minor < oldest.minor)) {
    return {
      problem: `QEMU ${version.text} is too old: 7.2 is needed`,
      mend: 'Upgrade to Debian 12, Ubuntu 24.04 or newer.',
    };
  }
  const machines = await output(runner, program, ['-M', 'help']);
  if (!new RegExp(`^${machineType}\\b`, 'm').test(machines)) {
    return { problem: `${program} has no machine ${machineType}`, mend: install };
  }
  const missing = await missingCommands(runner, program);
  if (missing instanceof Error)
    return { problem: `${program} does not run as sandboxes need it: ${missing.message}`, mend: install };
  if (missing.length > 0) return { problem: `${program} lacks the QMP commands ${missing.join(', ')}`, mend: install };
  return { program, version };
}

const commandsSchema = z.object({ return: z.array(z.object({ name: z.string() })) });

// With every -sandbox denial on, so a QEMU built without seccomp is found out here.
async function missingCommands(runner: Runner, program: string): Promise<string[] | Error> {
  const args = [
    '-M',
    'none',
    '-nodefaults',
    '-no-user-config',
    '-nographic',
    '-sandbox',
    sandboxOptions,
    '-qmp',
    'stdio',
  ];
  const input = ['qmp_capabilities', 'query-commands', 'quit']
    .map((execute) => `${JSON.stringify({ execute })}\n`)
    .join('');
  try {
    const run = await runner.run(program, args, { input, timeoutMs });
    for (const line of run.stdout.split('\n')) {
      const commands = commandsSchema.safeParse(parseJson(line));
      if (!commands.success) continue;
      const names = new Set(commands.data.return.map(({ name }) => name));
      return neededCommands.filter((name) => !names.has(name));
    }
    return new Error(run.stderr.trim().slice(0, 300) || 'no answer on its monitor');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function output(runner: Runner, program: string, args: string[]): Promise<string> {
  return runner.run(program, args, { timeoutMs }).then(
    (run) => run.stdout,
    () => '',
  );
}

/** Where a program is, by PATH and the places of system programs. */
async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of [...(process.env['PATH'] ?? '').split(':'), '/usr/local/bin', '/usr/bin']) {
    if (!folder.startsWith('/')) continue;
    const path = join(folder, name);
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
