import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../platform/clock.ts';
import { dial } from '../proxy/dial.ts';
import type { ProxyEntry } from '../proxy/options.ts';
import { startProxy } from '../proxy/start-proxy.ts';
import { operation } from './control-server.ts';
import { namesSocket } from './helper-files.ts';
import { InTurn } from './in-turn.ts';
import {
  policyDocumentSchema,
  proxyListenSchema,
  reportRequestSchema,
  sandboxRequestSchema,
  widenSchema,
  type PolicyAck,
  type PolicyDocument,
} from './messages.ts';
import { NamesClient } from './names-client.ts';
import { PolicyTable } from './policy-table.ts';
import { ProxyListeners } from './proxy-listeners.ts';
import { ReportLog, type Counted } from './report-log.ts';
import type { HelperService } from './run-helper.ts';
import { UsageReport } from './usage-report.ts';

/** The proxy with its policies. Names it asks of the resolver that serves this folder. It dials from wherever this process is. */
export async function openProxyService(folder: string): Promise<HelperService> {
  const table = new PolicyTable();
  const report = new ReportLog(() => systemClock.wallMs());
  const names = new NamesClient(namesSocket(folder));
  const turn = new InTurn();
  const proxy = await startProxy({
    viewOf: (source) => table.atSource(source),
    resolve: (sandboxId, name) => names.addressesOf(sandboxId, name),
    dialledAddress: (sandboxId, fromPort, listenerPort) => names.dialledAddress(sandboxId, fromPort, listenerPort),
    dial,
    record: (entry) => {
      report.count(countedOf(entry));
    },
  });
  const usage = new UsageReport(proxy, report);
  const listeners = new ProxyListeners(proxy);

  let narrowed: { id: string; document: PolicyDocument } | undefined;

  /** Between the first line and the last nothing else happens in this process: no connection meets half a change. */
  function setPolicies(document: PolicyDocument): PolicyAck {
    const prepared = table.prepare(document);
    table.commit(prepared);
    const cut = proxy.enforceAgain();
    prepared.dropped.forEach((sandboxId) => {
      forget(sandboxId, document.phase === 'final');
    });
    narrowed = document.phase === 'narrow' ? { id: randomUUID(), document } : undefined;
    const revisions = table.revisions(document.sandboxes.map(({ sandboxId }) => sandboxId));
    return { revisions, cut, ...(narrowed === undefined ? {} : { narrowed: narrowed.id }) };
  }

  function widen(id: string): PolicyAck | null {
    return narrowed?.id === id ? setPolicies({ ...narrowed.document, phase: 'final' }) : null;
  }

  function forget(sandboxId: string, isGone: boolean): void {
    usage.forget(sandboxId);
    if (isGone) report.drop(sandboxId);
  }

  return {
    operations: {
      setPolicies: operation(policyDocumentSchema, setPolicies),
      widen: operation(widenSchema, (asked) => widen(asked.narrowed)),
      dropSandbox: operation(sandboxRequestSchema, ({ sandboxId }) => {
        narrowed = undefined;
        table.drop(sandboxId);
        forget(sandboxId, true);
      }),
      listen: operation(proxyListenSchema, (wanted) => turn.do(() => listeners.set(wanted.listeners))),
      report: operation(reportRequestSchema, ({ since, limit }) => {
        usage.update();
        return report.page(since, limit);
      }),
    },
    health: () => ({
      epoch: report.epoch,
      sandboxes: table.size,
      listeners: listeners.size,
      reportRows: report.size,
    }),
    close: async () => {
      await proxy.close();
      await names.close();
    },
  };
}

function countedOf({ sandboxId, outcome, reason, failure, name, address, port, transport }: ProxyEntry): Counted {
  const word = outcome === 'audited' ? 'would-deny' : outcome;
  return { sandboxId, outcome: word, reason, failure, name, address, port, transport };
}
