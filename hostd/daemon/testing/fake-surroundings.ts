import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request, type Dispatcher } from 'undici';
import { FakeGuestConnector, type FakeMachine } from '../../guest/fake-guest.ts';
import { FakeNetwork } from '../../net/fake-network.ts';
import { FakeImages } from '../../sandbox/testing/fake-images.ts';
import { FakeResources } from '../../sandbox/testing/world.ts';
import { FakeMachines, FakeVmm } from '../../vmm/fake-vmm.ts';
import { parseConfig, type HostdConfig } from '../config.ts';
import { startDaemon, type Daemon } from '../daemon.ts';
import { createLogger } from '../logger.ts';
import type { DaemonParts } from '../parts.ts';

export interface Answer {
  status: number;
  body: unknown;
}

/** A pretended machine around a real daemon: real state directory, real HTTP on a real socket, fake microVMs, guests and network. */
export class FakeSurroundings {
  readonly folder: string;
  readonly machines = new FakeMachines();
  readonly guests = new FakeGuestConnector();
  readonly images = new FakeImages();
  readonly resources = new FakeResources();
  readonly network = new FakeNetwork(8);
  /** Of the last start. */
  vmm: FakeVmm;
  readonly logLines: string[] = [];
  /** What was opened, in order. */
  readonly opened: string[] = [];
  readonly parts: DaemonParts;
  config: HostdConfig;
  readonly #running: Daemon[] = [];

  private constructor(folder: string, settings: object) {
    this.folder = folder;
    this.vmm = new FakeVmm({ machines: this.machines });
    const places = { stateDirectory: join(folder, 'state'), listen: `unix:${this.socketPath}` };
    this.config = parseConfig({ ...places, ...settings });
    this.parts = {
      checkHost: () => Promise.resolve(),
      openVmm: () => {
        this.opened.push('vmm');
        this.vmm = new FakeVmm({ machines: this.machines });
        return Promise.resolve(this.vmm);
      },
      openNetwork: () => Promise.resolve(this.network),
      openImages: () => this.images,
      guests: this.guests,
      resources: () => this.resources,
    };
  }

  static async create(settings: object = {}): Promise<FakeSurroundings> {
    return new FakeSurroundings(await mkdtemp(join(tmpdir(), 'offshoot-daemon-')), settings);
  }

  get socketPath(): string {
    return join(this.folder, 'hostd.sock');
  }

  async start(): Promise<Daemon> {
    const { log } = createLogger('debug', (line) => this.logLines.push(line));
    const daemon = await startDaemon(this.config, { log, parts: this.parts });
    this.#running.push(daemon);
    return daemon;
  }

  /** The inside of a sandbox. */
  guest(sandboxId: string): FakeMachine {
    return this.guests.machine(join(this.config.stateDirectory, 'sandboxes', sandboxId, 'vm', 'agent.sock'));
  }

  /** One request on a connection of its own; JSON answers are parsed. */
  async ask(
    method: Dispatcher.HttpMethod,
    path: string,
    options: { json?: unknown; body?: string | Buffer; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const agent = new Agent({ connect: { socketPath: this.socketPath } });
    const { json, headers = {} } = options;
    const content = json === undefined ? options.body : JSON.stringify(json);
    try {
      const { statusCode, body } = await request(`http://offshoot${path}`, {
        method,
        dispatcher: agent,
        headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(content === undefined ? {} : { body: content }),
      });
      const text = await body.text();
      return { status: statusCode, body: text.startsWith('{') && !text.includes('}\n{') ? JSON.parse(text) : text };
    } finally {
      await agent.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const daemon of this.#running) await daemon.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
