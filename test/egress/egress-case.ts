import type { DenialReason, EgressDenial, EgressEntry } from '../../hostd/contract/index.ts';
import type { GuestProbe } from './guest-probe.ts';

/** Of the report's row: what is left out does not matter. */
export type DeniedRow = { reason: DenialReason } & Partial<
  Pick<EgressDenial, 'name' | 'address' | 'port' | 'transport'>
>;

/** Of the report's row of what passed; it has to have connections, and bytes in both directions. */
export type PassedRow = Partial<Pick<EgressEntry, 'name' | 'address' | 'port' | 'transport'>>;

export interface EgressCase {
  name: string;
  probe: GuestProbe;
  /** What the guest has to see. */
  sees: string | RegExp;
  /** What an ordinary user sees, where it is something else. */
  userSees?: string;
  /** How the report has to explain it. */
  denied?: DeniedRow;
  /** How the report has to tell of it. */
  passed?: PassedRow;
  /** One of the few that are tried again after a fork, a restore and the like. */
  smoke?: true;
}
