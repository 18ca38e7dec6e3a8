import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Patience } from './patience.ts';
import { standStill } from './testing/stand-still.ts';

function patience(timeoutMs: number): { patience: Patience; over: () => number } {
  let over = 0;
  const made = new Patience(timeoutMs, () => (over += 1));
  onTestFinished(() => {
    made.end();
  });
  return { patience: made, over: () => over };
}

test('it is over once, after the time, unless it was refreshed or ended', async () => {
  const [short, long, ended] = [patience(100), patience(400), patience(100)];
  ended.patience.end();
  for (let round = 0; round < 8; round += 1) {
    await sleep(75);
    long.patience.refresh();
  }
  expect([short.over(), long.over(), ended.over()]).toEqual([1, 0, 0]);
  await expect.poll(long.over).toBe(1);
});

test('time in which the process stood still hardly counts', async () => {
  const { patience: one, over } = patience(400);
  standStill(900);
  await sleep(100);
  expect(over()).toBe(0);
  one.refresh();
  await expect.poll(over, { timeout: 5000 }).toBe(1);
});
