import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PortTable } from './port-table.ts';

const port = fc.oneof(fc.constantFrom(1, 2, 3), fc.constant('any' as const));
const rule = fc.record({ port, transport: fc.constantFrom('tcp' as const, 'udp' as const), text: fc.string() });

test('a table finds, gives and replaces rules as a map by port and transport does, with any number of them', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), (rules) => {
      const table = new PortTable<(typeof rules)[number]>();
      const model = new Map<string, (typeof rules)[number]>();
      for (const one of rules) {
        table.add(one);
        model.set(`${one.transport} ${String(one.port)}`, one);
      }
      expect(table.all()).toEqual([...model.values()]);
      expect(table.first()).toBe([...model.values()][0]);
      for (const transport of ['tcp', 'udp'] as const) {
        for (const asked of [1, 2, 3, 4]) {
          const found = model.get(`${transport} ${String(asked)}`) ?? model.get(`${transport} any`);
          expect(table.find(transport, asked)).toBe(found);
        }
      }
    }),
  );
});
