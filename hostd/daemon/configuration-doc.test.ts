import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { configSchema } from './config.ts';

interface Property {
  default?: unknown;
  properties?: Record<string, Property>;
}

function settings(property: Property, prefix = ''): [string, unknown][] {
  return Object.entries(property.properties ?? {}).flatMap(([name, inner]): [string, unknown][] =>
    inner.properties === undefined ? [[prefix + name, inner.default]] : settings(inner, `${prefix}${name}.`),
  );
}

test('docs/configuration.md names every setting with its default, and no other', async () => {
  const page = await readFile(path.resolve(import.meta.dirname, '../../docs/configuration.md'), 'utf8');
  const rows = new Map(
    [...page.matchAll(/^\| `([\w.]+)`\s+\| (.*?)\s+\|/gm)].map((row) => [row[1] ?? '', row[2] ?? '']),
  );
  const known = settings(z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Property);
  expect([...rows.keys()].sort()).toEqual(known.map(([name]) => name).sort());
  const computed = ['sandboxes.concurrentBoots'];
  for (const [name, value] of known) {
    if (value === undefined || computed.includes(name)) continue;
    expect(`${name}: ${(rows.get(name) ?? '').replaceAll('`', '')}`).toBe(`${name}: ${String(value)}`);
  }
});
