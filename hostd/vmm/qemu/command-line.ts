import type { VmLaunch } from '../vmm.ts';
import { fdset, fdsetPath, type CommandLinePart } from './command-line-part.ts';
import { diskChain, type ChainLayer } from './disk-chain.ts';
import type { InheritedFile } from './launch-spec.ts';
import { machineFiles } from './machine-files.ts';
import { mapsReadOnlyMemoryFiles, takesIncomingFile, type QemuVersion } from './qemu-version.ts';

/** What every machine of this driver shares: found once by the probe. */
export interface QemuProfile {
  program: string;
  version: QemuVersion;
  accelerator: 'kvm' | 'tcg';
  cpuModel: string;
  /** Frequency of the host's TSC; under TCG the guest is told, because its own early calibration sometimes hangs. */
  tscKhz: number | undefined;
}

/** A network card is there or not for the whole life of a machine and of its snapshots. */
export interface MachineLink {
  guestMac: string;
  mtu: number;
  tapName: string;
}

export interface MachinePlan {
  shape: VmLaunch['shape'];
  link: MachineLink | undefined;
  /** A file of the machine's folder. */
  overlay: { node: string; file: string };
  layers: readonly ChainLayer[];
  memory: { kind: 'written-through' | 'private-copy'; path: string };
  boot:
    | { kind: 'cold'; kernel: string; initramfs: string; kernelArguments: readonly string[] }
    /** `deferred` waits for `migrate-incoming` before it reads device state and touches memory. */
    | { kind: 'restore'; devices: string; deferred: boolean };
}

export const machineType = 'microvm';

// pit and pic stay on: without them, and without an early TSC frequency, some boots under TCG hang before the first byte of console.
// suppress-vmdesc halves the time of a restore.
export const machineOptions = `${machineType},acpi=on,pit=on,pic=on,rtc=on,pcie=off,usb=off,mem-merge=off,suppress-vmdesc=on,memory-backend=memory`;

export const sandboxOptions = 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny';

/** JIT buffer under TCG; it is touched only as far as it is used. */
const translationBufferMiB = 64;

/** Part of every restore key: a change of the command line that a saved machine could notice needs another number. */
export const commandLineVersion = 4;

/** The descriptor through which QEMU has its memory image open for life, whatever became of the file's name. */
export const memoryDescriptor = 15;

const numbers = {
  qmp: 10,
  agent: 11,
  tap: 12,
  console: 13,
  memory: memoryDescriptor,
  devices: 16,
  kernel: 17,
  initramfs: 18,
};

/**
 * The arguments of QEMU and the descriptors they name. QEMU opens next to nothing by path: the launcher opens as root and passes on, so the
 * VMM's user needs no right to the folders on the way. Kernel, initramfs and memory are opened again through /proc/self/fd, which asks for
 * the file's own permission only.
 */
export function qemuCommandLine(profile: QemuProfile, plan: MachinePlan): CommandLinePart {
  const parts = [
    basics(profile, plan),
    channels(),
    link(plan),
    diskChain(plan.overlay, plan.layers),
    memory(profile, plan),
    boot(profile, plan),
  ];
  return { args: parts.flatMap((part) => part.args), files: parts.flatMap((part) => part.files) };
}

// Emulated vCPUs take turns on one thread of the host. On threads of their own one goes on with code that another has changed, and Linux changes
// its own: of some 180 boots of two vCPUs on a busy host one ended in an int3 that was no longer there; of 300 changes made on purpose 282 to 299
// (QEMU 7.2) and 225 to 289 (10.0) were missed, none on one thread.
//
// Not -nographic: with it the firmware of newer QEMUs writes to the serial port, and a kernel that hangs would not be a silent console any more.
function basics(profile: QemuProfile, { shape }: MachinePlan): CommandLinePart {
  const threads = shape.cpus > 1 ? ',thread=single' : '';
  const accel = profile.accelerator === 'kvm' ? 'kvm' : `tcg,tb-size=${String(translationBufferMiB)}${threads}`;
  const args = [
    ...['-M', machineOptions, '-accel', accel, '-cpu', profile.cpuModel],
    ...['-smp', String(shape.cpus), '-m', `${String(shape.memoryMiB)}M`],
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot', '-sandbox', sandboxOptions],
    ...['-global', 'migration.send-configuration=off', '-device', 'virtio-rng-device'],
  ];
  return { args, files: [] };
}

function channels(): CommandLinePart {
  const listening = (id: string, number: number) => `socket,id=${id},fd=${String(number)},server=on,wait=off`;
  const args = [
    ...['-chardev', listening('qmp', numbers.qmp), '-mon', 'chardev=qmp,mode=control'],
    ...['-chardev', listening('agent', numbers.agent), '-device', 'virtio-serial-device,max_ports=2'],
    ...['-device', 'virtserialport,chardev=agent,name=offshoot.agent'],
    ...['-add-fd', fdset(numbers.console), '-chardev', `file,id=console,append=on,path=${fdsetPath(numbers.console)}`],
    ...['-serial', 'chardev:console'],
  ];
  const files: InheritedFile[] = [
    { kind: 'listen', number: numbers.qmp, target: machineFiles.qmpSocket },
    { kind: 'listen', number: numbers.agent, target: machineFiles.agentSocket },
    { kind: 'console', number: numbers.console, target: '' },
  ];
  return { args, files };
}

// No announcement after a restore: all machines have the same addresses, and it would be the first thing a restored guest has to do.
function link({ link: card }: MachinePlan): CommandLinePart {
  if (card === undefined) return { args: [], files: [] };
  const device = `virtio-net-device,netdev=link,mac=${card.guestMac},host_mtu=${String(card.mtu)},guest_announce=off`;
  return {
    args: ['-netdev', `tap,id=link,fd=${String(numbers.tap)}`, '-device', device],
    files: [{ kind: 'tap', number: numbers.tap, target: card.tapName }],
  };
}

function memory(profile: QemuProfile, plan: MachinePlan): CommandLinePart {
  const size = `id=memory,size=${String(plan.shape.memoryMiB)}M,merge=off`;
  const path = `mem-path=/proc/self/fd/${String(numbers.memory)}`;
  switch (plan.memory.kind) {
    case 'written-through':
      return {
        args: ['-object', `memory-backend-file,${size},${path},share=on`],
        files: [{ kind: 'read-write', number: numbers.memory, target: plan.memory.path }],
      };
    case 'private-copy': {
      const access = mapsReadOnlyMemoryFiles(profile.version) ? ',readonly=on,rom=off' : '';
      return {
        args: ['-object', `memory-backend-file,${size},${path},share=off${access}`],
        files: [{ kind: 'read', number: numbers.memory, target: plan.memory.path }],
      };
    }
  }
}

function boot(profile: QemuProfile, { boot: how }: MachinePlan): CommandLinePart {
  if (how.kind === 'restore') {
    const openable = takesIncomingFile(profile.version) ? ['-add-fd', fdset(numbers.devices)] : [];
    const args = [...openable, '-incoming', how.deferred ? 'defer' : incomingUri(profile.version)];
    // No kernel: it is in the restored memory, and loading it again would cost the time.
    return { args, files: [{ kind: 'read', number: numbers.devices, target: how.devices }] };
  }
  const args = [
    '-kernel',
    `/proc/self/fd/${String(numbers.kernel)}`,
    '-initrd',
    `/proc/self/fd/${String(numbers.initramfs)}`,
  ];
  args.push('-append', [...kernelArguments(profile), ...how.kernelArguments].join(' '));
  return {
    args,
    files: [
      { kind: 'read', number: numbers.kernel, target: how.kernel },
      { kind: 'read', number: numbers.initramfs, target: how.initramfs },
    ],
  };
}

/** Where the device state comes in. */
export function incomingUri(version: QemuVersion): string {
  return takesIncomingFile(version) ? `file:${fdsetPath(numbers.devices)}` : `fd:${String(numbers.devices)}`;
}

// A guest that reboots or panics ends its VMM (-no-reboot, by triple fault: microvm has no other way).
function kernelArguments(profile: QemuProfile): string[] {
  return [
    'console=ttyS0',
    'quiet',
    'reboot=t',
    'panic=-1',
    ...(profile.accelerator === 'tcg' ? emulatedArguments(profile) : []),
  ];
}

/**
 * What an emulated CPU wants of Linux. Translated code is kept by address, so a program at the same address in every process is translated
 * once (seen: 800 instead of 4300 blocks for a second `echo`); speculation is not emulated, so its mitigations only cost; a busy host is no
 * lock-up. Without tsc=reliable the guest gives the TSC up for jiffies then: a 4 ms clock that loses time (8 of 8 boots seen).
 *
 * QEMU before 8.0 leaves other registers' bits in the flags after a cmpxchg16b that follows a rotation (its helper reads a state that was not
 * stored): an interrupt right then makes a double fault of them (seen in Linux's allocator), a trap in a program. Linux does without it.
 */
function emulatedArguments({ tscKhz, version }: QemuProfile): string[] {
  const clock = tscKhz === undefined ? [] : [`tsc_early_khz=${String(tscKhz)}`, 'tsc=reliable'];
  const withoutCmpxchg16b = version.major < 8 ? ['clearcpuid=cx16'] : [];
  return [...clock, 'norandmaps', 'mitigations=off', 'nowatchdog', ...withoutCmpxchg16b];
}
