/**
 * CONTROL messages of one stream that are not known to have arrived. They go at least once: a carrier that is cut takes
 * them along, and the agent does not acknowledge them by itself. A newer one replaces an older one of its name.
 */
export class StreamControls {
  readonly #pending = new Map<string, Buffer>();
  readonly #confirm: (arrived: () => void) => void;

  /** `confirm` calls back when all that was sent before has arrived. */
  constructor(confirm: (arrived: () => void) => void) {
    this.#confirm = confirm;
  }

  /** The payloads to send again in a new session. */
  get pending(): Iterable<Buffer> {
    return this.#pending.values();
  }

  /** Sends by `send`, then asks whether it has arrived. */
  add(name: string, payload: Buffer, send: (payload: Buffer) => void): void {
    this.#pending.set(name, payload);
    send(payload);
    this.#confirm(() => {
      if (this.#pending.get(name) === payload) this.#pending.delete(name);
    });
  }

  clear(): void {
    this.#pending.clear();
  }
}
