import { expect, test } from 'vitest';
import type { VmSnapshotOrigin } from '../vmm.ts';
import { compatibilityOf, restoreKeyOf, type RestoreFacts } from './compatibility.ts';

const facts: RestoreFacts = {
  snapshot: '2',
  'command-line': '4',
  qemu: '7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)',
  machine: 'microvm',
  accel: 'tcg',
  cpu: 'max,erms=off',
  host: 'AuthenticAMD 25/1/1 AMD EPYC',
};

function origin(change: Partial<RestoreFacts> = {}): VmSnapshotOrigin {
  const all = { ...facts, ...change };
  return {
    name: 'qemu',
    version: all.qemu,
    machine: all.machine,
    cpuModel: all.cpu,
    tier: all.accel === 'kvm' ? 'kvm' : 'emulated',
    restoreKey: restoreKeyOf(all),
  };
}

test('the same host and VMM: yes', () => {
  expect(compatibilityOf(origin(), origin())).toMatchObject({ restorable: 'yes' });
});

test.each(['7.2.22 (Debian 1:7.2+dfsg-7+deb12u19)', '7.2.23 (Debian)', '7.2.9'])(
  'another build of the series, %s, is worth a trial',
  (qemu) => {
    const { restorable, reason } = compatibilityOf(origin({ qemu }), origin());
    expect(restorable).toBe('probe');
    expect(reason).toContain(qemu);
  },
);

test.each<[Partial<RestoreFacts>, string]>([
  [{ qemu: '8.2.2 (Ubuntu)' }, 'QEMU build (8.2.2 (Ubuntu), now 7.2.22'],
  [{ qemu: '7.1.0' }, 'QEMU build'],
  [{ snapshot: '1' }, 'format of snapshots (1, now 2)'],
  [{ 'command-line': '3' }, 'way of starting QEMU'],
  [{ machine: 'q35' }, 'machine type'],
  [{ accel: 'kvm' }, 'accelerator (kvm, now tcg)'],
  [{ cpu: 'max' }, 'CPU model of the guest'],
  [{ host: 'GenuineIntel' }, 'CPU of the host (GenuineIntel, now AuthenticAMD'],
  [{ flags: 'abc' }, 'features of the host’s CPU (abc, now none)'],
  [{ qemu: '7.2.23', host: 'GenuineIntel' }, 'CPU of the host'],
])('%o can not be restored, and why is said', (change, words) => {
  const { restorable, reason } = compatibilityOf(origin(change), origin());
  expect(restorable).toBe('no');
  expect(reason).toContain(words);
});
