import type { IncomingMessage } from 'node:http';
import type { RawHeaders } from './http-headers.ts';

/** What node takes for a request with its answer, with room to spare (1.8 KiB measured), and for a string besides its text. */
const bytesPerRequest = 4096;
const bytesPerString = 40;

/** Bounds what guests send ahead of its turn: all sandboxes share the memory of this process, and 128 requests of a connection are 8 MiB. */
export class WaitingRoom {
  readonly #bytesPerSandbox: number;
  readonly #taken = new Map<string, number>();

  constructor(bytesPerSandbox: number) {
    this.#bytesPerSandbox = bytesPerSandbox;
  }

  /** Room for one more request, until what it gives is called; undefined when the sandbox has none left. */
  take(sandboxId: string, request: Pick<IncomingMessage, 'rawHeaders' | 'url'>): (() => void) | undefined {
    const bytes = bytesPerRequest + bytesOf([request.url ?? '', ...request.rawHeaders]);
    const taken = this.#of(sandboxId) + bytes;
    if (taken > this.#bytesPerSandbox) return undefined;
    this.#taken.set(sandboxId, taken);
    return () => {
      const left = this.#of(sandboxId) - bytes;
      if (left > 0) this.#taken.set(sandboxId, left);
      else this.#taken.delete(sandboxId);
    };
  }

  #of(sandboxId: string): number {
    return this.#taken.get(sandboxId) ?? 0;
  }
}

function bytesOf(texts: RawHeaders): number {
  return texts.reduce((sum, text) => sum + text.length + bytesPerString, 0);
}
