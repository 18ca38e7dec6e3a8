import type { FlowTable } from './flow-table.ts';
import type { Flow } from './flow.ts';

/** The address that the guest dialled, where a connection without a name may go there: in audit mode, and when it can be known. */
export async function dialledInstead(table: FlowTable, flow: Flow): Promise<string | undefined> {
  const { remotePort, localPort } = flow.guest;
  if (!audits(table, flow) || remotePort === undefined || localPort === undefined) return undefined;
  const address = await table.options.dialledAddress(flow.sandboxId, remotePort, localPort);
  return audits(table, flow) ? address : undefined;
}

function audits(table: FlowTable, flow: Flow): boolean {
  return table.viewOf(flow)?.policy.mode === 'audit';
}
