import { expect, test } from 'vitest';
import { sandboxStates } from '../contract/sandbox.ts';
import { requireTransition, transitions } from './states.ts';

test('only the transitions of the table are taken', () => {
  const taken = sandboxStates.flatMap((from) =>
    sandboxStates
      .filter((to) => {
        try {
          requireTransition(from, to);
          return true;
        } catch {
          return false;
        }
      })
      .map((to) => `${from} ${to}`),
  );
  expect(taken).toEqual([
    'queued creating',
    'queued gone',
    'creating running',
    'creating stopping',
    'running paused',
    'running stopping',
    'paused running',
    'paused stopping',
    'stopping gone',
  ]);
});

test('every state leads to gone, and nothing leads out of it', () => {
  expect(transitions.gone).toEqual([]);
  for (const state of sandboxStates) {
    const reached = new Set([state]);
    for (const each of reached) for (const next of transitions[each]) reached.add(next);
    expect(reached).toContain('gone');
  }
});
