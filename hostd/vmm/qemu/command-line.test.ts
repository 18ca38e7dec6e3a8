import { expect, test } from 'vitest';
import { incomingUri, qemuCommandLine, type MachinePlan, type QemuProfile } from './command-line.ts';

const profile: QemuProfile = {
  program: '/usr/bin/qemu-system-x86_64',
  version: { text: '7.2.22 (Debian)', major: 7, minor: 2 },
  accelerator: 'tcg',
  cpuModel: 'max',
  tscKhz: 2_400_000,
};

const cold: MachinePlan = {
  shape: { cpus: 1, memoryMiB: 512, diskMiB: 4096 },
  link: { guestMac: '52:54:00:00:00:01', mtu: 1400, tapName: 'tap3' },
  overlay: { node: 'overlay-0', file: 'overlay-0.qcow2' },
  layers: [{ node: 'layer-0', path: '/images/root, with comma.raw', format: 'raw' }],
  memory: { kind: 'written-through', path: '/t/memory' },
  boot: {
    kind: 'cold',
    kernel: '/images/vmlinux',
    initramfs: '/images/initramfs',
    kernelArguments: ['offshoot.mtu=1400'],
  },
};

const restore: MachinePlan = {
  ...cold,
  layers: [{ node: 'layer-1', path: '/t/disk', format: 'qcow2' }, ...cold.layers],
  memory: { kind: 'private-copy', path: '/t/memory' },
  boot: { kind: 'restore', devices: '/t/devices', deferred: false },
};

/** Values of an option in the order given. */
function values(args: readonly string[], option: string): string[] {
  return args.flatMap((word, at) => (word === option ? [args[at + 1] ?? ''] : []));
}

function withVersion(major: number, minor: number): QemuProfile {
  return { ...profile, version: { text: `${String(major)}.${String(minor)}`, major, minor } };
}

test('every machine is locked in and bare', () => {
  const { args } = qemuCommandLine(profile, cold);
  expect(values(args, '-sandbox')).toEqual(['on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny']);
  for (const flag of ['-nodefaults', '-no-user-config', '-no-reboot']) expect(args).toContain(flag);
  expect(args).not.toContain('-nographic');
  expect(values(args, '-display')).toEqual(['none']);
  expect(values(args, '-global')).toEqual(['migration.send-configuration=off']);
  expect(values(args, '-M')[0]).toMatch(
    /^microvm,acpi=on,pit=on,pic=on,rtc=on,pcie=off,.*suppress-vmdesc=on,memory-backend=memory$/,
  );
});

test('every descriptor the arguments name is opened by the launcher, once, and none more', () => {
  for (const plan of [cold, restore]) {
    const { args, files } = qemuCommandLine(withVersion(10, 0), plan);
    const named = new Set(
      [...args.join(' ').matchAll(/(?:fd=|\/fd\/|fdset\/)(\d+)/g)].map((match) => Number(match[1])),
    );
    expect(files.map((file) => file.number).toSorted()).toEqual([...named].toSorted());
  }
});

test('no path of the host is an argument: all are opened beforehand, but for the overlay in the machine’s own folder', () => {
  for (const plan of [cold, restore]) {
    const { args, files } = qemuCommandLine(profile, plan);
    for (const path of ['/images/', '/t/', 'tap3']) expect(args.join(' ')).not.toContain(path);
    expect(files.map((file) => file.target)).toEqual(
      expect.arrayContaining(['tap3', '/t/memory', ...plan.layers.map((layer) => layer.path)]),
    );
  }
});

test('the disk chain is named layer by layer, only the overlay can be written', () => {
  const { args, files } = qemuCommandLine(profile, restore);
  const nodes = values(args, '-blockdev').map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(nodes.map((node) => [node['node-name'], node['driver'], node['backing'], node['read-only']])).toEqual([
    ['layer-0', 'raw', undefined, true],
    ['layer-1', 'qcow2', 'layer-0', true],
    ['overlay-0', 'qcow2', 'layer-1', false],
  ]);
  expect(nodes.map((node) => node['cache'])).toEqual(Array(3).fill({ 'no-flush': true }));
  expect(nodes.map((node) => (node['file'] as { filename: string }).filename)).toEqual([
    '/dev/fdset/21',
    '/dev/fdset/20',
    'overlay-0.qcow2',
  ]);
  expect(values(args, '-device')).toContain('virtio-blk-device,drive=overlay-0');
  expect(files.filter((file) => file.kind === 'read-write')).toEqual([]);
});

test('a template in the making writes its memory through, all others map it privately', () => {
  const memory = (plan: MachinePlan, version = profile) => values(qemuCommandLine(version, plan).args, '-object')[0];
  expect(memory(cold)).toBe('memory-backend-file,id=memory,size=512M,merge=off,mem-path=/proc/self/fd/15,share=on');
  expect(memory(restore)).toMatch(/,share=off$/);
  expect(memory(restore, withVersion(8, 1))).toMatch(/,share=off$/);
  expect(memory(restore, withVersion(8, 2))).toMatch(/,share=off,readonly=on,rom=off$/);
  expect(memory({ ...cold, memory: { kind: 'private-copy', path: '/m' } })).toMatch(/,share=off$/);
});

test('a machine whose image is still being written waits to be fed', () => {
  const deferred: MachinePlan = { ...restore, boot: { kind: 'restore', devices: '/t/devices', deferred: true } };
  for (const [version, uri] of [
    [profile.version, 'fd:16'],
    [withVersion(10, 0).version, 'file:/dev/fdset/16'],
  ] as const) {
    const { args, files } = qemuCommandLine({ ...profile, version }, deferred);
    expect(values(args, '-incoming')).toEqual(['defer']);
    expect(incomingUri(version)).toBe(uri);
    expect(files.some((file) => file.number === 16 && file.target === '/t/devices')).toBe(true);
  }
});

test('device state comes in by the form the version knows, without a kernel', () => {
  const incoming = (version: QemuProfile) => values(qemuCommandLine(version, restore).args, '-incoming');
  expect(incoming(profile)).toEqual(['fd:16']);
  expect(incoming(withVersion(9, 0))).toEqual(['fd:16']);
  expect(incoming(withVersion(9, 1))).toEqual(['file:/dev/fdset/16']);
  expect(qemuCommandLine(profile, restore).args).not.toContain('-kernel');
});

test('a cold start gives the kernel the driver’s arguments and then the caller’s', () => {
  const append = (version: QemuProfile) => values(qemuCommandLine(version, cold).args, '-append')[0];
  expect(append(profile)).toBe(
    'console=ttyS0 quiet reboot=t panic=-1 tsc_early_khz=2400000 tsc=reliable norandmaps mitigations=off nowatchdog clearcpuid=cx16 offshoot.mtu=1400',
  );
  expect(append({ ...profile, accelerator: 'kvm' })).toBe('console=ttyS0 quiet reboot=t panic=-1 offshoot.mtu=1400');
  expect(append({ ...profile, tscKhz: undefined })).not.toContain('tsc');
  expect(append(withVersion(8, 0))).not.toContain('clearcpuid');
});

test('accelerators: KVM as it is; TCG with a bounded buffer, and one thread for several vCPUs', () => {
  const accel = (version: QemuProfile, cpus: number) =>
    values(qemuCommandLine(version, { ...cold, shape: { ...cold.shape, cpus } }).args, '-accel');
  expect(accel(profile, 1)).toEqual(['tcg,tb-size=64']);
  expect(accel(profile, 2)).toEqual(['tcg,tb-size=64,thread=single']);
  expect(accel({ ...profile, accelerator: 'kvm' }, 2)).toEqual(['kvm']);
});

test('without a link there is no network card', () => {
  expect(values(qemuCommandLine(profile, cold).args, '-device')).toContain(
    'virtio-net-device,netdev=link,mac=52:54:00:00:00:01,host_mtu=1400,guest_announce=off',
  );
  const { args, files } = qemuCommandLine(profile, { ...cold, link: undefined });
  expect(args.join(' ')).not.toContain('net');
  expect(files.some((file) => file.kind === 'tap')).toBe(false);
});
