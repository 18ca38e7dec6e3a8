import type { PinDocument } from '../../net/egress/dns/pin-document.ts';
import { isHeldByName } from '../../net/egress/policy/held-mode.ts';
import type { SandboxRow } from '../../store/rows.ts';
import type { HostContext } from '../host-context.ts';
import type { KeptSnapshot } from '../snapshot/snapshots.ts';

const noPins: PinDocument = { version: 1, pins: [] };

/** Answers of its source that a copy's report knows addresses by. */
const maxAnswersKept = 500;

type Ruled = Pick<SandboxRow, 'id' | 'egressMode' | 'egressAllow'>;

/** Addresses that a sandbox was answered with, for what is copied from it. A copy without them asks again. */
export async function pinsOf(host: HostContext, row: Ruled): Promise<PinDocument> {
  const { id } = row;
  if (!hasNames(row)) return noPins;
  return host.network.pinsOf(id).catch((error: unknown) => {
    host.log.warn({ sandboxId: id, error }, 'addresses that were answered are not known');
    return noPins;
  });
}

/** Gives a copy what its source was answered with, as far as its own policy allows: its programs go on using those addresses. */
export async function inheritPins(host: HostContext, row: Ruled, pins: PinDocument): Promise<void> {
  const { id } = row;
  if (pins.pins.length === 0 || !hasNames(row)) return;
  await host.network.restorePins(id, pins).catch((error: unknown) => {
    host.log.warn({ sandboxId: id, error }, 'a copy asks anew for the addresses its source was answered with');
  });
  keepAnswers(host, id, pins);
}

/** So that its report has names for addresses which it reaches without asking for them. */
function keepAnswers({ store, clock }: HostContext, sandboxId: string, { pins }: PinDocument): void {
  const answers = new Map(pins.map(({ name, address }) => [`${name} ${address}`, { name, address }]));
  const nowMs = clock.wallMs();
  store.transaction(() => {
    if (store.sandboxes.get(sandboxId) === undefined) return;
    for (const { name, address } of [...answers.values()].slice(-maxAnswersKept)) {
      store.egress.put({
        sandboxId,
        key: JSON.stringify(['inherited', name, address]),
        source: 'inherited',
        countedBy: 'resolver',
        outcome: 'answered',
        reason: null,
        name,
        address,
        port: null,
        transport: 'udp',
        count: 1,
        bytesIn: 0,
        bytesOut: 0,
        firstMs: nowMs,
        lastMs: nowMs,
        seenPackets: 0,
        seenBytes: 0,
      });
    }
  });
}

/**
 * What a snapshot was answered with before it was taken, older by the time since: an address may be somebody else's by now. The network gives
 * each pin a last minute, so that programs which go on with what they know do not fail at once.
 */
export function keptPins({ clock }: Pick<HostContext, 'clock'>, { manifest }: KeptSnapshot): PinDocument {
  const { version, pins } = manifest.egressPins ?? noPins;
  const ageMs = Math.max(0, clock.wallMs() - manifest.createdAtMs);
  return { version, pins: pins.map((pin) => ({ ...pin, remainingMs: Math.max(0, pin.remainingMs - ageMs) })) };
}

function hasNames({ egressMode, egressAllow }: Ruled): boolean {
  return isHeldByName(egressMode, egressAllow.length > 0);
}
