import path from 'node:path';
import type { Annotation, Command } from './contract.ts';
import { addPath, saveState, setEnv, type JobState, type StepState } from './job-state.ts';
import { readMatchers } from './problem-matcher.ts';

/** What each command does, by the rules of actions/runner src/Runner.Worker/ActionCommandManager.cs. */

interface Scene {
  job: JobState;
  step: StepState;
  command: Command;
  echo: boolean;
}

type Effect = (scene: Scene) => void | Promise<void>;

const effects: Record<string, Effect> = {
  'add-mask': addMask,
  'add-matcher': addMatcher,
  'remove-matcher': removeMatcher,
  'set-output': ({ step, command }) => {
    warnDeprecated(step, 'set-output');
    step.outputs[named(command)] = command.data;
  },
  'save-state': ({ step, command }) => {
    warnDeprecated(step, 'save-state');
    saveState(step, named(command), command.data);
  },
  'set-env': ({ job, step, command }) => {
    refuseUnlessInsecure(step, 'set-env');
    const name = named(command);
    if (name.toUpperCase() === 'NODE_OPTIONS') step.log.error('set-env may not set NODE_OPTIONS');
    else setEnv(job, step, name, command.data);
  },
  'add-path': ({ job, step, command }) => {
    refuseUnlessInsecure(step, 'add-path');
    if (command.data === '') throw new Error('add-path needs a path');
    addPath(job, step, command.data);
  },
  debug: ({ step, command }) => {
    step.log.debug(command.data);
  },
  error: annotate,
  warning: annotate,
  notice: annotate,
  group: ({ step, command }) => {
    step.log.output(`##[group]${command.data}`);
  },
  endgroup: ({ step }) => {
    step.log.output('##[endgroup]');
  },
};

const withoutEcho = new Set(['add-mask', 'debug', 'error', 'warning', 'notice']);

/** Whether a lower-case name is a command the runner knows. */
export function isCommand(name: string): boolean {
  return Object.hasOwn(effects, name) || name === 'echo' || name === 'stop-commands';
}

/** Commands whose line is never shown, not even with echo on. */
export function omitsEcho(name: string): boolean {
  return withoutEcho.has(name);
}

/** Does what a command says; throws when it is wrong. */
export async function applyCommand(job: JobState, step: StepState, command: Command, echo: boolean): Promise<void> {
  await effects[command.name.toLowerCase()]?.({ job, step, command, echo });
}

function property(command: Command, wanted: string): string {
  return Object.entries(command.properties).find(([key]) => key.toLowerCase() === wanted)?.[1] ?? '';
}

function named(command: Command): string {
  const name = property(command, 'name');
  if (name === '') throw new Error(`${command.name} needs a name`);
  return name;
}

/** What github.com does since 2022: the command still works, with a warning. */
function warnDeprecated(step: StepState, name: string): void {
  step.log.warning(`The \`${name}\` command is deprecated`);
}

function refuseUnlessInsecure(step: StepState, name: string): void {
  if (step.envContext['ACTIONS_ALLOW_UNSECURE_COMMANDS'] === 'true') return;
  throw new Error(`The \`${name}\` command is disabled`);
}

function addMask({ job, step, command, echo }: Scene): void {
  if (command.data.trim() === '') {
    step.log.warning('add-mask with nothing to mask');
    return;
  }
  if (echo) step.log.output('::add-mask::***');
  job.masker.add(command.data);
}

async function addMatcher({ job, step, command }: Scene): Promise<void> {
  if (command.data === '') {
    step.log.warning('add-matcher needs a file');
    return;
  }
  const added = await readMatchers(command.data, job.request.workspace);
  job.matchers = [
    ...added,
    ...without(
      job,
      added.map(({ owner }) => owner),
    ),
  ];
}

async function removeMatcher({ job, step, command }: Scene): Promise<void> {
  const owner = property(command, 'owner');
  if ((owner === '') === (command.data === '')) {
    step.log.warning('remove-matcher needs an owner or a file, and not both');
    return;
  }
  const owners =
    owner !== '' ? [owner] : (await readMatchers(command.data, job.request.workspace)).map((matcher) => matcher.owner);
  job.matchers = without(job, owners);
}

function without(job: JobState, owners: readonly string[]): JobState['matchers'] {
  const gone = new Set(owners.map((owner) => owner.toLowerCase()));
  return job.matchers.filter(({ owner }) => !gone.has(owner.toLowerCase()));
}

function annotate({ job, step, command }: Scene): void {
  const properties = { ...command.properties };
  const file = property(command, 'file');
  if (file !== '') {
    const relative = path.relative(job.request.workspace, path.resolve(job.request.workspace, file));
    if (!relative.startsWith('..')) properties['file'] = relative;
  }
  step.log.annotate({ level: levels[command.name.toLowerCase()] ?? 'error', message: command.data, properties });
}

const levels: Record<string, Annotation['level']> = { error: 'error', warning: 'warning', notice: 'notice' };
