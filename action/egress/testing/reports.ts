import type { EgressDenial, EgressEntry, EgressReport } from '../../../hostd/contract/egress.ts';
import { quietReport } from '../../testing/fake-hostd.ts';

export function entry(changes: Partial<EgressEntry> = {}): EgressEntry {
  return {
    name: 'ok.example.com',
    address: '192.0.2.1',
    port: 443,
    transport: 'tcp',
    count: 2,
    bytesIn: 1_234_567,
    bytesOut: 890,
    firstAt: '2026-01-01T00:00:00.000Z',
    lastAt: '2026-01-01T00:00:01.000Z',
    ...changes,
  };
}

export function denial(changes: Partial<EgressDenial> = {}): EgressDenial {
  const nothing = { address: null, count: 1, bytesIn: 0, bytesOut: 0 };
  return { ...entry({ name: 'no.example.com', ...nothing }), reason: 'sni', blocked: true, ...changes };
}

/** A report of mode enforce whose counts add up. */
export function reportOf(changes: Partial<EgressReport> = {}): EgressReport {
  const denied = changes.denied ?? [];
  return {
    ...quietReport,
    policy: { mode: 'enforce', allow: ['ok.example.com:443'], revision: 1 },
    deniedCount: denied.reduce((sum, { count }) => sum + count, 0),
    ...changes,
  };
}
