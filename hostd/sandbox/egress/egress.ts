import type { EgressPolicyRequest } from '../../contract/egress.ts';
import type { HelperEvent } from '../../net/egress/gate/helper-keeper.ts';
import { isHeldByName } from '../../net/egress/policy/held-mode.ts';
import type { HostContext } from '../host-context.ts';
import type { LiveSandbox } from '../live-sandbox.ts';
import { filterMadeAnew } from './count-keeper.ts';
import type { EgressReports } from './egress-reports.ts';
import { egressColumns, slotEgress, type EgressColumns } from './egress-columns.ts';

const collectMs = 1000;

/** Changes of what sandboxes may reach. */
export class Egress {
  readonly #host: HostContext;
  readonly #reports: EgressReports;

  constructor(host: HostContext, reports: EgressReports) {
    this.#host = host;
    this.#reports = reports;
  }

  /** In force when it resolves. Throws `egress-rules-invalid`, `sandbox-not-running`; one that fails is as if it had not been asked for, once the next one succeeds. */
  async set(id: string, policy: EgressPolicyRequest): Promise<void> {
    const { registry, network } = this.#host;
    const columns = egressColumns(policy);
    const asked = registry.standing(id);
    await asked.egressTurn.run(async () => {
      const sandbox = registry.standing(id);
      const { slot, egressRevision } = sandbox.row;
      if (slot === null) throw new Error('A sandbox that stands has a slot.');
      const changed = { ...columns, egressRevision: egressRevision + 1 };
      // What the filter counted goes with its rules, then.
      const isMadeAnew = !isHeldByName(policy.mode, columns.egressAllow.length > 0);
      if (isMadeAnew) await this.#reports.collect(id, collectMs);
      await network.setEgress(slot, slotEgress({ id, ...changed }));
      try {
        this.#store(sandbox, changed, isMadeAnew);
      } catch (error) {
        await this.#takeBack(sandbox, slot, changed.egressRevision);
        throw error;
      }
    });
  }

  #store(sandbox: LiveSandbox, changed: EgressColumns, isMadeAnew: boolean): void {
    const { registry, store, events } = this.#host;
    const { id } = sandbox.row;
    const { egressMode: mode, egressAllow, egressRevision: revision } = changed;
    store.transaction(() => {
      if (isMadeAnew) filterMadeAnew(store, id);
      registry.patch(sandbox, changed);
      const data = { mode, rules: egressAllow.length, revision };
      events.append('egress.changed', { sandboxId: id, data });
    });
  }

  /** What could not be stored, as the disk is full, say, is not to stay in force: reports, copies and the next hostd go by what is stored. */
  async #takeBack({ row }: LiveSandbox, slot: number, egressRevision: number): Promise<void> {
    const { network, log } = this.#host;
    await network.setEgress(slot, slotEgress({ ...row, egressRevision })).catch((error: unknown) => {
      log.error({ sandboxId: row.id, error }, 'an egress policy that could not be stored is in force');
    });
  }

  /** Resolver or proxy came or went. */
  helperChanged({ role, kind, pid, message }: HelperEvent): void {
    const { events, log } = this.#host;
    const facts = { helper: role, what: kind, ...(pid === undefined ? {} : { pid }) };
    if (kind === 'started' || kind === 'adopted') log.info(facts, 'egress helper');
    else log.warn({ ...facts, message }, 'egress helper');
    events.append('host.egress-helper', { data: { ...facts, ...(message === undefined ? {} : { message }) } });
  }
}
