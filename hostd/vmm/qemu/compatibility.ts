import type { Vmm, VmSnapshotOrigin } from '../vmm.ts';
import { parseQemuVersion } from './qemu-version.ts';

type Verdict = ReturnType<Vmm['compatibility']>;

/** Everything of host and VMM that a saved machine depends on, in the order of its text. */
export interface RestoreFacts {
  snapshot: string;
  'command-line': string;
  qemu: string;
  machine: string;
  accel: string;
  cpu: string;
  host: string;
  /** Of the features a KVM guest sees; absent under emulation. */
  flags?: string;
}

const names = {
  snapshot: 'format of snapshots',
  'command-line': 'way of starting QEMU',
  qemu: 'QEMU build',
  machine: 'machine type',
  accel: 'accelerator',
  cpu: 'CPU model of the guest',
  host: 'CPU of the host',
  flags: 'set of features of the host’s CPU',
} as const satisfies Record<keyof RestoreFacts, string>;

/** The stable text of the facts: a part of every template's key. */
export function restoreKeyOf(facts: RestoreFacts): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(';');
}

/**
 * Whether a machine saved under `recorded` can be restored under `now`. Another build of the same upstream series (a security update of the
 * distribution) is worth one trial; QEMU promises nothing between series for this machine type.
 */
export function compatibilityOf(recorded: VmSnapshotOrigin, now: VmSnapshotOrigin): Verdict {
  if (recorded.restoreKey === now.restoreKey)
    return { restorable: 'yes', reason: 'The host and its QEMU are the same.' };
  const [before, after] = [parseFacts(recorded.restoreKey), parseFacts(now.restoreKey)];
  const differing = Object.entries(names).filter(([name]) => before.get(name) !== after.get(name));
  const serious = differing.filter(([name]) => name !== 'qemu' || seriesOf(recorded) !== seriesOf(now));
  if (recorded.name !== now.name || serious.length > 0 || differing.length === 0) {
    const words = serious.map(
      ([name, label]) => `${label} (${before.get(name) ?? 'none'}, now ${after.get(name) ?? 'none'})`,
    );
    return { restorable: 'no', reason: `It was saved with another ${words.join(', ') || 'VMM'}.` };
  }
  const reason = `It was saved by QEMU ${recorded.version}, and this is ${now.version} of the same series.`;
  return { restorable: 'probe', reason };
}

function seriesOf({ version }: VmSnapshotOrigin): string {
  const parsed = parseQemuVersion(`QEMU emulator version ${version}`);
  return parsed === undefined ? version : `${String(parsed.major)}.${String(parsed.minor)}`;
}

function parseFacts(key: string): Map<string, string> {
  return new Map(
    key.split(';').map((part) => {
      const at = part.indexOf('=');
      return [part.slice(0, at), part.slice(at + 1)];
    }),
  );
}
