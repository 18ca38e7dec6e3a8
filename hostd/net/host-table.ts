import { runChecked, type Runner } from '../platform/run.ts';
import { InTurn } from './egress/gate/in-turn.ts';
import { hostRules } from './host-rules.ts';
import { countRules } from './nft-json.ts';
import type { NetworkPlan } from './plan.ts';

type Openings = ReadonlySet<string>;

/** The nft table on the host, and what it opens of the host itself to each slot (`hostOpenings`). Whenever it is made anew, that is part of it from the start. */
export class HostTable {
  readonly #runner: Runner;
  readonly #plan: NetworkPlan;
  readonly #bySlot = new Map<number, Openings>();
  /** One document after the other: what is written is always what is wanted by then. */
  readonly #turn = new InTurn();
  /** How many rules it has when it is whole; undefined as long as it is not loaded. */
  #ruleCount: number | undefined;
  /** What the table has open; undefined where a failure left that unknown. */
  #written: Openings | undefined;

  constructor(runner: Runner, plan: NetworkPlan) {
    this.#runner = runner;
    this.#plan = plan;
  }

  /** Loads the table: once by each hostd, whose rules may differ from those of an earlier one; later only where someone has deleted or flushed it, or a chain of it. Throws CommandError. */
  ensure(): Promise<void> {
    return this.#turn.do(async () => {
      const stands = this.#ruleCount !== undefined && this.#ruleCount === (await this.#rulesThere());
      if (this.#written === undefined || !stands) await this.#load();
    });
  }

  /** Closes to a slot what is not among these, and opens nothing. Throws CommandError; then it is closed by the next call for any slot. */
  closeAllBut(slot: number, openings: readonly string[]): Promise<void> {
    const kept = new Set(openings).intersection(this.#bySlot.get(slot) ?? new Set());
    return this.open(slot, [...kept]);
  }

  /** Opens these to a slot and closes what else was open to it. Before the table is loaded, it is only remembered. Throws CommandError. */
  open(slot: number, openings: readonly string[]): Promise<void> {
    if (openings.length > 0) this.#bySlot.set(slot, new Set(openings));
    else this.#bySlot.delete(slot);
    return this.#turn.do(() => this.#write());
  }

  /** Removes it. Throws CommandError. */
  remove(): Promise<void> {
    return this.#turn.do(async () => {
      const { tableName } = this.#plan;
      this.#ruleCount = undefined;
      await runChecked(this.#runner, 'nft', [`table inet ${tableName}; delete table inet ${tableName}`]);
    });
  }

  get #wanted(): Openings {
    return new Set([...this.#bySlot.values()].flatMap((openings) => [...openings]));
  }

  async #write(): Promise<void> {
    if (this.#ruleCount === undefined) return;
    const [wanted, written] = [this.#wanted, this.#written];
    if (written === undefined) return this.#load();
    const closed = [...written.difference(wanted)].map((opening) => this.#element('delete', opening));
    const opened = [...wanted.difference(written)].map((opening) => this.#element('add', opening));
    const document = [...closed, ...opened].join('');
    if (document === '') return;
    try {
      await this.#run(document, wanted);
    } catch {
      // Others flushed the table, or took elements out of it.
      await this.#load();
    }
  }

  async #load(): Promise<void> {
    const wanted = this.#wanted;
    const elements = [...wanted].map((opening) => this.#element('add', opening)).join('');
    await this.#run(`${hostRules(this.#plan)}${elements}`, wanted);
    this.#ruleCount = await this.#rulesThere();
  }

  #rulesThere(): Promise<number> {
    return countRules(this.#runner, { family: 'inet', table: this.#plan.tableName });
  }

  async #run(document: string, openings: Openings): Promise<void> {
    this.#written = undefined;
    await runChecked(this.#runner, 'nft', ['-f', '-'], { input: document });
    this.#written = openings;
  }

  #element(verb: 'add' | 'delete', opening: string): string {
    return `${verb} element inet ${this.#plan.tableName} ${opening}\n`;
  }
}
