import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HostClient, Sandbox, type CreateOptions } from '../../hostd/client/index.ts';
import { gateFolder, helperFiles } from '../../hostd/net/egress/gate/helper-files.ts';
import type { HelperRole } from '../../hostd/net/egress/gate/messages.ts';
import { processIdentitySchema, type ProcessIdentity } from '../../hostd/platform/process-identity.ts';
import { openOutsideWorld, type OutsideWorld } from '../doubles/outside-world.ts';
import { HostdProcess } from '../support/hostd-process.ts';
import { furnishGuest, type GuestSetup } from './guest-probe.ts';
import { at, makeOutside } from './outside-of-battery.ts';

/** Cases name addresses of it. */
const subnet = '10.86.0.0/16';

/** A name of its own, so that several runs on a machine do not meet. */
export const instance = `e${(process.pid % 46_656).toString(36)}`;

/** Counts, before the kernel puts fragments together, what no server outside would tell of. */
const watch = `table inet watch {
  counter raw { }
  counter echo { }
  counter lone_fragment { }
  counter foreign_source { }
  counter ipv6 { }
  chain arrivals {
    type filter hook prerouting priority -450;
    meta l4proto { 47, 99 } counter name raw
    icmp type echo-request counter name echo
    ip id 77 ip frag-off & 0x1fff != 0 counter name lone_fragment
    iifname "eth0" ip saddr != { ${at.host}, 0.0.0.0 } counter name foreign_source
    ip6 daddr 2000::/3 counter name ipv6
  }
}
`;

/** A hostd with real sandboxes, on a host without uplink. */
export class EgressWorld {
  readonly outside: OutsideWorld;
  readonly hostd: HostdProcess;
  readonly client: HostClient;
  readonly stateDirectory: string;
  readonly #certificate: string;
  readonly #close: () => Promise<void>;
  readonly #sandboxes: Sandbox[] = [];

  private constructor(
    parts: Pick<EgressWorld, 'outside' | 'hostd' | 'stateDirectory'> & {
      certificate: string;
      close: () => Promise<void>;
    },
  ) {
    this.outside = parts.outside;
    this.hostd = parts.hostd;
    this.client = new HostClient({ host: parts.hostd.host });
    this.stateDirectory = parts.stateDirectory;
    this.#certificate = parts.certificate;
    this.#close = parts.close;
  }

  /** On a state directory that has the image `default`. */
  static async open(stateDirectory: string): Promise<EgressWorld> {
    const { certificate, internetAddresses, internetServers, hostServers } = makeOutside();
    const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-egress-'));
    const resolvConf = path.join(folder, 'resolv.conf');
    await writeFile(resolvConf, `nameserver ${at.resolver}\n`);
    const outside = await openOutsideWorld({ internetAddresses, internetServers });
    const close = async (): Promise<void> => {
      await rm(folder, { recursive: true, force: true });
      await outside.close();
    };
    try {
      await outside.serve('host', hostServers);
      await outside.runOutside('nft', ['-f', '-'], { input: watch });
      const { command, args } = outside.inHost('true', []);
      const hostd = await HostdProcess.start({
        stateDirectory,
        prefix: [command, ...args.slice(0, -1)],
        config: { network: { instance, subnet, resolvConf } },
      });
      return new EgressWorld({
        outside,
        hostd,
        stateDirectory,
        certificate: certificate.cert,
        close,
      });
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Furnished for probes; the end of the suite stops it. */
  async create(options: CreateOptions, setup: Omit<GuestSetup, 'certificate'> = {}): Promise<Sandbox> {
    const connection = { host: this.hostd.host };
    const sandbox = await Sandbox.create({ timeoutSeconds: 1800, ...options, connection });
    this.#sandboxes.push(sandbox);
    await furnishGuest(sandbox, { certificate: this.#certificate, ...setup });
    return sandbox;
  }

  /** Has the end of the suite stop a sandbox that came about otherwise. */
  adopt(sandbox: Sandbox): Sandbox {
    this.#sandboxes.push(sandbox);
    return sandbox;
  }

  async helper(role: HelperRole): Promise<ProcessIdentity> {
    const { identity } = helperFiles(gateFolder(this.stateDirectory), role);
    return processIdentitySchema.parse(JSON.parse(await readFile(identity, 'utf8')));
  }

  /** Packets outside that no server tells of, by what they are; those that are none are left out. */
  async watched(): Promise<Record<string, number>> {
    const { stdout } = await this.outside.runOutside('nft', ['list', 'counters', 'table', 'inet', 'watch']);
    const counters = [...stdout.matchAll(/counter (\w+) \{\s*packets (\d+)/g)];
    return Object.fromEntries(
      counters.map(([, name = '', packets]) => [name, Number(packets)]).filter(([, n]) => n !== 0),
    );
  }

  /** For one whose users are still at work: ends every sandbox of its state, too. */
  async cutOff(): Promise<void> {
    await this.hostd.endWithSandboxes();
    await this.#close();
  }

  async close(): Promise<void> {
    for (const sandbox of this.#sandboxes) {
      await sandbox.stop().catch(() => undefined);
      await sandbox.disconnect();
    }
    await this.client.close();
    await this.hostd[Symbol.asyncDispose]();
    await this.#close();
  }
}
