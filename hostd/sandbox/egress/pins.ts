import type { PinDocument } from '../../net/egress/dns/pin-document.ts';
import type { SandboxRow } from '../../store/rows.ts';
import type { HostContext } from '../host-context.ts';
import type { KeptSnapshot } from '../snapshot/snapshots.ts';

const noPins: PinDocument = { version: 1, pins: [] };

type Ruled = Pick<SandboxRow, 'id' | 'egressMode'>;

/** Addresses that a sandbox was answered with, for what is copied from it. A copy without them asks again. */
export async function pinsOf(host: HostContext, { id, egressMode }: Ruled): Promise<PinDocument> {
  if (!isRuled(egressMode)) return noPins;
  return host.network.pinsOf(id).catch((error: unknown) => {
    host.log.warn({ sandboxId: id, error }, 'addresses that were answered are not known');
    return noPins;
  });
}

/** Gives a copy what its source was answered with, as far as its own policy allows: its programs go on using those addresses. */
export async function inheritPins(host: HostContext, { id, egressMode }: Ruled, pins: PinDocument): Promise<void> {
  if (pins.pins.length === 0 || !isRuled(egressMode)) return;
  await host.network.restorePins(id, pins).catch((error: unknown) => {
    host.log.warn({ sandboxId: id, error }, 'a copy asks anew for the addresses its source was answered with');
  });
}

/** What a snapshot was answered with before it was taken. */
export function keptPins({ manifest }: KeptSnapshot): PinDocument {
  return manifest.egressPins ?? noPins;
}

function isRuled(mode: SandboxRow['egressMode']): boolean {
  return mode === 'enforce' || mode === 'audit';
}
