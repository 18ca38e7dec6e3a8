import { readdir } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { openMemoryFreezer } from './memory-freezer.ts';
import { FreezeScene } from './testing/freeze-scene.ts';
import { buildNative } from './testing/launch-folder.ts';

beforeAll(() => buildNative('freeze-test'), 120_000);

const calls = ['dofork', 'clone', 'dontfork'];
const pointsOfACall = ['setregs', 'registers-set', 'setmask', 'start', 'entry', 'exit'];
const killPoints = [
  ...['seize', 'stop', 'registers', 'frames', 'cloned', 'hold', 'held'],
  ...calls.flatMap((call) => pointsOfACall.map((point) => `${call}-${point}`)),
  ...['mask-restored', 'registers-restored', 'detached', 'rights'],
];

async function freezeIsKilled(scene: FreezeScene, program: string): Promise<void> {
  const freezer = openMemoryFreezer(scene.request({ program }));
  const frozen = freezer.then((opened) => opened.freeze());
  await expect(frozen).rejects.toMatchObject({ code: 'freeze-failed', details: { step: 'helper' } });
}

test('the death of the helper at any point of a freeze leaves the source as it was and no duplicate', async () => {
  await using scene = await FreezeScene.make();
  for (const point of killPoints) {
    await freezeIsKilled(scene, await scene.faulty('KILL', point));
    await scene.expectUnharmed();
  }
  scene.standIn.send('idle');
  for (const point of killPoints) await freezeIsKilled(scene, await scene.faulty('KILL', point));
  await scene.expectUnharmed();
  expect(await readdir(scene.folder)).not.toContain('image');
}, 60_000);

test('the death of the helper at any moment leaves the source as it was and no duplicate', async () => {
  await using scene = await FreezeScene.make({ pages: 256 });
  for (let round = 0; round < 200; round++) {
    await using freezer = await openMemoryFreezer(scene.request());
    const frozen = freezer.freeze().catch(() => undefined);
    const until = performance.now() + Math.random() * 3;
    await new Promise((wake) => setImmediate(wake));
    while (performance.now() < until);
    process.kill(freezer.pid ?? 0, 'SIGKILL');
    await frozen;
  }
  await scene.expectUnharmed();
}, 60_000);

test('a source that is still on its way back from a dead helper can be duplicated by the next', async () => {
  await using scene = await FreezeScene.make();
  for (const point of ['dofork-entry', 'dofork-exit', 'clone-entry', 'clone-exit', 'dontfork-entry', 'dontfork-exit']) {
    process.kill(scene.standIn.identity.pid, 'SIGSTOP'); // so that it is held where the helper left it
    await freezeIsKilled(scene, await scene.faulty('KILL', point));
    await using freezer = await openMemoryFreezer(scene.request());
    await freezer.freeze();
    await freezer.write();
    await scene.expectWholeImage();
    await scene.removeImage();
    process.kill(scene.standIn.identity.pid, 'SIGCONT');
    await scene.expectUnharmed();
  }
}, 60_000);

const refusals = ['seize', 'stop', 'registers', 'frames', 'clone-refused', 'hold'].concat(
  calls.flatMap((call) => ['setregs', 'setmask', 'start'].map((point) => `${call}-${point}`)),
);

test('where a clone does not succeed, the memory is copied in the same pause', async () => {
  await using scene = await FreezeScene.make();
  for (const point of refusals) {
    await using freezer = await openMemoryFreezer(scene.request({ program: await scene.faulty('FAIL', point) }));
    expect([point, await freezer.freeze()]).toEqual([point, 'copy']);
    expect(freezer.copyReason).toMatch(/^(attach|clone): /);
    scene.standIn.send('idle');
    await freezer.write();
    await scene.expectWholeImage();
    await scene.expectUnharmed();
    await scene.removeImage();
  }
}, 60_000);

test.each([
  ['truncate', 'freeze-failed', 'image'],
  ['rights', 'freeze-failed', 'rights'],
  ['clone-memory', 'capacity-exhausted', 'memory'],
  ['thread', 'freeze-failed', 'write'],
  ['read', 'freeze-failed', 'read'],
  ['space', 'host-disk-full', 'space'],
])('a failure at %s is told as %s, and leaves no image', async (point, code, step) => {
  await using scene = await FreezeScene.make();
  const program = await scene.faulty('FAIL', point);
  const capture = async () => {
    await using freezer = await openMemoryFreezer(scene.request({ program }));
    await freezer.freeze();
    await freezer.write();
  };
  await expect(capture()).rejects.toMatchObject({ code, details: { step } });
  expect(await readdir(scene.folder)).not.toContain('image');
  await scene.expectUnharmed();
});
