import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { Runner } from '../../platform/run.ts';
import type { Isolation, Vmm } from '../vmm.ts';
import { commandLineVersion, machineType, type QemuProfile } from './command-line.ts';
import { restoreKeyOf } from './compatibility.ts';
import { parseCpuInfo, type HostCpu } from './host-cpu.ts';
import { snapshotFormatVersion } from './machine-record.ts';
import { openMemoryFreezer, probeFreezeMethod } from './memory-freezer.ts';
import { probeKvm, type KvmProbe } from './probe-kvm.ts';
import { probeQemu, type QemuFound } from './probe.ts';
import { QemuVmm } from './qemu-vmm.ts';

export interface OpenQemuOptions {
  runner: Runner;
  /** Where `make -C hostd/vmm/native` put the launcher, the probe's payload and the TSC meter. */
  nativeDirectory: string;
  /** A QEMU other than the one of the PATH. */
  qemuProgram?: string;
  /** `off` emulates without asking KVM. */
  kvm: 'probe' | 'off';
  /** How long the probe's payload may take. */
  kvmDeadlineMs?: number;
}

export const defaultKvmDeadlineMs = 3000;

// erms and fsrm off: with them the guest's kernel copies and clears byte by byte, which emulation does at a third of the speed.
// la57 off: a fifth level of page tables is one more emulated load per miss.
const cpuModels = { kvm: 'host', tcg: 'max,erms=off,fsrm=off,la57=off' } as const;

/** What this host can do with QEMU, without starting anything that stays; `doctor` prints it. */
export interface QemuReport {
  qemu: Awaited<ReturnType<typeof probeQemu>>;
  kvm: KvmProbe;
}

/** Probes QEMU and KVM. */
export async function reportQemu(options: OpenQemuOptions): Promise<QemuReport> {
  const qemu = await probeQemu(options.runner, options.qemuProgram);
  if (!('program' in qemu)) return { qemu, kvm: { works: false, reason: qemu.problem } };
  if (options.kvm === 'off') return { qemu, kvm: { works: false, reason: 'KVM is turned off in the configuration' } };
  const kvm = await probeKvm(options.runner, {
    qemuProgram: qemu.program,
    payload: join(options.nativeDirectory, 'kvm-probe.bin'),
    cpuModel: cpuModels.kvm,
    deadlineMs: options.kvmDeadlineMs ?? defaultKvmDeadlineMs,
  });
  return { qemu, kvm };
}

/** Probes the host and gives the driver that fits it. Throws `tool-missing` when QEMU is missing or unfit. */
export async function openQemuVmm(options: OpenQemuOptions): Promise<Vmm> {
  const { qemu, kvm } = await reportQemu(options);
  if (!('program' in qemu)) throw new OffshootError('tool-missing', { message: `${qemu.problem}.`, hint: qemu.mend });
  const host = parseCpuInfo(await readFile('/proc/cpuinfo', 'utf8'));
  const freezeMethod = once(() => probeFreezeMethod(join(options.nativeDirectory, 'freeze'), options.runner));
  const emulated = makeVmm(options, {
    qemu,
    host,
    freezeMethod,
    tscKhz: await measureTscKhz(options),
    accelerator: 'tcg',
    isolation: { tier: 'emulated', reason: kvm.works ? 'KVM passed the probe but did not boot a kernel' : kvm.reason },
  });
  if (!kvm.works) return emulated;
  const parts = {
    qemu,
    host,
    freezeMethod,
    tscKhz: undefined,
    accelerator: 'kvm',
    isolation: { tier: 'kvm', reason: kvm.reason },
  } as const;
  return makeVmm(options, {
    ...parts,
    emulatedFallback: emulated,
    ...(kvm.gid === undefined ? {} : { kvmGid: kvm.gid }),
  });
}

interface VmmParts {
  qemu: QemuFound;
  host: HostCpu;
  tscKhz: number | undefined;
  accelerator: QemuProfile['accelerator'];
  isolation: Isolation;
  freezeMethod: () => ReturnType<Vmm['freezeMethod']>;
  emulatedFallback?: Vmm;
  kvmGid?: number;
}

/** The machine type takes 288; the API's limit is lower. What the host should give is not the VMM's question. */
const maxGuestCpus = 64;

function makeVmm(options: OpenQemuOptions, parts: VmmParts): Vmm {
  const { qemu, accelerator, emulatedFallback, kvmGid } = parts;
  const cpuModel = cpuModels[accelerator];
  return new QemuVmm({
    profile: { program: qemu.program, version: qemu.version, accelerator, cpuModel, tscKhz: parts.tscKhz },
    features: {
      name: 'qemu',
      version: qemu.version.text,
      machine: machineType,
      cpuModel,
      isolation: parts.isolation,
      maxCpus: maxGuestCpus,
      restoreKey: restoreKey(qemu, accelerator, cpuModel, parts.host),
    },
    launcherProgram: join(options.nativeDirectory, 'launcher'),
    runner: options.runner,
    openFreezer: (request) => openMemoryFreezer({ program: join(options.nativeDirectory, 'freeze'), ...request }),
    freezeMethod: parts.freezeMethod,
    ...(emulatedFallback === undefined ? {} : { emulatedFallback }),
    ...(kvmGid === undefined ? {} : { kvmGid }),
  });
}

// microvm promises no migration between versions, hence the whole build text. Under TCG the guest's CPU is made of software, but its clock
// runs at the host's rate, which the model stands for.
function restoreKey(qemu: QemuFound, accelerator: string, cpuModel: string, host: HostCpu): string {
  return restoreKeyOf({
    snapshot: String(snapshotFormatVersion),
    'command-line': String(commandLineVersion),
    qemu: qemu.version.text,
    machine: machineType,
    accel: accelerator,
    cpu: cpuModel,
    host: host.model,
    ...(accelerator === 'kvm' ? { flags: host.flagsDigest } : {}),
  });
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}

async function measureTscKhz({ runner, nativeDirectory }: OpenQemuOptions): Promise<number | undefined> {
  const run = await runner.run(join(nativeDirectory, 'tsc-khz'), [], { timeoutMs: 5000 }).catch((error: unknown) => {
    const message = `The native programs are missing from ${nativeDirectory}.`;
    throw new OffshootError('tool-missing', { message, hint: 'Build them: make -s -C hostd/vmm/native', cause: error });
  });
  const khz = Number(run.stdout.trim());
  return run.code === 0 && Number.isSafeInteger(khz) && khz > 0 ? khz : undefined;
}
