import { afterAll, beforeAll } from 'vitest';
import type { ActionStep, JobResult, StepResult } from '../doubles/runner/job.ts';
import { actionCopy } from './action-copy.ts';
import type { Suite } from './suite.ts';

export interface ActionSuite {
  /** The action's folder, with nothing in it but what a runner has. */
  readonly folder: string;
  /** A step `box` of the action, on the suite's hostd unless the inputs name another. */
  step(inputs: Record<string, string>): ActionStep & { id: string };
}

/** The action of this checkout, bundled once for a test file. */
export function useAction(suite: Suite): ActionSuite {
  let copy: Awaited<ReturnType<typeof actionCopy>> | undefined;
  const folder = (): string => {
    if (copy === undefined) throw new Error('the action is not bundled yet');
    return copy.folder;
  };
  beforeAll(async () => {
    copy = await actionCopy();
  }, 300_000);
  afterAll(async () => {
    await copy?.[Symbol.asyncDispose]();
  });
  return {
    get folder() {
      return folder();
    },
    step: (inputs) => ({ id: 'box', uses: folder(), with: { host: suite.host, ...inputs } }),
  };
}

/** What a guest printed: the log between the lines that stop and resume commands. */
export function guestLines(step: StepResult): readonly string[] {
  const from = step.log.findIndex((line) => line.startsWith('::stop-commands::'));
  const to = step.log.findLastIndex((line) => /^::(?!stop-commands)[^:]*::$/.test(line));
  return step.log.slice(from + 1, to);
}

/** Titles and texts of a step's annotations of one level. */
export function annotationsOf(
  result: JobResult,
  level: 'error' | 'warning',
  stage: 'main' | 'post' = 'main',
): string[] {
  const step = stage === 'main' ? result.step('box') : result.post('box');
  return step.annotations
    .filter((annotation) => annotation.level === level)
    .map(({ message, properties }) => `${properties['title'] ?? ''}: ${message}`);
}
