import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  openOutsideWorld,
  outside,
  type OutsideWorld,
  type OutsideWorldOptions,
} from '../../../test/doubles/outside-world.ts';
import type { EgressMode } from '../../contract/egress.ts';
import type { NetworkSlot } from '../network.ts';
import { RemoteNetwork } from './remote-network.ts';
import { StandInGuest } from './stand-in-guest.ts';

export const testUid = 61_234;
/** Refusals have to come well before anyone's time limit. */
export const fastMs = 1200;

let instances = 0;

/** A name that no other test run on this machine uses now. */
export function freshInstance(): string {
  instances += 1;
  return `t${((process.pid % 46_656) * 36 + (instances % 36)).toString(36)}`.slice(0, 6);
}

/** A pretended host with networks on it, and everything to take them down again. */
export class Lab {
  readonly world: OutsideWorld;
  readonly resolvConf: string;
  readonly #directory: string;
  readonly #networks: { instance: string; network: RemoteNetwork }[] = [];
  readonly #guests: StandInGuest[] = [];

  private constructor(world: OutsideWorld, directory: string) {
    this.world = world;
    this.#directory = directory;
    this.resolvConf = join(directory, 'resolv.conf');
  }

  static async open(options: OutsideWorldOptions = {}): Promise<Lab> {
    const lab = new Lab(await openOutsideWorld(options), await mkdtemp(join(tmpdir(), 'offshoot-net-')));
    await lab.useResolvers([outside.resolverAddress]);
    return lab;
  }

  async useResolvers(addresses: readonly string[]): Promise<void> {
    await writeFile(this.resolvConf, addresses.map((address) => `nameserver ${address}\n`).join(''));
  }

  /** A network in a process of its own; not started yet. `kind`: see RemoteNetwork. */
  network(
    config: { instance?: string } & Record<string, unknown> = {},
    kind: 'policies' | 'bare' | { helpersIn: string } = 'bare',
  ): RemoteNetwork {
    const instance = config.instance ?? freshInstance();
    const network = new RemoteNetwork(this.world, { resolvConf: this.resolvConf, ...config, instance }, kind);
    this.#networks.push({ instance, network });
    return network;
  }

  async startedNetwork(config: { instance?: string } & Record<string, unknown> = {}): Promise<RemoteNetwork> {
    const network = this.network(config);
    await network.start();
    return network;
  }

  async sandbox(
    network: RemoteNetwork,
    slot: number,
    mode: EgressMode,
    allow: readonly string[] = [],
  ): Promise<{ slot: NetworkSlot; guest: StandInGuest }> {
    const made = await network.create(slot, testUid, mode, allow);
    const { link } = await network.facts();
    const guest = await StandInGuest.plugIn(made, link, testUid);
    this.#guests.push(guest);
    return { slot: made, guest };
  }

  /** All that hostd could leave on the pretended host, as text to compare. */
  async hostPicture(): Promise<string> {
    const links = await this.world.run('ip', ['-o', 'link', 'show']);
    const rules = await this.world.run('nft', ['list', 'ruleset']);
    const routes = await this.world.run('ip', ['-4', 'route', 'show', 'table', 'all']);
    const names = links.stdout.split('\n').map((line) => line.split(' ')[1] ?? '');
    const counters = /counter packets \d+ bytes \d+/g;
    return [names.join(' '), rules.stdout.replace(counters, 'counter'), routes.stdout.replaceAll(' linkdown', '')].join(
      '\n',
    );
  }

  async nft(text: string): Promise<void> {
    await this.world.run('nft', ['-f', '-'], { input: text });
  }

  /** Network namespaces of this instance. */
  async netnsOf(instance: string): Promise<string[]> {
    return (await readdir('/run/netns')).filter((name) => name.startsWith(`offshoot-${instance}-`));
  }

  async close(): Promise<void> {
    for (const guest of this.#guests) await guest.unplug();
    for (const { instance, network } of this.#networks) {
      await network.kill();
      for (const netns of await this.netnsOf(instance)) await this.world.run('ip', ['netns', 'del', netns]);
    }
    await this.world.close();
    await rm(this.#directory, { recursive: true });
  }
}
