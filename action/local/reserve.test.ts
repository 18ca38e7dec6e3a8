import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { releaseNetwork, reserveNetwork } from './reserve.ts';
import { Root } from './root.ts';

const root = new Root();
let temp = '';

beforeEach(async () => {
  temp = await mkdtemp(path.join(tmpdir(), 'offshoot-reserve-'));
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(temp, { recursive: true, force: true });
});

async function newState(name: string): Promise<string> {
  const folder = path.join(temp, name);
  await mkdir(folder);
  return folder;
}

describe('the network of a host', () => {
  it('is nobody else’s, also when many ask at once', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5); // all begin at the same one
    const folders = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(newState));
    const reserved = await Promise.all(folders.map((folder) => reserveNetwork(root, folder)));
    expect(new Set(reserved.map(({ subnet }) => subnet)).size).toBe(5);
    expect(new Set(reserved.map(({ instance }) => instance)).size).toBe(5);
  });

  it('is given back by its host and taken from one that is gone', async () => {
    const [mine, gone, other] = [await newState('mine'), await newState('gone'), await newState('other')];
    const kept = await reserveNetwork(root, other);
    await reserveNetwork(root, mine);
    await reserveNetwork(root, gone);
    await rm(gone, { recursive: true });
    await releaseNetwork(root, mine);
    expect(await readdir(path.join(temp, '.subnets'))).toEqual([kept.subnet.replace('/', '-')]);
    await releaseNetwork(root, mine);
  });
});
