import { join } from 'node:path';
import { isOffshootError, OffshootError } from '../../errors/offshoot-error.ts';
import type { VmLaunch, VmRecord } from '../../vmm/vmm.ts';
import type { HostContext } from '../host-context.ts';
import { identify, makeVmFolder, restoreMachine, type RestoredMachine, type RestoreTarget } from '../restore.ts';
import { coldBoot, type BootedMachine } from '../template/cold-boot.ts';
import { linkArguments } from '../template/template-key.ts';
import { bootFiles } from './snapshot-taker.ts';
import type { KeptSnapshot, Snapshots } from './snapshots.ts';

export interface SnapshotStart {
  snapshot: KeptSnapshot;
  /** Of the sandbox to be. */
  generation: number;
  target: RestoreTarget;
}

/** A copy of what was kept, running. Throws `boot-failed`, or `snapshot-not-restorable` when another build of the VMM took it. */
export async function restoreSnapshot(
  host: HostContext,
  snapshots: Snapshots,
  { snapshot, generation, target }: SnapshotStart,
): Promise<RestoredMachine> {
  const { shape, name, vmm } = snapshot.manifest;
  const start = { kind: 'restore', snapshot: snapshot.files } as const;
  try {
    const machine = await restoreMachine(host, target, { shape, start, copy: { generation } });
    await snapshots.restored(snapshot);
    return machine;
  } catch (error) {
    const foreign = host.vmm.features.restoreKey !== vmm.restoreKey;
    if (!foreign || !isOffshootError(error) || error.code !== 'boot-failed') throw error;
    const message = `The snapshot ${name} was taken by another build of the VMM and its restore failed: ${error.message}`;
    throw new OffshootError('snapshot-not-restorable', { message, details: { ...error.details, name }, cause: error });
  }
}

/** From the disk alone, with the kernel it was made with. Throws `boot-failed`, or `snapshot-not-restorable` when the kernel was not kept. */
export async function bootSnapshotDisk(
  host: HostContext,
  { snapshot, generation, target }: SnapshotStart,
): Promise<RestoredMachine> {
  const { vm, guest } = await bootTwice(host, target, launchOf(host, snapshot, target));
  try {
    await identify(host, guest, target, { generation });
    target.ending.throwIfAborted();
    return { vm, guest, startedMs: host.clock.monotonicMs() };
  } catch (error) {
    guest.disconnect();
    await vm.kill();
    throw error;
  }
}

/** A hang at boot is chance, two are a fault. */
async function bootTwice(host: HostContext, target: RestoreTarget, launch: VmLaunch): Promise<BootedMachine> {
  const { vmm, store, log } = host;
  const onRecord = (record: VmRecord) => store.resources.update(target.owner, 'vm', target.vmDirectory, { record });
  try {
    return await coldBoot(host, vmm, launch, onRecord, target.ending);
  } catch (error) {
    if (!isOffshootError(error) || error.code !== 'boot-failed') throw error;
    log.warn({ sandboxId: target.id, error: error.message }, 'a boot failed; trying once more');
    await vmm.destroy(target.vmDirectory, undefined);
    await makeVmFolder(host, target.vmDirectory, target.uid);
    return coldBoot(host, vmm, launch, onRecord, target.ending);
  }
}

function launchOf(host: HostContext, { manifest, files }: KeptSnapshot, target: RestoreTarget): VmLaunch {
  const { link } = host.network;
  const { netnsPath, tapName } = target.network;
  if (manifest.kernelArguments === null) {
    const message = `The snapshot ${manifest.name} was taken without its kernel: its disk can not be booted.`;
    throw new OffshootError('snapshot-not-restorable', { message, hint: 'Take the snapshot again.' });
  }
  return {
    directory: target.vmDirectory,
    shape: manifest.shape,
    uid: target.uid,
    gid: host.config.vmmGid,
    network: { netnsPath, tapName, guestMac: link.guestMac, mtu: link.mtu },
    start: {
      kind: 'cold',
      kernel: join(files.directory, bootFiles.kernel),
      initramfs: join(files.directory, bootFiles.initramfs),
      kernelArguments: [...manifest.kernelArguments, ...linkArguments(link)],
      baseDisk: { path: files.disk, format: 'qcow2' },
      disk: files,
    },
  };
}
