import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doctorReportSchema } from '../contract/doctor.ts';
import { loadConfig, parseConfig } from '../daemon/config.ts';
import type { Runner } from '../platform/run.ts';
import { thisHost, type DoctorHost } from './doctor-host.ts';
import { checkForkImages, checkFreezing, checkReflink } from './fork-checks.ts';
import {
  checkFirewalls,
  checkForwarding,
  checkKernelNetworking,
  checkResolvers,
  checkSubnet,
} from './network-checks.ts';
import { runDoctor } from './run-doctor.ts';
import { checkDisk, checkRunning } from './state-checks.ts';
import {
  checkArchitecture,
  checkCgroups,
  checkImages,
  checkMemory,
  checkNative,
  checkPackages,
  checkRoot,
  checkTools,
} from './system-checks.ts';
import { judgeQemu } from './vmm-checks.ts';

const config = parseConfig({});

type Outcome = { code?: number; stdout?: string; stderr?: string };

function runner(answer: (command: string, args: readonly string[], input?: string) => Outcome): Runner {
  return {
    run: (command, args, options) => {
      const given = options?.input === undefined ? undefined : String(options.input);
      return Promise.resolve({ code: 0, signal: null, stdout: '', stderr: '', ...answer(command, args, given) });
    },
  };
}

/** A healthy machine, changed where a test says so. */
function madeUp(changes: Partial<DoctorHost> & { files?: Record<string, string> } = {}): DoctorHost {
  const files: Record<string, string> = {
    '/': '',
    '/proc/meminfo': 'MemTotal: 8388608 kB\nMemAvailable: 6291456 kB\n',
    '/proc/sys/net/ipv4/ip_forward': '1\n',
    '/etc/resolv.conf': '# here\nnameserver 192.0.2.1\n',
    ...changes.files,
  };
  return {
    uid: 0,
    architecture: 'x64',
    searchPath: '/usr/bin',
    runner: runner(() => ({ stdout: '{"nftables":[]}' })),
    readText: (path) => Promise.resolve(files[path]),
    exists: (path) => Promise.resolve(path in files),
    list: (path) =>
      Promise.resolve([
        ...new Set(
          Object.keys(files)
            .filter((file) => file.startsWith(`${path}/`))
            .map((file) => file.slice(path.length + 1).split('/')[0] ?? ''),
        ),
      ]),
    fileSystem: () => Promise.resolve({ sizeMiB: 90_000, freeMiB: 50_000, isInMemory: false }),
    reflinks: () => Promise.resolve(true),
    addresses: () => [{ name: 'eth0', cidr: '192.168.1.5/24' }],
    answers: () => Promise.resolve(false),
    ...changes,
  };
}

describe('the machine', () => {
  it('has to be x86_64 and root', () => {
    expect(checkArchitecture(madeUp()).result).toBe('ok');
    expect(checkArchitecture(madeUp({ architecture: 'arm64' })).result).toBe('fail');
    expect(checkRoot(madeUp()).result).toBe('ok');
    expect(checkRoot(madeUp({ uid: 1000 }))).toMatchObject({ result: 'warn', mend: 'sudo offshoot doctor' });
  });

  it.each([
    [6144, 'ok'],
    [1500, 'warn'],
    [500, 'fail'],
  ])('with %i MiB of memory available is %s', async (available, result) => {
    const meminfo = `MemTotal: 8388608 kB\nMemAvailable: ${String(available * 1024)} kB\n`;
    const check = await checkMemory(madeUp({ files: { '/proc/meminfo': meminfo } }));
    expect(check.result).toBe(result);
    expect(check.found).toContain(`${String(available)} MiB of 8192 MiB`);
  });

  it('tells its version of cgroups', async () => {
    expect((await checkCgroups(madeUp())).found).toContain('version 1');
    const unified = { '/sys/fs/cgroup/cgroup.controllers': '' };
    expect((await checkCgroups(madeUp({ files: unified }))).found).toBe('version 2');
  });
});

describe('what is installed', () => {
  it('is named with its packages when it is missing', async () => {
    expect(await checkTools(madeUp({ searchPath: '/nonexistent' }))).toEqual({
      name: 'programs',
      result: 'fail',
      found: 'missing: qemu-system-x86_64, qemu-img, nft, ip, nsenter',
      mend: 'sudo apt-get install --no-install-recommends qemu-system-x86 qemu-utils nftables iproute2 util-linux',
    });
  });

  it('of packages comes from the list of set-up', async () => {
    const check = await checkPackages(madeUp(), '/state');
    if (check.result === 'ok') expect(check.found).toMatch(/^all \d+ are installed$/);
    else expect(check.mend).toContain('apt-get install');
  });

  it('of native parts is built with one command', async () => {
    const parts = {
      nativeDirectory: '/made/up/build/native',
      agentPath: '/made/up/build/agent/offshoot-agent',
      mendNative: 'x',
    };
    expect(await checkNative(madeUp(), parts)).toMatchObject({ result: 'fail', mend: 'x' });
    const built = Object.fromEntries(
      ['native/launcher', 'native/kvm-probe.bin', 'agent/offshoot-agent'].map((file) => [`/made/up/build/${file}`, '']),
    );
    expect((await checkNative(madeUp({ files: built }), parts)).result).toBe('ok');
  });

  it('of images wants a default', async () => {
    expect(await checkImages(madeUp(), '/state')).toMatchObject({ result: 'warn', found: 'none yet' });
    const files = { '/state/images/default/manifest.json': '{}', '/state/images/half/root.ext4': '' };
    expect(await checkImages(madeUp({ files }), '/state')).toMatchObject({ result: 'ok', found: 'default' });
    expect((await checkImages(madeUp({ uid: 1000 }), '/state')).found).toContain('not checked');
  });
});

describe('QEMU and KVM', () => {
  const version = { text: '10.0.2', major: 10, minor: 0 };
  const qemu = { program: '/usr/bin/qemu-system-x86_64', version };
  const broken = { works: false, reason: 'no answer' };
  const root = { requireKvm: false, isRoot: true };

  it('that work are kvm', () => {
    const { checks, isolation } = judgeQemu({ qemu, kvm: { works: true, reason: 'booted' } }, root);
    expect(isolation).toEqual({ tier: 'kvm', reason: 'booted' });
    expect(checks.map(({ result }) => result)).toEqual(['ok', 'ok']);
  });

  it('without KVM are emulated, with a warning that says why', () => {
    const { checks, isolation } = judgeQemu({ qemu, kvm: broken }, root);
    expect(isolation).toEqual({ tier: 'emulated', reason: 'no answer' });
    expect(checks[1]).toMatchObject({ result: 'warn' });
    expect(checks[1]?.found).toContain('no answer');
  });

  it('without the KVM that is required fail', () => {
    const { checks, isolation } = judgeQemu({ qemu, kvm: broken }, { ...root, requireKvm: true });
    expect(isolation).toBeNull();
    expect(checks[1]).toMatchObject({ result: 'fail' });
  });

  it('are not judged without root', () => {
    const { checks, isolation } = judgeQemu({ qemu, kvm: broken }, { requireKvm: true, isRoot: false });
    expect(isolation).toBeNull();
    expect(checks[1]).toMatchObject({ result: 'warn', mend: 'sudo offshoot doctor' });
  });

  it('that are missing fail with the command', () => {
    const missing = { problem: 'qemu is not installed', mend: 'apt-get install qemu' };
    expect(judgeQemu({ qemu: missing, kvm: broken }, root)).toEqual({
      isolation: null,
      checks: [{ name: 'QEMU', result: 'fail', found: 'qemu is not installed', mend: 'sudo apt-get install qemu' }],
    });
  });
});

describe('the network', () => {
  it('is tried in namespaces of its own', async () => {
    const commands: string[] = [];
    const host = madeUp({
      runner: runner((command, args) => {
        commands.push([command, ...args.slice(0, 2)].join(' '));
        return args.includes('tuntap') ? { code: 1, stderr: 'open: No such file or directory\n' } : {};
      }),
    });
    const checks = await checkKernelNetworking(host, config.network);
    expect(new Set(commands)).toEqual(new Set(['unshare --net --']));
    expect(checks.filter(({ result }) => result === 'fail')).toEqual([
      { name: 'tun device', result: 'fail', found: 'open: No such file or directory', mend: 'sudo modprobe tun' },
    ]);
  });

  it('is not tried without root', async () => {
    const [check, ...more] = await checkKernelNetworking(madeUp({ uid: 1000 }), config.network);
    expect(more).toEqual([]);
    expect(check).toMatchObject({ result: 'warn', mend: 'sudo offshoot doctor' });
    expect((await checkFirewalls(madeUp({ uid: 1000 }), config.network)).found).toBe('not checked without root');
  });

  it('names firewalls that drop what is forwarded, but not its own', async () => {
    const chain = (table: string, policy: string) => ({
      chain: { family: 'ip', table, name: 'FORWARD', type: 'filter', hook: 'forward', policy },
    });
    const chains = [chain('filter', 'drop'), chain('other', 'accept'), chain('offshoot_main', 'drop')];
    const host = madeUp({ runner: runner(() => ({ stdout: JSON.stringify({ nftables: chains }) })) });
    expect(await checkFirewalls(host, config.network)).toMatchObject({
      result: 'ok',
      found: 'ip filter FORWARD drops by default; hostd adds a passage for its bridge',
    });
  });

  it.each([
    ['10.83.4.1/24', 'fail'],
    ['10.0.0.5/8', 'fail'],
    ['10.84.0.1/16', 'ok'],
  ])('of an interface with %s is %s', (cidr, result) => {
    expect(checkSubnet(madeUp({ addresses: () => [{ name: 'eth1', cidr }] }), config.network).result).toBe(result);
  });

  it('of its own bridge is no clash', () => {
    const addresses = () => [{ name: 'ob-main', cidr: '10.83.0.1/16' }];
    expect(checkSubnet(madeUp({ addresses }), config.network).result).toBe('ok');
  });

  it('says how forwarding and DNS are', async () => {
    expect((await checkForwarding(madeUp())).found).toBe('on');
    expect((await checkForwarding(madeUp({ files: { '/proc/sys/net/ipv4/ip_forward': '0\n' } }))).found).toContain(
      'off',
    );
    expect((await checkResolvers(madeUp(), config.network)).found).toContain('192.0.2.1');
    expect((await checkResolvers(madeUp({ files: { '/etc/resolv.conf': '' } }), config.network)).result).toBe('warn');
  });
});

describe('the state directory', () => {
  it.each([
    [50_000, 'ok'],
    [2_000, 'warn'],
    [500, 'fail'],
  ])('with %i MiB free is %s', async (freeMiB, result) => {
    const fileSystem = () => Promise.resolve({ sizeMiB: 90_000, freeMiB, isInMemory: false });
    expect((await checkDisk(madeUp({ fileSystem }), config)).result).toBe(result);
  });

  it('that does not exist yet is judged by the folder above', async () => {
    const asked: string[] = [];
    const fileSystem = (path: string) => Promise.resolve({ sizeMiB: 1, freeMiB: asked.push(path), isInMemory: false });
    await checkDisk(madeUp({ files: { '/var': '' }, fileSystem }), config);
    expect(asked).toEqual(['/var']);
  });

  it('may have a hostd running', async () => {
    expect((await checkRunning(madeUp(), config)).found).toContain('not running');
    expect((await checkRunning(madeUp({ answers: () => Promise.resolve(true) }), config)).found).toMatch(/^running at/);
  });
});

describe('forks', () => {
  const method = (how: 'clone' | 'copy', reason: string) => () => Promise.resolve({ method: how, reason });
  const memory = (sizeMiB: number, freeMiB: number) => () => Promise.resolve({ sizeMiB, freeMiB, isInMemory: true });
  const withSandboxes = (sandboxes: object) => parseConfig({ sandboxes });

  it('duplicate memory by a clone where ptrace is allowed', async () => {
    const check = await checkFreezing(madeUp(), method('clone', 'tried'));
    expect(check).toMatchObject({ result: 'ok', found: expect.stringContaining('tried') as unknown });
    expect(check.mend).toBeUndefined();
  });

  it('copy it where ptrace is forbidden, which is a warning with what to do', async () => {
    const check = await checkFreezing(madeUp(), method('copy', 'ptrace: EPERM'));
    expect(check).toMatchObject({ result: 'warn', mend: expect.stringContaining('SYS_PTRACE') as unknown });
    expect(check.found).toMatch(/^copy: .*ptrace: EPERM/);
    const locked = madeUp({ files: { '/proc/sys/kernel/yama/ptrace_scope': '3\n' } });
    expect((await checkFreezing(locked, method('copy', 'EPERM'))).mend).toContain('kernel.yama.ptrace_scope');
  });

  it('are not tried without root, and a failure to try is said', async () => {
    const asked: string[] = [];
    const ask = () => Promise.reject(new Error(`failed ${String(asked.push('asked'))}`));
    expect((await checkFreezing(madeUp({ uid: 1000 }), ask)).found).toBe('not checked without root');
    expect(asked).toEqual([]);
    expect(await checkFreezing(madeUp(), ask)).toMatchObject({ result: 'warn', found: 'not known: failed 1' });
  });

  it.each([
    [memory(8000, 7000), {}, 'ok', 'a tmpfs of 8000 MiB with 7000 MiB free; at most a quarter of the memory'],
    [memory(8000, 7000), { forkImageMiB: 300 }, 'ok', 'at most 300 MiB'],
    [memory(64, 60), {}, 'warn', 'what does not fit goes to the state directory'],
    [undefined, {}, 'warn', '/dev/shm lies on a disk'],
    [memory(64, 60), { forkImageMiB: 0 }, 'ok', 'in the state directory'],
  ])('keep their images where there is room for them (%#)', async (fileSystem, sandboxes, result, found) => {
    const host = madeUp(fileSystem === undefined ? {} : { fileSystem });
    const check = await checkForkImages(host, withSandboxes(sandboxes));
    expect(check.result).toBe(result);
    expect(check.found).toContain(found);
    expect(check.mend === undefined).toBe(result === 'ok');
  });

  it('look at the folder that is configured, or the one above when hostd has still to make it', async () => {
    const asked: string[] = [];
    const fileSystem = (path: string) => Promise.resolve({ sizeMiB: 1, freeMiB: asked.push(path), isInMemory: true });
    const host = madeUp({ files: { '/mnt/images': '' }, fileSystem });
    await checkForkImages(host, withSandboxes({ forkImageDirectory: '/mnt/images' }));
    await checkForkImages(host, withSandboxes({ forkImageDirectory: '/mnt/images/of/forks' }));
    expect(asked).toEqual(['/mnt/images', '/mnt/images']);
  });

  it('are told about reflinks, and how to get them', async () => {
    expect((await checkReflink(madeUp(), config)).mend).toBeUndefined();
    const without = await checkReflink(madeUp({ reflinks: () => Promise.resolve(false) }), config);
    expect(without.result).toBe('ok');
    expect(without.mend).toContain('mkfs.xfs -m reflink=1 /var/lib/offshoot.xfs');
    expect(without.mend).toContain('mount -o loop /var/lib/offshoot.xfs /var/lib/offshoot');
    const closed = await checkReflink(madeUp({ reflinks: () => Promise.resolve(undefined) }), config);
    expect(closed.found).toContain('not checked');
  });

  it('see what file systems this machine has', async () => {
    const host = thisHost();
    expect(await host.fileSystem('/dev/shm')).toMatchObject({ isInMemory: true });
    expect(await host.fileSystem('/proc')).toMatchObject({ isInMemory: false });
    expect(await host.reflinks('/dev/shm')).toBe(false);
    expect(await host.reflinks('/proc')).toBeUndefined();
  });
});

describe('doctor on this machine', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'offshoot-doctor-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('gives a report of the contract’s form, and fails when a program is missing', async () => {
    const real = await loadConfig({ state: folder }, {});
    const report = doctorReportSchema.parse(await runDoctor({ ...real, kvm: 'off' }));
    const names = report.checks.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['QEMU', 'memory duplication', 'fork images', 'reflinks', 'hostd']));
    expect(new Set(names).size).toBe(names.length);
    expect(report.ok).toBe(report.checks.every(({ result }) => result !== 'fail'));
    const bare = await runDoctor({ ...real, kvm: 'off' }, { ...thisHost(), searchPath: folder });
    expect(bare.ok).toBe(false);
  });
});
