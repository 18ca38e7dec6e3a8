import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { networkConfigSchema } from './config.ts';
import { planNetwork } from './plan.ts';
import { closedRanges } from './slot-rules.ts';

const page = await readFile(new URL('../../docs/network.md', import.meta.url), 'utf8');

test('the settings shown in docs/network.md are valid', () => {
  const examples = [...page.matchAll(/```json\n(.*?)```/gs)].map((match) => match[1] ?? '');
  expect(examples).toHaveLength(3);
  for (const example of examples) {
    const { network } = z.strictObject({ network: networkConfigSchema }).parse(JSON.parse(example));
    expect(network.maxFlowsPerSandbox).toBe(8192);
  }
});

test('docs/network.md names what hostd makes, and every closed range', () => {
  const plan = planNetwork(networkConfigSchema.parse({}), 1500);
  const names = [
    plan.bridgeName,
    `${plan.netnsPrefix}N`,
    `${plan.vethPrefix}N`,
    `inet ${plan.tableName}`,
    plan.ruleComment,
  ];
  for (const text of [...names, ...closedRanges(plan), '8192', '1000', plan.subnet]) expect(page).toContain(text);
});
