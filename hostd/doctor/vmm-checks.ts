import type { DoctorCheck, DoctorReport } from '../contract/doctor.ts';
import { reportQemu, type OpenQemuOptions, type QemuReport } from '../vmm/qemu/open-qemu-vmm.ts';

/** QEMU, KVM and what sandboxes would be isolated by. */
export async function checkVmm(
  options: OpenQemuOptions,
  asked: { requireKvm: boolean; isRoot: boolean },
): Promise<{ checks: DoctorCheck[]; isolation: DoctorReport['isolation'] }> {
  return judgeQemu(await reportQemu(options), asked);
}

export function judgeQemu(
  { qemu, kvm }: QemuReport,
  asked: { requireKvm: boolean; isRoot: boolean },
): { checks: DoctorCheck[]; isolation: DoctorReport['isolation'] } {
  if (!('program' in qemu)) {
    const check = { name: 'QEMU', result: 'fail', found: qemu.problem, mend: sudo(qemu.mend) } as const;
    return { checks: [check], isolation: null };
  }
  const found = `${qemu.version.text} at ${qemu.program}, with the microvm machine`;
  const tier = kvm.works ? 'kvm' : 'emulated';
  const isKnown = kvm.works || asked.isRoot;
  return {
    checks: [{ name: 'QEMU', result: 'ok', found }, isKnown ? judgeKvm(kvm, asked.requireKvm) : unknownKvm(kvm)],
    isolation: isKnown && (kvm.works || !asked.requireKvm) ? { tier, reason: kvm.reason } : null,
  };
}

function unknownKvm(kvm: QemuReport['kvm']): DoctorCheck {
  return {
    name: 'isolation',
    result: 'warn',
    found: `not known without root: ${kvm.reason}`,
    mend: 'sudo offshoot doctor',
  };
}

function judgeKvm(kvm: QemuReport['kvm'], requireKvm: boolean): DoctorCheck {
  if (kvm.works) return { name: 'isolation', result: 'ok', found: `kvm: ${kvm.reason}` };
  return {
    name: 'isolation',
    result: requireKvm ? 'fail' : 'warn',
    found: requireKvm
      ? `the configuration requires KVM, and KVM does not work here: ${kvm.reason}`
      : `emulated, which is slow and by QEMU's own policy no security boundary: ${kvm.reason}`,
    mend: 'Use a host with hardware virtualization, or turn nested virtualization on; then: sudo modprobe kvm-intel (or kvm-amd)',
  };
}

function sudo(command: string): string {
  return command.startsWith('apt-get') ? `sudo ${command}` : command;
}
