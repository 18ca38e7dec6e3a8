import {
  egressPolicyInfoSchema,
  egressReportSchema,
  type EgressPolicyInfo,
  type EgressPolicyInput,
  type EgressReport,
} from '../../hostd/contract/index.ts';
import { Transport } from '../../hostd/client/transport.ts';

const pathOf = (sandboxId: string) => `/v1/sandboxes/${encodeURIComponent(sandboxId)}/egress`;

export async function egressReport(host: string, sandboxId: string): Promise<EgressReport> {
  const transport = new Transport({ host });
  try {
    return await transport.json(egressReportSchema, { method: 'GET', path: pathOf(sandboxId) });
  } finally {
    await transport.close();
  }
}

export async function setEgress(host: string, sandboxId: string, json: EgressPolicyInput): Promise<EgressPolicyInfo> {
  const transport = new Transport({ host });
  try {
    return await transport.json(egressPolicyInfoSchema, { method: 'PUT', path: pathOf(sandboxId), json });
  } finally {
    await transport.close();
  }
}
