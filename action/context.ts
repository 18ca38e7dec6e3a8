import { readFileSync } from 'node:fs';
import { OffshootError } from '../hostd/errors/offshoot-error.ts';
import type { Trigger } from './refusals.ts';

/** What the runner tells every step. */
export interface JobContext {
  /** Of the checked-out repository; the same path in the sandbox. */
  workspace: string;
  /** Emptied by the runner when the job ends. */
  tempFolder: string;
  trigger: Trigger;
  /** Labels that say whose sandbox it is. */
  labels: Record<string, string>;
}

const labelled = {
  'github.repository': 'GITHUB_REPOSITORY',
  'github.run-id': 'GITHUB_RUN_ID',
  'github.run-attempt': 'GITHUB_RUN_ATTEMPT',
  'github.job': 'GITHUB_JOB',
  'github.ref': 'GITHUB_REF',
  'github.sha': 'GITHUB_SHA',
  'github.actor': 'GITHUB_ACTOR',
} as const;

/** Throws `action-input` outside a runner. */
export function readContext(env: NodeJS.ProcessEnv = process.env): JobContext {
  const needed = (name: string): string => {
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    throw new OffshootError('action-input', {
      message: `${name} is not set: this is not a step of a workflow.`,
      hint: 'Use the offshoot command outside of workflows.',
    });
  };
  return {
    workspace: needed('GITHUB_WORKSPACE').replace(/(?<=.)\/+$/, ''),
    tempFolder: needed('RUNNER_TEMP'),
    trigger: { name: env['GITHUB_EVENT_NAME'] ?? '', payload: readPayload(env['GITHUB_EVENT_PATH']) },
    labels: Object.fromEntries(
      Object.entries(labelled).flatMap(([label, name]) => {
        const value = env[name];
        return value === undefined || value === '' ? [] : [[label, value.slice(0, 1024)]];
      }),
    ),
  };
}

function readPayload(file: string | undefined): unknown {
  if (file === undefined || file === '') return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
