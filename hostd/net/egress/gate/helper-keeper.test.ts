import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { standStill } from '../../../platform/testing/stand-still.ts';
import type { ControlClient } from './control-client.ts';
import { helperFiles } from './helper-files.ts';
import { HelperKeeper, type HelperEvent } from './helper-keeper.ts';
import { labCommands } from './testing/gate-lab.ts';
import { testFolder } from './testing/test-folder.ts';

interface Kept {
  keeper: HelperKeeper;
  events: HelperEvent[];
  /** The newest connection to the helper. */
  connection: () => ControlClient | undefined;
}

async function keep(everyMs: number): Promise<Kept> {
  const events: HelperEvent[] = [];
  let connection: ControlClient | undefined;
  const keeper = new HelperKeeper({
    role: 'proxy',
    files: helperFiles(await testFolder(), 'proxy'),
    command: labCommands.proxy,
    instruct: (client) => {
      connection = client;
      return Promise.resolve();
    },
    onEvent: (event) => events.push(event),
    watch: { everyMs, patienceMs: 1000, waitMs: 5000 },
  });
  onTestFinished(() => keeper.stop(false));
  await keeper.health(30_000);
  return { keeper, events, connection: () => connection };
}

test('a call in the moment in which a connection ends waits for the next one, and nothing else stands still meanwhile', async () => {
  const { keeper, connection } = await keep(60_000);
  const first = connection();
  first?.close();
  expect(first?.isOpen).toBe(false);
  const askedMs = performance.now();
  const tick = sleep(1).then(() => performance.now() - askedMs);
  const { role } = await keeper.health();
  expect(role).toBe('proxy');
  expect(connection()).not.toBe(first);
  expect(await tick).toBeLessThan(2000);
}, 60_000);

const lookMs = 50;

/** The look is then taken in the same turn of the event loop, before it is told that the connection ended. */
async function endsAsLookIsDue(connection: ControlClient | undefined): Promise<void> {
  const ended = sleep(1).then(() => {
    connection?.close();
  });
  standStill(lookMs + 10);
  await ended;
}

test('a helper whose connection ends as it is looked after did not hang, and is taken up again', async () => {
  const { keeper, events, connection } = await keep(lookMs);
  const { pid } = await keeper.health();
  for (let round = 0; round < 3; round += 1) {
    await endsAsLookIsDue(connection());
    await sleep(20);
    expect((await keeper.health()).pid).toBe(pid);
  }
  expect(events.map(({ kind }) => kind)).toEqual(['started', ...Array.from({ length: 3 }, () => 'adopted')]);
}, 60_000);
