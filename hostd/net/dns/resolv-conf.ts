import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import type { Upstream } from '../config.ts';

/** As many as the C library uses (MAXNS, resolv.conf(5)). */
const maxServers = 3;
const checkEveryMs = 1000;
/** What the C library asks when none is named. */
const localServer: Upstream = { address: '127.0.0.1', port: 53 };

export function parseResolvConf(text: string): Upstream[] {
  const servers = text.split('\n').flatMap((line) => {
    const [keyword, address] = line.trim().split(/\s+/);
    return keyword === 'nameserver' && address !== undefined && isIP(address) !== 0 ? [{ address, port: 53 }] : [];
  });
  return servers.length === 0 ? [localServer] : servers.slice(0, maxServers);
}

/** The host's DNS servers, read again when the file has changed, which is looked at once a second at most. */
export class ResolvConf {
  readonly #path: string;
  readonly #clock: Clock;
  #servers: Upstream[] = [localServer];
  #version = '';
  #checkedMs = Number.NEGATIVE_INFINITY;
  #check: Promise<void> = Promise.resolve();

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** Never rejects: while the file is missing or unreadable the servers stay as they were. */
  async current(): Promise<readonly Upstream[]> {
    if (this.#clock.monotonicMs() - this.#checkedMs >= checkEveryMs) {
      this.#checkedMs = this.#clock.monotonicMs();
      this.#check = this.#readIfChanged().catch(() => undefined);
    }
    await this.#check;
    return this.#servers;
  }

  async #readIfChanged(): Promise<void> {
    const { mtimeMs, size, ino } = await stat(this.#path);
    const version = [mtimeMs, size, ino].join(' ');
    if (version === this.#version) return;
    this.#servers = parseResolvConf(await readFile(this.#path, 'utf8'));
    this.#version = version;
  }
}
