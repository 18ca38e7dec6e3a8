/** Names with their addresses that the report has of one sandbox. */
const maxPerSandbox = 400;

/** Which addresses of names a report has already: each pair once. The first ones are enough, and leave room for what was decided. */
export class ToldAnswers {
  readonly #pairs = new Map<string, Set<string>>();

  /** Whether it is to be told now; from then on it counts as told. */
  isNew(sandboxId: string, name: string, address: string): boolean {
    const known = this.#pairs.get(sandboxId) ?? new Set<string>();
    this.#pairs.set(sandboxId, known);
    const pair = `${name} ${address}`;
    if (known.has(pair) || known.size >= maxPerSandbox) return false;
    known.add(pair);
    return true;
  }

  forget(sandboxId: string): void {
    this.#pairs.delete(sandboxId);
  }
}
