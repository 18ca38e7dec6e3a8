import { expect, test } from 'vitest';
import { egressColumns, slotEgress } from './egress-columns.ts';

const request = { mode: 'enforce', allow: ['b.example.com:22', 'A.example.com', 'a.example.com:443 # again'] } as const;
const columns = egressColumns({ ...request, allow: [...request.allow] });

test('a list that was read is not read again for the network; one from the store is, to the same rules', () => {
  const row = { id: 'sbx_one', ...columns };
  const read = slotEgress(row).policy;
  expect(read.rules.map(({ text }) => text)).toEqual(['b.example.com:22', 'a.example.com:443']);
  expect(slotEgress({ ...row, egressRevision: 2 }).policy.rules).toBe(read.rules);
  expect(slotEgress({ ...row, egressMode: 'audit' }).policy).toEqual({ mode: 'audit', rules: read.rules });
  const stored = slotEgress({ ...row, egressAllow: [...columns.egressAllow] }).policy;
  expect(stored).toEqual(read);
  expect(stored.rules).not.toBe(read.rules);
});

test('a list whose rules are known can not be changed beside them', () => {
  expect(() => columns.egressAllow.push('c.example.com:443')).toThrow(TypeError);
});
