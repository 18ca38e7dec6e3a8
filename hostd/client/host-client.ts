import type { OffshootEvent } from '../contract/event.ts';
import { hostSchema, type HostInfo } from '../contract/host.ts';
import { readEvents, type EventOptions } from './events.ts';
import { Images } from './images.ts';
import { Snapshots } from './snapshots.ts';
import { Transport, type ConnectionOptions } from './transport.ts';

/** One hostd: what it is, its images, its snapshots, its events. Sandboxes have their own class. */
export class HostClient {
  readonly images: Images;
  readonly snapshots: Snapshots;
  readonly #transport: Transport;

  constructor(connection?: ConnectionOptions) {
    this.#transport = new Transport(connection);
    this.images = new Images(this.#transport);
    this.snapshots = new Snapshots(this.#transport);
  }

  async info(): Promise<HostInfo> {
    return this.#transport.json(hostSchema, { method: 'GET', path: '/v1/host' });
  }

  events(options?: EventOptions): AsyncGenerator<OffshootEvent> {
    return readEvents(this.#transport, options);
  }

  async close(): Promise<void> {
    await this.#transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
