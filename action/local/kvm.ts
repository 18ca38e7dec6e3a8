import { stat } from 'node:fs/promises';
import type { Root } from './root.ts';

const permissions = 0o777;
const groupMayUse = 0o060;
const othersMayUse = 0o006;

/**
 * Lets the group `kvm` use the device when so far only root may: each sandbox's VMM runs as a user of its own, with that group and nothing
 * else. Does nothing where there is no device. Returns what is in the way, if anything.
 */
export async function openKvm(root: Root, device = '/dev/kvm'): Promise<string | undefined> {
  const status = await stat(device).catch(() => undefined);
  if (status === undefined) return undefined;
  const mode = status.mode & permissions;
  if ((mode & othersMayUse) === othersMayUse) return undefined;
  if ((mode & groupMayUse) === groupMayUse && status.gid !== 0) return undefined;
  const known = await root.run('getent', ['group', 'kvm']);
  if (known.code !== 0) return `${device} is for root only, and there is no group kvm to open it for`;
  const grouped = await root.run('chgrp', ['kvm', device]);
  const opened = grouped.code === 0 ? await root.run('chmod', ['660', device]) : grouped;
  return opened.code === 0 ? undefined : `${device} stays closed: ${opened.stderr.trim()}`;
}

/** One line about how sandboxes of this host run. */
export function describeIsolation({ tier, reason }: { tier: string; reason: string }): string {
  if (tier === 'kvm') return `Sandboxes run under KVM: ${reason}.`;
  return `Sandboxes are emulated, for KVM does not work here: ${reason}. They are several times slower, and emulation is no security boundary.`;
}
