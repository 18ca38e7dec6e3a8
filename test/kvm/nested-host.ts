import { Sandbox, type ExecHandle } from '../../hostd/client/index.ts';
import { HostdProcess } from '../support/hostd-process.ts';
import type { TierSubject } from '../tiers/scenario.ts';
import { innerImages, innerOffshoot } from './nested-image.ts';
import { SocketRelay } from './socket-relay.ts';

/** The network instance of the hostd on this machine. */
export const outerInstance = 'outer';

const innerSocket = '/run/inner.sock';
const innerConfig = {
  network: { instance: 'inner', subnet: '10.89.0.0/16' },
  sandboxes: {
    spares: 0,
    maxCpusPerSandbox: 2,
    bootDeadlineMs: 240_000,
    silentBootMs: 120_000,
    restoreDeadlineMs: 120_000,
    prepareDeadlineMs: 60_000,
    agentLossMs: 60_000,
    killDeadlineMs: 60_000,
    freezeDeadlineMs: 20_000,
  },
  kvmProbeDeadlineMs: 60_000,
  requireKvm: true,
};

/** The inner hostd's state; the image lies beside it on disk. */
const state = '/srv/inner';

// What the kernel's modules, udev and the administrator do on a real host. All that the inner machines map lies in memory, in huge pages: each
// page that an inner machine meets first costs a fault in an emulated MMU, and there are 512 times fewer. The size is only
// what hostd wants to see free. An idle CPU is not polled for either.
const prepare = `
set -e
modprobe kvm halt_poll_ns=0
modprobe -a kvm_amd tun
chgrp kvm /dev/kvm && chmod 660 /dev/kvm
mkdir -p ${state}
mount -t tmpfs -o huge=always,size=16g,mode=755 inner ${state}
mount -o remount,huge=always /dev/shm
ln -s ${innerImages} ${state}/images
ip netns add first && ip netns delete first # from then on /run/netns is mounted
cat >/run/config.json
`;

const picture = `
for p in /proc/[0-9]*; do
  e=$(readlink $p/exe 2>/dev/null) || continue
  case $e in */qemu-system-*|*/native/*|*/ld-*.so*) echo "process: $e $(tr '\\0' ' ' <$p/cmdline | cut -c1-200)";; esac
done
ls /run/netns 2>/dev/null | sed 's/^/netns: /'
ip -o link | cut -d: -f2 | sed 's/^/link:/'
nft list ruleset | sed 's/packets [0-9]* bytes [0-9]*//; s/^/rule: /'
sed 's/^/mount: /' /proc/mounts
ls -d /sys/fs/cgroup/*offshoot* 2>/dev/null | sed 's/^/cgroup: /'
find ${state}/sandboxes ${state}/checkpoints ${state}/snapshots /dev/shm -type f ! -path '*/execs/*' 2>/dev/null | sed 's/^/file: /'
`;

/**
 * hostd in a sandbox of hostd: the outer one emulates a CPU with AMD's virtualization, so the inner one has a real /dev/kvm. Its socket is
 * brought out, and tests talk to it as to any other.
 */
export class NestedHost implements TierSubject, AsyncDisposable {
  readonly host: string;
  readonly sandbox: Sandbox;
  readonly #parts: AsyncDisposableStack;
  #hostd: ExecHandle | undefined;

  private constructor(sandbox: Sandbox, relay: SocketRelay, parts: AsyncDisposableStack) {
    this.sandbox = sandbox;
    this.host = `unix:${relay.path}`;
    this.#parts = parts;
  }

  /** `stateDirectory` has the image `nested`. */
  static async start(stateDirectory: string): Promise<NestedHost> {
    await using unwind = new AsyncDisposableStack();
    const outer = unwind.use(
      await HostdProcess.start({
        stateDirectory,
        config: { network: { instance: outerInstance, subnet: '10.88.0.0/16' }, kvm: 'off' },
      }),
    );
    const connection = { host: outer.host };
    // One CPU: with two, a machine inside that had been copied ended or stood still when another was stopped (seen in two of two runs, in none
    // of one with one CPU; whose fault it is is not known: QEMU's emulation of two CPUs with SVM is suspected).
    const shape = { cpus: 1, memoryMiB: 6144, diskMiB: 20_480 };
    const sandbox = unwind.use(
      await Sandbox.create({ image: 'nested', ...shape, timeoutSeconds: 7200, egress: { mode: 'none' }, connection }),
    );
    await sandbox.exec(prepare, { check: true, input: JSON.stringify(innerConfig) });
    const relay = unwind.use(await SocketRelay.open(sandbox, innerSocket));
    const nested = new NestedHost(sandbox, relay, unwind.move());
    try {
      await nested.#startHostd();
    } catch (error) {
      await nested[Symbol.asyncDispose]();
      throw error;
    }
    return nested;
  }

  async restart(): Promise<void> {
    await this.#hostd?.kill('SIGTERM');
    await this.#hostd?.wait();
    await this.#startHostd();
  }

  /** Everything inside that a sandbox could leave behind, a line each. */
  async picture(): Promise<string[]> {
    const { stdout } = await this.sandbox.exec(picture, { check: true });
    return stdout.split('\n').filter((line) => line !== '');
  }

  /** What the inner hostd, its machines and the kernel said, for failure messages. */
  async log(): Promise<string> {
    const consoles = `tail -n 15 ${state}/sandboxes/*/vm/console.log ${state}/machines/*/console.log 2>/dev/null`;
    return (await this.sandbox.exec(`tail -n 40 /run/hostd.log; ${consoles}; dmesg | tail -n 10`)).stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }

  async #startHostd(): Promise<void> {
    const options = `--state ${state} --listen unix:${innerSocket} --config /run/config.json`;
    this.#hostd = await this.sandbox.spawn(`exec ${innerOffshoot} hostd ${options} >>/run/hostd.log 2>&1`, {
      env: { NODE_COMPILE_CACHE: '/opt/offshoot/compile-cache' },
    });
    const ended = this.#hostd.wait().then(
      () => true,
      () => true,
    );
    // one process that looks, because each costs
    const ready = this.sandbox.exec(`until [ -S ${innerSocket} ]; do sleep 1; done`, { check: true }).then(() => false);
    ready.catch(() => undefined);
    if (await Promise.race([ended, ready])) throw new Error(`hostd ended inside:\n${await this.log()}`);
  }
}
