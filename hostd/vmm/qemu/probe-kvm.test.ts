import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Runner } from '../../platform/run.ts';
import { probeKvm } from './probe-kvm.ts';

let folder: string;
let device: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kvm-'));
  device = join(folder, 'kvm');
  await writeFile(device, '');
  await chmod(device, 0o666);
});

afterEach(() => rm(folder, { recursive: true }));

/** A QEMU that writes `serial` and ends with `stderr`, or hangs. */
function qemu(serial: string, stderr = '', hangs = false): Runner {
  return {
    run: async (_program, args) => {
      const path = /^file:(.*)$/.exec(args[args.indexOf('-serial') + 1] ?? '')?.[1] ?? '';
      await writeFile(path, serial);
      if (hangs) throw new Error('did not end');
      return { code: 1, signal: null, stdout: '', stderr };
    },
  };
}

const probe = (runner: Runner, path = device) =>
  probeKvm(runner, { qemuProgram: 'qemu', payload: 'p', cpuModel: 'host', deadlineMs: 700, device: path });

test('works only when the payload says that it passed', async () => {
  const works = await probe(qemu('icmfputs\noffshoot-kvm-probe: passed\n'));
  expect(works.works).toBe(true);
  expect(works.reason).toMatch(/booted under KVM in \d+ ms/);
  expect(await probe(qemu(''))).toEqual({
    works: false,
    reason: 'QEMU ended before a test payload was through (it did not begin): without a word',
  });
});

test('a failing step, an abort and silence each have their reason', async () => {
  expect((await probe(qemu('icm\noffshoot-kvm-probe: failed at m'))).reason).toBe(
    'a test payload failed at setting MSRs',
  );
  const words =
    'qemu-system-x86_64: warning: x\nqemu-system-x86_64: error: failed to set MSR 0x10a\nqemu-system-x86_64: Assertion';
  expect((await probe(qemu('', words))).reason).toContain('(it did not begin): failed to set MSR 0x10a');
  expect((await probe(qemu('icmfp', '', true))).reason).toBe(
    'a test payload gave no answer within 700 ms: it got as far as switching page tables',
  );
});

test('no device, and a device for root alone', async () => {
  expect((await probe(qemu(''), join(folder, 'absent'))).reason).toContain('there is no ');
  await chmod(device, 0o600);
  expect((await probe(qemu('offshoot-kvm-probe: passed'))).reason).toContain('opens for root only: chgrp kvm');
});

test('the group that opens the device is told', async () => {
  await chown(device, 0, 104);
  await chmod(device, 0o660);
  expect(await probe(qemu('offshoot-kvm-probe: passed'))).toMatchObject({ works: true, gid: 104 });
});
