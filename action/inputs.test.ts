import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { isOffshootError } from '../hostd/errors/offshoot-error.ts';
import { actionOutputs } from './file-commands/merge.ts';
import { inputNames, readInputs } from './inputs.ts';

const metadata = z
  .object({
    outputs: z.record(z.string(), z.unknown()),
    inputs: z.record(z.string(), z.object({ default: z.string().optional(), description: z.string() })),
  })
  .parse(parse(readFileSync(path.join(import.meta.dirname, '../action.yml'), 'utf8')));

/** As the runner does: what the workflow gives over the defaults of action.yml. */
function inputsOf(given: Record<string, string>) {
  return readInputs((name) => given[name] ?? metadata.inputs[name]?.default ?? '');
}

function issuesOf(given: Record<string, string>): unknown {
  try {
    inputsOf(given);
  } catch (error) {
    if (isOffshootError(error)) return error.details['issues'];
    throw error;
  }
  return [];
}

test('action.yml declares exactly what is read', () => {
  expect(Object.keys(metadata.inputs)).toEqual([...inputNames]);
});

test('no script sets an output that is the action’s own', () => {
  expect(actionOutputs).toEqual(expect.arrayContaining(Object.keys(metadata.outputs)));
});

test('a host and a script are enough', () => {
  const inputs = inputsOf({ host: 'unix:/run/x.sock', run: 'make\n' });
  expect(inputs).toMatchObject({
    host: 'unix:/run/x.sock',
    run: 'make\n',
    shell: 'bash',
    'timeout-minutes': 60,
    sync: true,
    'keep-on-failure': 0,
    artifacts: [],
    'artifacts-dir': 'offshoot-artifacts',
    'fail-on-egress-denied': false,
  });
  expect(inputs.egress).toBeUndefined();
  expect(inputs['egress-mode']).toBeUndefined();
  expect(inputs.image).toBeUndefined();
  expect(inputs.memory).toBeUndefined();
});

test.each([
  ['512', 512],
  ['2g', 2048],
  ['2 GiB', 2048],
  ['768MB', 768],
])('memory %s', (memory, expected) => {
  expect(inputsOf({ host: 'local', memory }).memory).toBe(expected);
});

test('lists have comments and blank lines', () => {
  const inputs = inputsOf({
    host: 'local',
    artifacts: 'dist/**\n\n# reports\n  *.xml  \n!dist/tmp\n',
    labels: 'team=core\nnote=a=b',
  });
  expect(inputs.artifacts).toEqual(['dist/**', '*.xml', '!dist/tmp']);
  expect(inputs.labels).toEqual({ team: 'core', note: 'a=b' });
});

test.each<[string, Record<string, string>, string]>([
  ['host', {}, 'is needed'],
  ['host', { host: 'ftp://x' }, 'must be unix:PATH'],
  ['cpus', { host: 'local', cpus: '0' }, 'at least 1'],
  ['cpus', { host: 'local', cpus: '1.5' }, 'whole number'],
  ['memory', { host: 'local', memory: '2x' }, 'whole number of MiB'],
  ['timeout-minutes', { host: 'local', 'timeout-minutes': '0' }, 'more than 0'],
  ['timeout-minutes', { host: 'local', 'timeout-minutes': 'ten' }, 'number of minutes'],
  ['egress-mode', { host: 'local', 'egress-mode': 'closed' }, 'enforce, audit, open or none'],
  ['egress', { host: 'local', egress: 'example.com', 'egress-mode': 'none' }, 'must be empty with egress-mode none'],
  ['egress', { host: 'local', egress: 'x'.repeat(200_001) }, 'at most 200000 characters'],
  ['fail-on-egress-denied', { host: 'local', 'fail-on-egress-denied': '1' }, 'true or false'],
  ['fail-on-egress-denied', { host: 'local', 'fail-on-egress-denied': 'true', 'egress-mode': 'none' }, 'record no'],
  ['fail-on-egress-denied', { host: 'local', 'fail-on-egress-denied': 'true', 'egress-mode': 'open' }, 'record no'],
  ['sync', { host: 'local', sync: 'yes' }, 'true or false'],
  ['artifacts-dir', { host: 'local', 'artifacts-dir': '../out' }, 'beneath the workspace'],
  ['artifacts-dir', { host: 'local', 'artifacts-dir': '/out' }, 'beneath the workspace'],
  ['shell', { host: 'local', shell: 'fish' }, 'with {0}'],
  ['labels', { host: 'local', labels: 'novalue' }, 'NAME=VALUE'],
  ['keep-on-failure', { host: 'unix:/x', 'keep-on-failure': '1' }, 'at least 2'],
  ['keep-on-failure', { host: 'local', 'keep-on-failure': '30' }, 'lives longer than the job'],
  ['save-snapshot', { host: 'local', 'save-snapshot': 'x' }, 'lives longer than the job'],
  ['snapshot', { host: 'local', snapshot: 'x' }, 'started for this job'],
  ['memory', { host: 'unix:/x', snapshot: 'x', memory: '1g' }, 'together with snapshot'],
  ['image', { host: 'unix:/x', snapshot: 'x', image: 'y' }, 'together with snapshot'],
])('a wrong %s is named with what is wrong', (name, given, message) => {
  expect(issuesOf(given)).toContainEqual(
    expect.objectContaining({ path: name, message: expect.stringContaining(message) }),
  );
});

test('all that is wrong is told at once', () => {
  expect(issuesOf({ host: 'nowhere', cpus: 'x', sync: 'maybe' })).toHaveLength(3);
});
