import { expect, it } from 'vitest';
import { FreshRun } from './fresh-run.ts';

function heldWork() {
  const held: { finish: () => void; fail: (error: Error) => void }[] = [];
  const work = () =>
    new Promise<void>((finish, fail) => {
      held.push({ finish, fail });
    });
  return { held, work };
}

it('runs once at a time, and once more for all who ask meanwhile', async () => {
  const { held, work } = heldWork();
  const fresh = new FreshRun(work);
  const first = fresh.run();
  const [second, third] = [fresh.run(), fresh.run()];
  expect(held.length).toBe(1);
  held[0]?.finish();
  await first;
  await new Promise(setImmediate);
  expect(held.length).toBe(2);
  const fourth = fresh.run();
  held[1]?.finish();
  await Promise.all([second, third]);
  await new Promise(setImmediate);
  expect(held.length).toBe(3);
  held[2]?.finish();
  await fourth;
});

it('goes on after a run that failed, and tells only who asked for it', async () => {
  const { held, work } = heldWork();
  const fresh = new FreshRun(work);
  const [first, second] = [fresh.run(), fresh.run()];
  held[0]?.fail(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await new Promise(setImmediate);
  held[1]?.finish();
  await second;
  expect(held.length).toBe(2);
});
