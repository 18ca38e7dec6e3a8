import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inNetns } from '../../../../../test/doubles/outside-world.ts';

/** A connection of a stand-in guest that carries data until something ends it. */
export class LongFlow {
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();
  /** How it ended: an error's code, or `end`. */
  ended: string | undefined;

  constructor(netns: string, transport: 'tcp' | 'udp', address: string, port: number, localPort?: number) {
    const program = fileURLToPath(new URL('flow-client.ts', import.meta.url));
    const own = localPort === undefined ? [] : [String(localPort)];
    const inside = inNetns(netns, process.execPath, [program, transport, address, String(port), ...own]);
    const child = spawn(inside.command, inside.args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line !== 'data') this.ended = line;
      for (const wake of this.#waiting) wake();
    });
  }

  /** Resolves with the milliseconds until data arrived, or undefined when none did in time. */
  moves(withinMs = 5000): Promise<number | undefined> {
    return this.#until(withinMs, () => this.ended === undefined);
  }

  /** Resolves with the milliseconds until it ended, or undefined when it did not in time. */
  ends(withinMs = 5000): Promise<number | undefined> {
    if (this.ended !== undefined) return Promise.resolve(0);
    return this.#until(withinMs, () => this.ended !== undefined);
  }

  /** Resolves with the milliseconds until the last data came, for all that this side sees of an end; undefined when it went on for longer. */
  async stops(withinMs = 5000): Promise<number | undefined> {
    const startedMs = performance.now();
    let lastMs = startedMs;
    while ((await this.moves(500)) !== undefined) {
      lastMs = performance.now();
      if (lastMs - startedMs > withinMs) return undefined;
    }
    return lastMs - startedMs;
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  #until(withinMs: number, condition: () => boolean): Promise<number | undefined> {
    const startedMs = performance.now();
    return new Promise((resolve) => {
      const finish = (tookMs: number | undefined): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve(tookMs);
      };
      const wake = (): void => {
        if (condition()) finish(performance.now() - startedMs);
      };
      const timer = setTimeout(finish, withinMs, undefined);
      this.#waiting.add(wake);
    });
  }
}
