/** One warning for each reason, with the names. */
export class Refusals {
  readonly #warn: (message: string) => void;
  readonly #names = new Map<string, Set<string>>();

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** Returns `fine`, and notes the name when it is not. */
  unless(fine: boolean, name: string, reason: string, kind: string): boolean {
    if (fine) return true;
    const sentence = `${kind} ${reason}`;
    const names = this.#names.get(sentence) ?? new Set();
    this.#names.set(sentence, names.add(JSON.stringify(name.slice(0, 100))));
    return false;
  }

  tell(): void {
    for (const [sentence, names] of this.#names) {
      const shown = [...names].slice(0, 10).join(', ');
      const more = names.size > 10 ? ` and ${String(names.size - 10)} more` : '';
      this.#warn(`Not passed on to the runner, because such a ${sentence}: ${shown}${more}.`);
    }
  }
}
