import { compilePolicy } from '../policy/compile-policy.ts';
import type { Policy, PolicyView } from '../policy/policy.ts';
import { bothViews } from './both-views.ts';
import type { PolicyDocument } from './messages.ts';

export interface PolicyEntry {
  sandboxId: string;
  sourceAddress: string;
  netnsPath: string;
  view: PolicyView;
  /** Of the policy that is wholly in force. */
  revision: number;
}

/** A document that was checked and compiled against the table as it stands. */
export interface PreparedPolicies {
  readonly entries: ReadonlyMap<string, PolicyEntry>;
  /** Sandboxes that the table did not know. */
  readonly added: readonly PolicyEntry[];
  readonly changed: readonly PolicyEntry[];
  /** Sandboxes that are not in it any more. */
  readonly dropped: readonly string[];
}

/** Throws an Error when the policy there is was made after the given one. */
export function refuseOlder(
  before: { revision: number } | undefined,
  { sandboxId, revision }: { sandboxId: string; revision: number },
): void {
  if (before === undefined || before.revision <= revision) return;
  throw new Error(`${sandboxId} has revision ${String(before.revision)}, which is newer than ${String(revision)}`);
}

/** The policies in force. A document takes effect whole, between two decisions, or not at all. */
export class PolicyTable {
  #entries: ReadonlyMap<string, PolicyEntry> = new Map();
  #bySource: ReadonlyMap<string, PolicyEntry> = new Map();
  /** What a document that narrows was compiled to is what its final phase has. */
  readonly #compiled = new WeakMap<Policy, { own: readonly string[]; view: PolicyView }>();

  get size(): number {
    return this.#entries.size;
  }

  /** Throws an Error for a document with an older revision than the one in force, or with one address for two sandboxes; a TypeError for `own` that is no address or network. */
  prepare(document: PolicyDocument): PreparedPolicies {
    const entries = new Map<string, PolicyEntry>(document.others === 'keep' ? this.#entries : []);
    const named = new Set<string>();
    for (const { sandboxId, sourceAddress, netnsPath, policy, revision } of document.sandboxes) {
      if (named.has(sandboxId)) throw new Error(`${sandboxId} is in it twice`);
      named.add(sandboxId);
      const before = this.#entries.get(sandboxId);
      if (document.others === 'keep') refuseOlder(before, { sandboxId, revision });
      const view = this.#compile(policy, document.own);
      if (document.phase === 'final') entries.set(sandboxId, { sandboxId, sourceAddress, netnsPath, view, revision });
      else if (before?.sourceAddress === sourceAddress) {
        entries.set(sandboxId, { ...before, view: bothViews(before.view, view) });
      } else entries.delete(sandboxId);
    }
    const all = [...entries.values()];
    const sources = new Set(all.map(({ sourceAddress }) => sourceAddress));
    if (sources.size !== all.length) throw new Error('two sandboxes have the same address');
    const touched = all.filter((entry) => this.#entries.get(entry.sandboxId) !== entry);
    return {
      entries,
      added: touched.filter(({ sandboxId }) => !this.#entries.has(sandboxId)),
      changed: touched.filter(({ sandboxId }) => this.#entries.has(sandboxId)),
      dropped: [...this.#entries.keys()].filter((sandboxId) => !entries.has(sandboxId)),
    };
  }

  #compile(policy: Policy, own: readonly string[]): PolicyView {
    const known = this.#compiled.get(policy);
    if (known?.own === own) return known.view;
    const view = compilePolicy(policy, { own });
    this.#compiled.set(policy, { own, view });
    return view;
  }

  /** Only for what was prepared since the last commit. */
  commit({ entries }: Pick<PreparedPolicies, 'entries'>): void {
    this.#bySource = new Map([...entries.values()].map((entry) => [entry.sourceAddress, entry]));
    this.#entries = entries;
  }

  drop(sandboxId: string): void {
    const entries = new Map(this.#entries);
    if (entries.delete(sandboxId)) this.commit({ entries });
  }

  atSource(sourceAddress: string): PolicyEntry | undefined {
    return this.#bySource.get(sourceAddress);
  }

  of(sandboxId: string): PolicyEntry | undefined {
    return this.#entries.get(sandboxId);
  }

  sandboxIds(): string[] {
    return [...this.#entries.keys()];
  }

  revisions(sandboxIds: readonly string[]): Record<string, number> {
    return Object.fromEntries(
      sandboxIds.flatMap((sandboxId) => {
        const entry = this.#entries.get(sandboxId);
        return entry === undefined ? [] : [[sandboxId, entry.revision]];
      }),
    );
  }
}
