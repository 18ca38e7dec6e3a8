import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openCarrier } from './carrier.ts';

const firstDelayMs = 5;
const longestDelayMs = 200;
/** While a machine starts, its socket is awaited closely: somebody waits for the sandbox. */
const startDelayMs = 4;
const startAttempts = 250;
/** A socket that is not there, or that nobody listens on, for this long after it was: the sandbox is gone. */
const goneMs = 2000;
/** Any other failure may pass (a full backlog, a carrier that closes at once), but not for ever. */
const failingMs = 30_000;
const leastFailures = 5;

/** Dials one socket path again and again with a growing pause, and knows when it is no use any more. */
export class Dialer {
  readonly #socketPath: string;
  readonly #stopped: AbortSignal;
  #failures = 0;
  #failingSinceMs = 0;
  #goneSinceMs: number | undefined;
  #everConnected = false;

  constructor(socketPath: string, stopped: AbortSignal) {
    this.#socketPath = socketPath;
    this.#stopped = stopped;
  }

  /** A session came to life: earlier failures are forgotten. */
  succeeded(): void {
    this.#failures = 0;
    this.#goneSinceMs = undefined;
    this.#everConnected = true;
  }

  /** The next connection; undefined when the socket is gone for good or the signal fired. Before the first success it dials for ever. */
  async dial(): Promise<Socket | undefined> {
    for (;;) {
      if (this.#stopped.aborted) return undefined;
      if (this.#failures > 0) await this.#pause();
      if (this.#stopped.aborted) return undefined;
      if (this.#failures === 0) this.#failingSinceMs = performance.now();
      this.#failures += 1;
      try {
        const socket = await openCarrier(this.#socketPath);
        this.#goneSinceMs = undefined;
        if (!this.#stopped.aborted && !this.#hopeless()) return socket;
        socket.destroy();
      } catch (error) {
        if (isGone(error)) this.#goneSinceMs ??= performance.now();
        else this.#goneSinceMs = undefined;
      }
      if (this.#hopeless()) return undefined;
    }
  }

  #hopeless(): boolean {
    if (!this.#everConnected || this.#failures < leastFailures) return false;
    const nowMs = performance.now();
    if (this.#goneSinceMs !== undefined && nowMs - this.#goneSinceMs > goneMs) return true;
    return nowMs - this.#failingSinceMs > failingMs;
  }

  async #pause(): Promise<void> {
    const growingMs = Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(this.#failures - 1, 10));
    const delayMs = !this.#everConnected && this.#failures <= startAttempts ? startDelayMs : growingMs;
    await sleep(delayMs, undefined, { signal: this.#stopped }).catch(() => undefined);
  }
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR';
}
