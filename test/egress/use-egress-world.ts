import { afterAll, beforeAll, expect } from 'vitest';
import { comparePictures, ofHostd, takeHostPicture, type HostPicture } from '../support/host-picture.ts';
import { isolatedState } from '../support/shared-image.ts';
import { EgressWorld, instance } from './egress-world.ts';

/** One for a test file; after it nothing of it may be left on the machine. */
export function useEgressWorld(): { readonly world: EgressWorld } {
  let world: EgressWorld | undefined;
  let before: HostPicture | undefined;
  let state: Awaited<ReturnType<typeof isolatedState>> | undefined;
  beforeAll(async () => {
    before = await takeHostPicture();
    state = await isolatedState();
    world = await EgressWorld.open(state.directory);
  }, 600_000);
  afterAll(async () => {
    await world?.close();
    await state?.[Symbol.asyncDispose]();
    if (world === undefined || before === undefined) return;
    const left = comparePictures(before, await takeHostPicture());
    expect(ofHostd(left, { instance, folders: [world.stateDirectory] })).toEqual([]);
  }, 120_000);
  return {
    get world() {
      if (world === undefined) throw new Error('the world is not open yet');
      return world;
    },
  };
}
