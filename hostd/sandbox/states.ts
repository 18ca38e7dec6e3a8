import type { SandboxState } from '../contract/sandbox.ts';

/** The life of a sandbox: every transition there is. A create that fails or is interrupted ends like any other. */
export const transitions: Readonly<Record<SandboxState, readonly SandboxState[]>> = {
  queued: ['creating', 'gone'],
  creating: ['running', 'stopping'],
  running: ['paused', 'stopping'],
  paused: ['running', 'stopping'],
  stopping: ['gone'],
  gone: [],
};

/** Throws for a transition that is not in the table: a fault of hostd, never of its caller. */
export function requireTransition(from: SandboxState, to: SandboxState): void {
  if (transitions[from].includes(to)) return;
  throw new Error(`A sandbox that is ${from} can not become ${to}.`);
}

export const liveStates = ['queued', 'creating', 'running', 'paused', 'stopping'] as const satisfies SandboxState[];
