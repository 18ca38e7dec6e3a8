import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runner } from '../../platform/run.ts';
import { machineOptions } from './command-line.ts';

export interface KvmProbe {
  works: boolean;
  /** Why, for people. */
  reason: string;
  /** The group a VMM process needs to open the device; absent when it needs none, or KVM does not work. */
  gid?: number;
}

export interface KvmProbeOptions {
  qemuProgram: string;
  /** build/native/kvm-probe.bin */
  payload: string;
  cpuModel: string;
  deadlineMs: number;
  device?: string;
}

const passedLine = 'offshoot-kvm-probe: passed';
const failedLine = 'offshoot-kvm-probe: failed at ';

const steps: Readonly<Record<string, string>> = {
  i: 'taking exceptions',
  c: 'CPUID',
  m: 'setting MSRs',
  f: 'floating point state',
  p: 'switching page tables',
  u: 'user mode',
  t: 'timer interrupts',
  s: 'running at full speed',
  x: 'an exception nobody expected',
};

/**
 * Boots a tiny payload under KVM. That the device opens means little: on some hosts (kvm_pvm) it does, and no stock kernel boots. The CPU
 * model and machine are those of real sandboxes, because some models alone make QEMU abort.
 */
export async function probeKvm(runner: Runner, options: KvmProbeOptions): Promise<KvmProbe> {
  const device = options.device ?? '/dev/kvm';
  const status = await stat(device).catch(() => undefined);
  if (status === undefined)
    return broken(`there is no ${device} (no virtualization in the CPU or BIOS, or the kvm module is not loaded)`);
  if (!(await mayOpen(device))) return broken(`${device} can not be opened: permission denied`);
  const folder = await mkdtemp(join(tmpdir(), 'offshoot-kvm-probe-'));
  const booted = await bootPayload(runner, options, join(folder, 'serial')).finally(() =>
    rm(folder, { recursive: true, force: true }),
  );
  const gid = groupFor(status);
  if (!booted.works || gid === undefined) return booted;
  if (gid === 'nobody')
    return broken(`it works, but ${device} opens for root only: chgrp kvm ${device} && chmod 660 ${device}`);
  return { ...booted, gid };
}

async function bootPayload(runner: Runner, options: KvmProbeOptions, serialPath: string): Promise<KvmProbe> {
  const args = [
    ...['-M', machineOptions, '-accel', 'kvm', '-cpu', options.cpuModel, '-m', '128M'],
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
    ...['-object', 'memory-backend-ram,id=memory,size=128M', '-bios', options.payload],
    ...['-device', 'isa-debug-exit,iobase=0xf4,iosize=4', '-serial', `file:${serialPath}`],
  ];
  const began = performance.now();
  const run = await runner
    .run(options.qemuProgram, args, { timeoutMs: options.deadlineMs })
    .catch((error: unknown) => error);
  const elapsedMs = Math.round(performance.now() - began);
  const serial = await readFile(serialPath, 'utf8').catch(() => '');
  if (serial.includes(passedLine))
    return { works: true, reason: `a test payload booted under KVM in ${String(elapsedMs)} ms` };
  const failedAt = serial.indexOf(failedLine);
  if (failedAt >= 0) return broken(`a test payload failed at ${stepName(serial.charAt(failedAt + failedLine.length))}`);
  const reached = serial === '' ? 'it did not begin' : `it got as far as ${stepName(serial.charAt(serial.length - 1))}`;
  if (run instanceof Error)
    return broken(`a test payload gave no answer within ${String(options.deadlineMs)} ms: ${reached}`);
  const words = firstWords((run as { stderr: string }).stderr);
  return broken(`QEMU ended before a test payload was through (${reached}): ${words}`);
}

// What QEMU says last is often an assertion; what it says first is the cause.
function firstWords(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.replace(/^qemu-system-\w+: (error: )?/, '').trim());
  const telling = lines.filter((line) => line !== '' && !line.startsWith('warning:'));
  return telling[0]?.slice(0, 300) ?? 'without a word';
}

function stepName(letter: string): string {
  return steps[letter] ?? `step ${letter}`;
}

function broken(reason: string): KvmProbe {
  return { works: false, reason };
}

async function mayOpen(path: string): Promise<boolean> {
  return access(path, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
}

function groupFor({ mode, gid }: { mode: number; gid: number }): number | undefined | 'nobody' {
  if ((mode & 0o006) === 0o006) return undefined;
  return (mode & 0o060) === 0o060 && gid !== 0 ? gid : 'nobody';
}
