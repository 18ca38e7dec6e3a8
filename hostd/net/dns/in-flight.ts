/** Counts what each client has open, so that one sandbox can't take the daemon's sockets from the others. */
export class InFlight {
  readonly #perClient: number;
  readonly #inAll: number;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(perClient: number, inAll: number) {
    this.#perClient = perClient;
    this.#inAll = inAll;
  }

  /** False when the client, or all of them together, have too much open. */
  enter(client: string): boolean {
    const count = this.#counts.get(client) ?? 0;
    if (count >= this.#perClient || this.#total >= this.#inAll) return false;
    this.#counts.set(client, count + 1);
    this.#total += 1;
    return true;
  }

  leave(client: string): void {
    const count = this.#counts.get(client);
    if (count === undefined) return;
    this.#total -= 1;
    if (count === 1) this.#counts.delete(client);
    else this.#counts.set(client, count - 1);
  }
}
