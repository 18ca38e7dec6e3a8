/** Which sandboxes' filters had counted nothing, and whether a packet came to them since: without one, a look would start processes for nothing. */
export class QuietFilters {
  readonly #markOf: (sandboxId: string) => Promise<string | undefined>;
  /** The mark of the network before it was looked at. */
  readonly #quietAt = new Map<string, string>();

  /** `markOf`: another one after every packet; undefined, or a rejection, when that can't be told. */
  constructor(markOf: (sandboxId: string) => Promise<string | undefined>) {
    this.#markOf = (sandboxId) => markOf(sandboxId).catch(() => undefined);
  }

  async isQuiet(sandboxId: string): Promise<boolean> {
    const quietAt = this.#quietAt.get(sandboxId);
    return quietAt !== undefined && quietAt === (await this.#markOf(sandboxId));
  }

  /** A look begins. What it gives is to be called when the look found nothing. */
  async looking(sandboxId: string): Promise<() => void> {
    this.#quietAt.delete(sandboxId);
    const mark = await this.#markOf(sandboxId);
    return () => {
      if (mark !== undefined) this.#quietAt.set(sandboxId, mark);
    };
  }

  forget(sandboxId: string): void {
    this.#quietAt.delete(sandboxId);
  }
}
