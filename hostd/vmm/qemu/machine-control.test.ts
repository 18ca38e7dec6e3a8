import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { onFaultPoint } from '../../platform/fault-points.ts';
import { systemRunner } from '../../platform/run.ts';
import type { CaptureOptions, VmSnapshotFiles } from '../vmm.ts';
import { MachineControl } from './machine-control.ts';
import { machineFiles } from './machine-files.ts';
import { readMachineRecord } from './machine-record.ts';
import type { FreezerPort } from './memory-freezer-port.ts';
import { eventually } from './testing/launch-folder.ts';
import { FakeQemu } from './testing/fake-qemu.ts';

const options: CaptureOptions = { wake: true, durable: false, minAvailableMiB: 0 };
let undoFault: () => void = () => undefined;

afterEach(() => undoFault());

interface Scene extends AsyncDisposable {
  qemu: FakeQemu;
  control: MachineControl;
  into: VmSnapshotFiles;
  /** Commands the monitor had got when the memory was duplicated. */
  atFreeze: string[];
}

async function scene(overlays = 1, quietMs = 1_000_000): Promise<Scene> {
  const qemu = await FakeQemu.start(overlays);
  const atFreeze: string[] = [];
  const freezer = (imagePath: string): FreezerPort => ({
    freeze: () => {
      atFreeze.push(...qemu.commands);
      return Promise.resolve('clone');
    },
    write: () => writeFile(imagePath, 'RAM').then(() => ({ touchedBytes: 5 * 2 ** 20, imageBytes: 2 ** 20 + 1 })),
    abandon: () => Promise.resolve(),
  });
  const control = new MachineControl({
    directory: qemu.directory,
    version: { text: '7.2', major: 7, minor: 2 },
    runner: systemRunner,
    quietMs,
    method: () => Promise.resolve('clone'),
    openFreezer: async ({ imagePath }) => {
      await writeFile(imagePath, '', { flag: 'wx' });
      return freezer(imagePath);
    },
  });
  const directory = join(qemu.directory, 'into');
  await mkdir(directory);
  await writeFile(join(qemu.directory, machineFiles.devices), 'old devices');
  const at = (name: string) => join(directory, name);
  const into = { directory, memory: at('memory'), devices: at('devices'), disk: at('disk'), overlaySeed: at('seed') };
  const dispose = async () => {
    control.release();
    await qemu[Symbol.asyncDispose]();
  };
  return { qemu, control, into, atFreeze, [Symbol.asyncDispose]: dispose };
}

test('while the vCPUs stand still: device state, memory, disk, in this order; all else before or after', async () => {
  await using at = await scene();
  const capture = await at.control.capture(at.into, options);
  const { commands } = at.qemu;
  const pause = commands.slice(commands.indexOf('stop'));
  expect(pause).toEqual(['stop', 'xen-save-devices-state', 'blockdev-snapshot', 'cont']);
  expect(at.atFreeze.slice(-2)).toEqual(['stop', 'xen-save-devices-state']);
  expect(commands).toContain('blockdev-add');
  expect(await capture.complete).toEqual({ imageMiB: 2, touchedMiB: 5 });
  expect(await readFile(at.into.disk, 'utf8')).toBe('overlay-0.qcow2');
  const { chain, paused } = await readMachineRecord(at.qemu.directory);
  expect([chain.map(({ node }) => node), paused]).toEqual([['overlay-1', 'overlay-0', 'layer-1', 'layer-0'], false]);
});

test('a refusal of any step wakes the machine, takes the new overlay back and leaves no file', async () => {
  for (const command of ['blockdev-add', 'stop', 'xen-save-devices-state', 'blockdev-snapshot', 'cont']) {
    await using at = await scene();
    at.qemu.refuse = command;
    await expect(at.control.capture(at.into, options), command).rejects.toMatchObject({ code: 'freeze-failed' });
    expect([at.qemu.status, await readdir(at.into.directory)], command).toEqual(['running', []]);
    const { chain } = await readMachineRecord(at.qemu.directory);
    expect(chain.map(({ node }) => node)).toEqual(at.qemu.chain);
    expect([...at.qemu.nodes].toSorted()).toEqual(at.qemu.chain.toSorted());
    const overlays = (await readdir(at.qemu.directory)).filter((name) => name.startsWith('overlay-'));
    expect(overlays).toHaveLength(at.qemu.chain.length - 2);
  }
});

test('a pause is on record only once it holds, a resume before it does: what is cut off runs', async () => {
  await using at = await scene();
  at.qemu.refuse = 'stop';
  await expect(at.control.pause()).rejects.toThrow('refused');
  expect((await readMachineRecord(at.qemu.directory)).paused).toBe(false);
  await at.control.pause();
  expect([at.qemu.status, (await readMachineRecord(at.qemu.directory)).paused]).toEqual(['paused', true]);
  await at.control.recover();
  expect(at.qemu.status).toBe('paused');
  at.qemu.refuse = 'cont';
  await expect(at.control.resume()).rejects.toThrow('refused');
  await at.control.recover();
  expect(at.qemu.status).toBe('running');
});

test('a machine left alone merges its layers; with few it does not', async () => {
  await using many = await scene(8, 1);
  many.control.compactSoon();
  await eventually(() => Promise.resolve(many.qemu.job || undefined), 'the job');
  many.qemu.endJob();
  const layers = async () => (await readdir(many.qemu.directory)).filter((name) => /^(overlay|layer)-/.test(name));
  await eventually(async () => ((await layers()).length === 3 ? true : undefined), 'the layers are gone');
  expect([...many.qemu.nodes].toSorted()).toEqual(['layer-0', 'layer-1', 'overlay-7']);
  await using few = await scene(7, 1);
  few.control.compactSoon();
  await new Promise((wake) => setTimeout(wake, 100));
  expect(few.qemu.commands).toEqual([]);
});

test.each(['pause', 'capture', 'hibernate'] as const)('a %s does not wait for layers being merged', async (what) => {
  await using at = await scene(8, 1);
  at.control.compactSoon();
  await eventually(() => Promise.resolve(at.qemu.job || undefined), 'the job');
  if (what === 'capture') await at.control.capture(at.into, options);
  else if (what === 'pause') await at.control.pause();
  // Not paused, so it is refused: but only after the job was broken off.
  else await expect(at.control.hibernate(at.into, new Promise(() => undefined))).rejects.toThrow('not paused');
  expect([at.qemu.job, at.qemu.commands.includes('block-job-cancel')]).toEqual([false, true]);
  expect((await readMachineRecord(at.qemu.directory)).chain.length).toBe(what === 'capture' ? 11 : 10);
});

test('a capture waits for the merge of a chain that would grow without end', async () => {
  await using at = await scene(14);
  const captured = at.control.capture(at.into, options);
  await eventually(() => Promise.resolve(at.qemu.job || undefined), 'the job');
  expect(at.qemu.commands).not.toContain('stop');
  at.qemu.endJob();
  await (
    await captured
  ).complete;
  expect((await readMachineRecord(at.qemu.directory)).chain).toHaveLength(4);
});

test('captures of one machine take turns, their images included', async () => {
  await using at = await scene();
  const image = Promise.withResolvers<undefined>();
  undoFault = onFaultPoint((point) => (point === 'capture.written' ? image.promise : undefined));
  await at.control.capture(at.into, options);
  const directory = join(at.qemu.directory, 'second');
  await mkdir(directory);
  const elsewhere = (path: string) => path.replace(/\/into\//, '/second/');
  const { memory, devices, disk, overlaySeed } = at.into;
  const [m, d, k, s] = [memory, devices, disk, overlaySeed].map(elsewhere);
  const second = { directory, memory: m ?? '', devices: d ?? '', disk: k ?? '', overlaySeed: s ?? '' };
  const later = at.control.capture(second, options);
  await new Promise((wake) => setTimeout(wake, 50));
  expect(at.qemu.commands.filter((name) => name === 'stop')).toHaveLength(1);
  image.resolve(undefined);
  await later;
  expect(at.qemu.commands.filter((name) => name === 'stop')).toHaveLength(2);
});

test('a record that does not fit what QEMU says is not trusted', async () => {
  await using at = await scene(3);
  at.qemu.chain = ['overlay-9', 'layer-1', 'layer-0'];
  await expect(at.control.recover()).rejects.toThrow('its record does not know');
  at.qemu.chain = ['overlay-2', 'overlay-0', 'layer-1', 'layer-0'];
  await expect(at.control.recover()).rejects.toThrow('3 layers and its record 4');
  expect(await readdir(at.qemu.directory)).toEqual(expect.arrayContaining(['overlay-0.qcow2', 'overlay-1.qcow2']));
});
