import type { EgressMode, EgressPolicyRequest } from '../../contract/egress.ts';
import type { SlotEgress } from '../../net/network.ts';
import type { Policy } from '../../net/egress/policy/policy.ts';
import { parsePolicy } from '../../net/egress/policy/parse-rules.ts';
import type { SandboxRow } from '../../store/rows.ts';

/** The policy of a sandbox as its row has it: rules normalised, one each. */
export type EgressColumns = Pick<SandboxRow, 'egressMode' | 'egressAllow' | 'egressRevision'>;

/** What columns were made of: to read a long list again takes longer than all else that a change of policy does. */
const rulesOf = new WeakMap<readonly string[], Policy['rules']>();

/** The first policy of a sandbox. Throws `egress-rules-invalid`. */
export function egressColumns({ mode, allow }: EgressPolicyRequest): EgressColumns {
  const { rules } = parsePolicy(mode, allow);
  const egressAllow = rules.map(({ text }) => text);
  rulesOf.set(Object.freeze(egressAllow), rules);
  return { egressMode: mode, egressAllow, egressRevision: 1 };
}

export function unruledColumns(mode: EgressMode): EgressColumns {
  return { egressMode: mode, egressAllow: [], egressRevision: 1 };
}

/** What its network is asked for. */
export function slotEgress(row: EgressColumns & Pick<SandboxRow, 'id'>): SlotEgress {
  return { ...ownerlessEgress(row), sandbox: { id: row.id, revision: row.egressRevision } };
}

/** The same for a machine that belongs to nobody yet. */
export function ownerlessEgress({ egressMode, egressAllow }: Omit<EgressColumns, 'egressRevision'>): SlotEgress {
  const rules = rulesOf.get(egressAllow);
  return { policy: rules === undefined ? parsePolicy(egressMode, egressAllow) : { mode: egressMode, rules } };
}
