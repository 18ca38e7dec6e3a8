import { z } from 'zod';
import { systemRunner } from '../../../platform/run.ts';
import type { VmLaunch, VmSnapshotFiles } from '../../vmm.ts';
import { compactChain } from '../compaction.ts';
import { MachineMonitor } from '../machine-monitor.ts';
import { openQemuVmm } from '../open-qemu-vmm.ts';
import { nativeDirectory } from './launch-folder.ts';
import { TestGuest } from './test-guest.ts';

/** What a process that plays hostd is told to do until OFFSHOOT_FAULT kills it. */
export interface DoomedWork {
  launch: VmLaunch;
  /** Folders to capture into, one after the other. */
  captures: VmSnapshotFiles[];
  hibernateInto?: VmSnapshotFiles;
  compact?: boolean;
}

async function live({ launch, captures, hibernateInto, compact }: DoomedWork): Promise<void> {
  const vmm = await openQemuVmm({ runner: systemRunner, nativeDirectory, kvm: 'probe' });
  const vm = await vmm.start(launch, (record) => process.stdout.write(`${JSON.stringify(record)}\n`));
  const guest = await TestGuest.connect(vm);
  await guest.ask('ping doomed');
  for (const into of captures) {
    await guest.ask(`disk write 4096 before-${String(captures.indexOf(into))}`);
    const capture = await vm.capture(into, { wake: true, durable: false, minAvailableMiB: 0 });
    await capture.complete;
  }
  guest.close();
  if (compact === true) {
    await compactChain(new MachineMonitor(launch.directory), launch.directory, new AbortController().signal);
  }
  if (hibernateInto === undefined) return;
  await vm.pause();
  await vm.hibernateInto(hibernateInto);
}

const [, , text] = process.argv;
if (import.meta.main && text !== undefined) await live(z.custom<DoomedWork>().parse(JSON.parse(text)));
