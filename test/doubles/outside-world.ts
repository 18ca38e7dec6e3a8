import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { runChecked, systemRunner, type RunOptions, type RunResult } from '../../hostd/platform/run.ts';
import { arrivalSchema, type Arrival, type ServerSpec } from './outside-servers.ts';

export interface OutsideWorldOptions {
  /** Address of the pretended host on its uplink, as `address/prefix`. */
  hostAddress?: string;
  gateway?: string;
  uplinkMtu?: number;
  /** Addresses that answer in the pretended internet besides the gateway: public-looking, private and metadata ones. */
  internetAddresses?: readonly string[];
  internetServers?: readonly ServerSpec[];
}

/** Names that the resolver of the pretended internet knows. */
export const outsideZone = {
  'public.example': { a: ['203.0.113.7'] },
  'private.example': { a: ['10.0.0.1'] },
  'metadata.example': { a: ['169.254.169.254'] },
  'big.example': { txtBytes: 3000 },
};

export const outside = {
  publicAddress: '203.0.113.7',
  otherPublicAddress: '192.0.2.80',
  privateAddress: '10.0.0.1',
  metadataAddress: '169.254.169.254',
  carrierAddress: '100.64.0.9',
  resolverAddress: '203.0.113.53',
  hostAddress: '198.51.100.2',
  gateway: '198.51.100.1',
} as const;

const openPorts = [22, 80, 443];

const defaultServers: readonly ServerSpec[] = [
  { tcpPorts: openPorts, bulk: { port: 9000, bytes: 4 * 1024 * 1024 } },
  ...[outside.publicAddress, outside.metadataAddress, outside.privateAddress].map((address) => ({
    address,
    udpPorts: [7],
  })),
  { address: outside.resolverAddress, dns: { zone: outsideZone } },
];

let opened = 0;

/**
 * A host without uplink: two network namespaces, one of them "the host" for the program under test, the other "the internet", which answers
 * at the addresses given and sends nothing out of this machine. Needs root. Programs run in the host one share the file system: only their
 * network is apart, so network namespaces that they make by `ip netns add` work as usual.
 */
export async function openOutsideWorld(options: OutsideWorldOptions = {}): Promise<OutsideWorld> {
  opened += 1;
  const world = new OutsideWorld(`ow${String(process.pid)}-${String(opened)}`);
  try {
    await world.build(options);
    await world.serve('internet', options.internetServers ?? defaultServers);
  } catch (error) {
    await world.close();
    throw error;
  }
  return world;
}

export class OutsideWorld {
  readonly hostNetns: string;
  readonly internetNetns: string;
  /** Everything that reached a server of this world, in order. */
  readonly arrivals: Arrival[] = [];
  readonly #children = new Set<ChildProcess>();
  #fallen: Error | undefined;
  #isClosing = false;

  constructor(name: string) {
    this.hostNetns = `${name}-host`;
    this.internetNetns = `${name}-net`;
  }

  /** Command and arguments that run a program inside the host's network; only its network: mounts stay shared. */
  inHost(command: string, args: readonly string[]): { command: string; args: string[] } {
    return inNetns(this.hostNetns, command, args);
  }

  /** Runs a program in the host's network to its end; rejects when it fails. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<RunResult> {
    const inside = this.inHost(command, args);
    return runChecked(systemRunner, inside.command, inside.args, options);
  }

  /** Runs a program in the internet's network to its end; rejects when it fails. */
  runOutside(command: string, args: readonly string[], options?: RunOptions): Promise<RunResult> {
    const inside = inNetns(this.internetNetns, command, args);
    return runChecked(systemRunner, inside.command, inside.args, options);
  }

  /** Starts a program in the host's network; ended with the world. */
  spawn(command: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
    const inside = this.inHost(command, args);
    return this.#track(spawn(inside.command, inside.args, options));
  }

  /** Starts servers in the internet, the host or another namespace and resolves when they listen. Their arrivals are added to `arrivals`. */
  async serve(where: 'internet' | 'host' | { netns: string }, specs: readonly ServerSpec[]): Promise<void> {
    const program = fileURLToPath(new URL('outside-servers.ts', import.meta.url));
    const known = { internet: this.internetNetns, host: this.hostNetns };
    const netns = typeof where === 'string' ? known[where] : where.netns;
    const inside = inNetns(netns, process.execPath, [program, JSON.stringify(specs)]);
    const child = this.#track(spawn(inside.command, inside.args, { stdio: ['pipe', 'pipe', 'inherit'] }));
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => {
        const error = new Error(`servers of the outside ended with ${String(code)}`);
        if (!this.#isClosing) this.#fallen = error;
        reject(error);
      });
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line === '{"ready":true}') resolve();
        else this.arrivals.push(arrivalSchema.parse(JSON.parse(line)));
      });
    });
  }

  /** Rejects when servers had ended by themselves: what was not reached after that proves nothing. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all([...this.#children].map(end));
    for (const netns of [this.hostNetns, this.internetNetns]) await systemRunner.run('ip', ['netns', 'del', netns]);
    if (this.#fallen !== undefined) throw this.#fallen;
  }

  /** Called by openOutsideWorld. */
  async build(options: OutsideWorldOptions): Promise<void> {
    const gateway = options.gateway ?? outside.gateway;
    const hostAddress = options.hostAddress ?? `${outside.hostAddress}/24`;
    const mtu = String(options.uplinkMtu ?? 1400);
    const addresses = options.internetAddresses ?? [
      outside.publicAddress,
      outside.otherPublicAddress,
      outside.privateAddress,
      outside.metadataAddress,
      outside.carrierAddress,
      outside.resolverAddress,
    ];
    await ip([
      `netns add ${this.hostNetns}`,
      `netns add ${this.internetNetns}`,
      `link add name eth0 mtu ${mtu} netns ${this.hostNetns} type veth peer name eth0 mtu ${mtu} netns ${this.internetNetns}`,
    ]);
    await ip(
      [
        'link set dev lo up',
        `addr add ${gateway}/${hostAddress.split('/')[1] ?? '24'} dev eth0`,
        ...addresses.map((address) => `addr add ${address}/32 dev eth0`),
        'link set dev eth0 up',
      ],
      this.internetNetns,
    );
    await ip(
      [
        'link set dev lo up',
        `addr add ${hostAddress} dev eth0`,
        'link set dev eth0 up',
        `route add default via ${gateway}`,
      ],
      this.hostNetns,
    );
  }

  #track<T extends ChildProcess>(child: T): T {
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }
}

/** `nsenter`, not `ip netns exec`: the latter gives the program mounts of its own, in which later `ip netns add` is seen by no one else. */
export function inNetns(netns: string, command: string, args: readonly string[]): { command: string; args: string[] } {
  return { command: 'nsenter', args: [`--net=/run/netns/${netns}`, '--', command, ...args] };
}

async function ip(commands: readonly string[], netns?: string): Promise<void> {
  const args = [...(netns === undefined ? [] : ['-n', netns]), '-batch', '-'];
  await runChecked(systemRunner, 'ip', args, { input: `${commands.join('\n')}\n` });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    child.once('exit', () => {
      resolve();
    });
    child.kill('SIGKILL');
  });
}
