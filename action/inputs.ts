import { getInput } from '@actions/core';
import { z } from 'zod';
import { labelsSchema, nameSchema } from '../hostd/contract/common.ts';
import { egressModes } from '../hostd/contract/egress.ts';
import { egressWords } from '../hostd/contract/egress-words.ts';
import { parseHostAddress } from '../hostd/client/address.ts';
import { OffshootError } from '../hostd/errors/offshoot-error.ts';

const units = { '': 1, m: 1, mb: 1, mib: 1, g: 1024, gb: 1024, gib: 1024 } as const;

const sizeMiB = z.string().transform((text, context) => {
  const [, digits = '', unit = ''] = /^(\d{1,9})\s*([a-z]*)$/i.exec(text) ?? [];
  const factor = (units as Record<string, number | undefined>)[unit.toLowerCase()];
  if (digits !== '' && factor !== undefined && Number(digits) > 0) return Number(digits) * factor;
  context.addIssue({ code: 'custom', message: 'must be a whole number of MiB, or have a unit as in 2g' });
  return z.NEVER;
});
const positive = (most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(
      z
        .number()
        .min(1, 'must be at least 1')
        .max(most, `must be at most ${String(most)}`),
    );
const minutes = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,3})?$/, 'must be a number of minutes')
  .transform(Number);
// the runner's own reading of a yes or no: YAML 1.2's core schema
const yesOrNo = z
  .enum(['true', 'True', 'TRUE', 'false', 'False', 'FALSE'], 'must be true or false')
  .transform((text) => text.toLowerCase() === 'true');
const lines = z.string().transform((text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#')),
);
const absentWhenEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

const host = z.string().superRefine((text, context) => {
  if (text === 'local') return;
  if (text === '') {
    context.addIssue({ code: 'custom', message: 'is needed: unix:PATH, or local' });
    return;
  }
  try {
    parseHostAddress(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be unix:PATH, or local' });
  }
});

const labels = lines
  .transform((entries, context) => {
    const given: Record<string, string> = {};
    for (const entry of entries) {
      const at = entry.indexOf('=');
      if (at < 1) context.addIssue({ code: 'custom', message: `${JSON.stringify(entry)} is not NAME=VALUE` });
      else given[entry.slice(0, at).trim()] = entry.slice(at + 1).trim();
    }
    return given;
  })
  .pipe(labelsSchema);

const shell = z
  .string()
  .min(1)
  .refine(
    (text) => ['bash', 'sh', 'python'].includes(text) || text.includes('{0}'),
    'must be bash, sh, python, or a command line with {0} for the script',
  );

/** A week: the runner ends a job of its own long before, after six hours to five days. */
const longestScriptMinutes = 10_080;

const inputsSchema = z
  .strictObject({
    host,
    image: absentWhenEmpty(nameSchema),
    snapshot: absentWhenEmpty(nameSchema),
    prepare: z.string(),
    run: z.string(),
    shell,
    'working-directory': z.string(),
    env: z.string(),
    cpus: absentWhenEmpty(positive(64)),
    memory: absentWhenEmpty(sizeMiB),
    disk: absentWhenEmpty(sizeMiB),
    'timeout-minutes': minutes.pipe(
      z
        .number()
        .positive('must be more than 0')
        .max(longestScriptMinutes, `must be at most ${String(longestScriptMinutes)}`),
    ),
    egress: absentWhenEmpty(z.string().max(200_000, 'must be at most 200000 characters')),
    'egress-mode': absentWhenEmpty(z.enum(egressModes, 'must be enforce, audit, open or none')),
    'fail-on-egress-denied': yesOrNo,
    sync: yesOrNo,
    'sync-exclude': lines,
    artifacts: lines,
    'artifacts-dir': z
      .string()
      .min(1)
      .refine((text) => !text.split('/').includes('..') && !text.startsWith('/'), 'must lie beneath the workspace'),
    'keep-on-failure': minutes.pipe(
      z
        .number()
        .max(43_200, 'must be at most 43200, which is 30 days')
        .refine((value) => value === 0 || value >= 2, 'must be 0 or at least 2'),
    ),
    'save-snapshot': absentWhenEmpty(nameSchema),
    labels,
    'allow-unsafe-fork-code': yesOrNo,
  })
  .superRefine((inputs, context) => {
    const wrong = (name: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [name], message });
    };
    if (inputs.snapshot !== undefined) {
      for (const name of ['image', 'cpus', 'memory', 'disk'] as const) {
        if (inputs[name] !== undefined)
          wrong(name, 'can not be given together with snapshot, which has its own; remove one of them');
      }
    }
    if (inputs['egress-mode'] === 'none' && egressWords(inputs.egress ?? '').length > 0)
      wrong('egress', 'must be empty with egress-mode none, which allows nothing; remove one of them');
    if (inputs['fail-on-egress-denied'] && ['open', 'none'].includes(inputs['egress-mode'] ?? ''))
      wrong('fail-on-egress-denied', 'needs egress-mode enforce or audit: the others record no denials');
    if (inputs.host === 'local' && inputs.snapshot !== undefined)
      wrong('snapshot', 'there is none on a host that is started for this job; name the host that has it');
    if (inputs.host === 'local' && inputs['keep-on-failure'] > 0)
      wrong('keep-on-failure', 'needs a host that lives longer than the job; host is local');
    if (inputs.host === 'local' && inputs['save-snapshot'] !== undefined)
      wrong('save-snapshot', 'needs a host that lives longer than the job; host is local');
  });

export type Inputs = z.output<typeof inputsSchema>;

/** Reads a step's inputs as the runner gives them. Throws `action-input` whose details.issues name each input that is wrong. */
export function readInputs(read: (name: string) => string = untrimmedScript): Inputs {
  const given = Object.fromEntries(inputNames.map((name) => [name, read(name)]));
  const result = inputsSchema.safeParse(given);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  const first = issues[0];
  throw new OffshootError('action-input', {
    message:
      issues.length > 1
        ? `${String(issues.length)} inputs are not valid:`
        : `The input ${first?.path ?? ''} ${first?.message ?? 'is not valid'}.`,
    details: { issues },
  });
}

/** All that action.yml declares. */
export const inputNames = [
  'host',
  'image',
  'snapshot',
  'prepare',
  'run',
  'shell',
  'working-directory',
  'env',
  'cpus',
  'memory',
  'disk',
  'timeout-minutes',
  'egress',
  'egress-mode',
  'fail-on-egress-denied',
  'sync',
  'sync-exclude',
  'artifacts',
  'artifacts-dir',
  'keep-on-failure',
  'save-snapshot',
  'labels',
  'allow-unsafe-fork-code',
] as const;

/** Scripts and variables keep their blanks: a here-document or a value may end in some. */
function untrimmedScript(name: string): string {
  return getInput(name, { trimWhitespace: !['prepare', 'run', 'env'].includes(name) });
}
