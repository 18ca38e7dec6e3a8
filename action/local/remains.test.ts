import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePlan, planFiles, type LocalPlan } from './plan.ts';
import { processesOf, removeRemains } from './remains.ts';
import { Root } from './root.ts';
import { systemRunner } from '../../hostd/platform/run.ts';

const root = new Root();
/** No other test has it; names of bridges and namespaces carry it. */
const instance = 'lrem1';
let temp = '';
let plan: LocalPlan;
let children: ChildProcess[] = [];

beforeEach(async () => {
  temp = await mkdtemp(path.join(tmpdir(), 'offshoot-remains-'));
  plan = makePlan({ tempFolder: temp, image: 'default', owner: undefined, root: temp });
  await mkdir(path.join(plan.stateFolder, 'machines/a'), { recursive: true });
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  await rm(temp, { recursive: true, force: true });
});

/** A process that lives until it is killed. */
async function start(cwd: string, ...words: string[]): Promise<string> {
  const child = spawn('sh', ['-c', 'sleep 60; :', 'sh', ...words], { cwd });
  children.push(child);
  await once(child, 'spawn');
  return String(child.pid);
}

describe('what a host left behind', () => {
  it('is found by the folder a process is in or was started with, and nothing else is', async () => {
    const inside = await start(path.join(plan.stateFolder, 'machines/a'));
    const named = await start('/', '--state', plan.stateFolder);
    await start('/', `--about=${plan.stateFolder}`);
    await start('/', `${plan.stateFolder}0`);
    const found = await processesOf(root, plan.stateFolder);
    // the shell that is inside has a child there
    expect(found).toEqual(expect.arrayContaining([inside, named]));
    expect(found.length).toBeLessThanOrEqual(3);
  });

  it('is nothing after an orderly end', async () => {
    await writeFile(planFiles(plan).config, JSON.stringify({ network: { instance } }));
    expect(await removeRemains(root, plan)).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('is killed and removed: processes, namespaces, links, rules', async () => {
    const make = `set -e
      ip netns add offshoot-${instance}-3; ip link add ob-${instance} type bridge
      ip link add ov-${instance}-3 type veth peer name pv-${instance}
      ip link add ov-${instance}-proxy type veth peer name qv-${instance}
      nft add table inet offshoot_${instance}; nft add table inet other_${instance}
      nft add chain inet other_${instance} forward
      nft add rule inet other_${instance} forward accept comment '"offshoot:${instance}"'
      nft add rule inet other_${instance} forward drop comment '"offshoot:${instance}x"'`;
    try {
      expect(await systemRunner.run('sh', ['-c', make])).toMatchObject({ code: 0, stderr: '' });
      await writeFile(planFiles(plan).config, JSON.stringify({ network: { instance } }));
      await start(plan.stateFolder);
      const found = await removeRemains(root, plan);
      expect(found.slice(1).sort()).toEqual([
        `a rule in other_${instance} forward`,
        `link ob-${instance}`,
        `link ov-${instance}-3`,
        `link ov-${instance}-proxy`,
        `namespace offshoot-${instance}-3`,
        `table offshoot_${instance}`,
      ]);
      expect(found[0]).toMatch(/^\d processes$/);
      const { stdout } = await systemRunner.run('sh', ['-c', 'ip netns; ip -o link; nft list ruleset']);
      const left = stdout.split('\n').filter((line) => line.includes(instance));
      expect(left.map((line) => line.trim())).toEqual([
        `table inet other_${instance} {`,
        `drop comment "offshoot:${instance}x"`,
      ]);
      expect(await processesOf(root, plan.stateFolder)).toEqual([]);
    } finally {
      await systemRunner.run('sh', [
        '-c',
        `nft delete table inet other_${instance}; ip netns del offshoot-${instance}-3`,
      ]);
    }
  });
});
