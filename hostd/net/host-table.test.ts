import { beforeEach, describe, expect, test } from 'vitest';
import type { RunResult } from '../platform/run.ts';
import { networkConfigSchema } from './config.ts';
import { HostTable } from './host-table.ts';
import { planNetwork } from './plan.ts';
import { ScriptedRunner } from './testing/scripted-runner.ts';

const plan = planNetwork(networkConfigSchema.parse({}), 1500);
const one = 'opened_ports { 10.83.0.2 . 10.83.0.1 . tcp . 22 }';
const two = 'opened_hosts { 10.83.0.3 . 10.83.0.1 . tcp }';
const three = 'opened_ports { 10.83.0.2 . 10.83.0.1 . tcp . 23 }';

let table: HostTable;
let runner: ScriptedRunner;
let stands: boolean;
let ruleCount: number;
/** Of the next documents. */
let failures: number;

beforeEach(() => {
  stands = false;
  ruleCount = 0;
  failures = 0;
  runner = new ScriptedRunner((line): Partial<RunResult> => {
    const ofTable = { family: 'inet', table: plan.tableName };
    const named = { table: { family: 'inet', name: plan.tableName } };
    const rules = Array.from({ length: ruleCount }, () => ({
      rule: { ...ofTable, chain: 'guard', handle: 1, expr: [] },
    }));
    const listed = line === 'nft -j list tables' ? [named] : [named, ...rules];
    if (line.startsWith('nft -j')) return { stdout: JSON.stringify({ nftables: stands ? listed : [] }) };
    if (failures === 0) {
      stands = true;
      ruleCount = 9;
      return {};
    }
    failures -= 1;
    return { code: 1, stderr: 'No such file or directory' };
  });
  table = new HostTable(runner, plan);
});

const documents = (): string[] => runner.seen.filter(({ line }) => line === 'nft -f -').map(({ input }) => input);
/** The lines about what is open, and whether they came with the whole table. */
const written = (): string[] =>
  documents().map((text) => {
    const lines = text.split('\n').filter((line) => line.includes(' element '));
    return [...(text.includes('chain guard') ? ['table'] : []), ...lines].join('; ');
  });
const element = (verb: 'add' | 'delete', opening: string) => `${verb} element inet offshoot_main ${opening}`;

test('what was opened before the table is loaded is part of it from the start', async () => {
  await table.open(0, [one]);
  expect(documents()).toEqual([]);
  await table.ensure();
  expect(written()).toEqual([`table; ${element('add', one)}`]);
});

describe('while the table stands', () => {
  beforeEach(async () => {
    await table.ensure();
    await table.open(0, [one]);
    await table.open(1, [two]);
    runner.seen.length = 0;
  });

  test('only what changes is written, of one slot', async () => {
    await table.open(0, [one]);
    await table.ensure();
    await table.open(0, [three]);
    expect(written()).toEqual([`${element('delete', one)}; ${element('add', three)}`]);
    await table.open(0, []);
    expect(written()[1]).toBe(element('delete', three));
  });

  test('closing all but some opens nothing', async () => {
    await table.open(0, [one, three]);
    runner.seen.length = 0;
    await table.closeAllBut(0, [three, two]);
    expect(written()).toEqual([element('delete', one)]);
    await table.closeAllBut(2, [three]);
    expect(written()).toHaveLength(1);
  });

  test('made anew after others flushed it, it has what is open now', async () => {
    stands = false;
    await table.ensure();
    expect(written()).toEqual([`table; ${element('add', one)}; ${element('add', two)}`]);
  });

  test.each([0, 8])(
    'made anew after others left %s of its rules, whose chains let everything through',
    async (left) => {
      ruleCount = left;
      await table.ensure();
      expect(written()).toEqual([`table; ${element('add', one)}; ${element('add', two)}`]);
      await table.ensure();
      expect(written()).toHaveLength(1);
    },
  );

  test('a change that does not fit what others left makes the table anew', async () => {
    failures = 1;
    await table.open(0, []);
    expect(written()).toEqual([element('delete', one), `table; ${element('add', two)}`]);
  });

  test('a failure is told, and what it left is mended by the next call, for whichever slot', async () => {
    failures = 2;
    await expect(table.open(0, [])).rejects.toThrow('No such file or directory');
    await table.open(1, [two]);
    expect(written().at(-1)).toBe(`table; ${element('add', two)}`);
  });

  test('changes at once leave what the last one of each slot said', async () => {
    await Promise.all([table.open(0, []), table.open(1, []), table.open(0, [three]), table.open(1, [two])]);
    expect(written()).toEqual([`${element('delete', one)}; ${element('add', three)}`]);
  });

  test('once it is removed, nothing is written until it is loaded again', async () => {
    await table.remove();
    stands = false;
    await table.open(0, []);
    expect(written()).toEqual([]);
    await table.ensure();
    expect(written()).toEqual([`table; ${element('add', two)}`]);
  });
});
