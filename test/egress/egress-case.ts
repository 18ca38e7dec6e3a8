import type { DenialReason, EgressDenial } from '../../hostd/contract/index.ts';
import type { GuestProbe } from './guest-probe.ts';

/** Of the report's row: what is left out does not matter. */
export type DeniedRow = { reason: DenialReason } & Partial<
  Pick<EgressDenial, 'name' | 'address' | 'port' | 'transport'>
>;

export interface EgressCase {
  name: string;
  probe: GuestProbe;
  /** What the guest has to see. */
  sees: string | RegExp;
  /** What an ordinary user sees, where it is something else. */
  userSees?: string;
  /** How the report has to explain it. */
  denied?: DeniedRow;
  /** One of the few that are tried again after a fork, a restore and the like. */
  smoke?: true;
}
