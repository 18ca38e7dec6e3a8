import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { conditionSchema, type Condition } from './contract.ts';
import type { StepLog } from './step-log.ts';

/** action.yml of a JavaScript action, as far as the runner asks it. */

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform((value) => String(value ?? ''));

const manifestSchema = z.object({
  name: z.string(),
  inputs: z
    .record(
      z.string(),
      z.object({
        default: scalar.optional(),
        deprecationMessage: z.string().optional(),
        required: z.boolean().optional(),
      }),
    )
    .default({}),
  runs: z.object({
    using: z.literal('node24'),
    main: z.string(),
    post: z.string().optional(),
    'post-if': conditionSchema.default('always()'),
  }),
});

export interface ActionDefinition {
  folder: string;
  main: string;
  post: string | undefined;
  postCondition: Condition;
  inputs: z.infer<typeof manifestSchema>['inputs'];
}

/** Reads action.yml (or action.yaml); throws when it is missing or asks for what this runner has not. */
export async function readAction(folder: string): Promise<ActionDefinition> {
  const read = (name: string) => readFile(path.join(folder, name), 'utf8');
  const text = await read('action.yml').catch(() => read('action.yaml'));
  const { inputs, runs } = manifestSchema.parse(parse(text));
  for (const [name, { default: value }] of Object.entries(inputs)) {
    if (value?.includes('${{')) throw new Error(`input ${name}: expressions in defaults are not known here`);
  }
  return {
    folder,
    main: path.join(folder, runs.main),
    post: runs.post === undefined ? undefined : path.join(folder, runs.post),
    postCondition: runs['post-if'],
    inputs,
  };
}

/**
 * The inputs with their defaults. As on the real runner `required` is not enforced, an input nobody declared gets through with a warning,
 * and names differ not by case.
 */
export function completeInputs(
  action: ActionDefinition,
  given: Readonly<Record<string, string>>,
  log: StepLog,
): Record<string, string> {
  const declared = Object.entries(action.inputs);
  const has = (name: string) => Object.keys(given).find((key) => key.toLowerCase() === name.toLowerCase());
  const unexpected = Object.keys(given).filter(
    (key) => !declared.some(([name]) => name.toLowerCase() === key.toLowerCase()),
  );
  if (unexpected.length > 0) {
    const valid = declared.map(([name]) => name).join("', '");
    log.warning(`Unexpected input(s) '${unexpected.join("', '")}', valid inputs are ['${valid}']`);
  }
  const inputs: Record<string, string> = { ...given };
  for (const [name, { default: value, deprecationMessage }] of declared) {
    if (has(name) === undefined) inputs[name] = value ?? '';
    else if (deprecationMessage !== undefined) {
      log.warning(`Input '${name}' has been deprecated with message: ${deprecationMessage}`);
    }
  }
  return inputs;
}

/** INPUT_ variables: spaces become underscores, everything else stays (hyphens too), in upper case. */
export function inputVariables(inputs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, value]),
  );
}
