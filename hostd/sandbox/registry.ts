import type { SandboxState } from '../contract/sandbox.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { Guest } from '../guest/guest.ts';
import type { SandboxRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import { requireTransition } from './states.ts';

export type RunningSandbox = LiveSandbox & { guest: Guest };
/** Runs or is paused. */
export type StandingSandbox = LiveSandbox;

/** The live sandboxes of this host, and the way to all others in the store. */
export class Registry {
  readonly #store: Store;
  readonly #live = new Map<string, LiveSandbox>();

  constructor(store: Store) {
    this.#store = store;
  }

  get live(): readonly LiveSandbox[] {
    return [...this.#live.values()];
  }

  add(sandbox: LiveSandbox): void {
    this.#live.set(sandbox.row.id, sandbox);
  }

  drop(id: string): void {
    this.#live.delete(id);
  }

  find(id: string): LiveSandbox | undefined {
    return this.#live.get(id);
  }

  /** Live or tombstone; throws `sandbox-not-found`. */
  row(id: string): SandboxRow {
    const row = this.#live.get(id)?.row ?? this.#store.sandboxes.get(id);
    if (row !== undefined) return row;
    throw new OffshootError('sandbox-not-found', {
      message: `There is no sandbox ${id}.`,
      details: { sandboxId: id },
    });
  }

  /** Throws `sandbox-not-found`, `sandbox-gone` or `sandbox-not-running`. */
  running(id: string): RunningSandbox {
    const sandbox = this.#present(id);
    if (isRunning(sandbox)) return sandbox;
    throw notRunning(sandbox);
  }

  /** Running or paused. Throws `sandbox-not-found`, `sandbox-gone` or `sandbox-not-running`. */
  standing(id: string): StandingSandbox {
    const sandbox = this.#present(id);
    if (isRunning(sandbox) || (sandbox.row.state === 'paused' && sandbox.teardown === undefined)) return sandbox;
    throw notRunning(sandbox);
  }

  #present(id: string): LiveSandbox {
    const sandbox = this.#live.get(id);
    const { state, endReason, endMessage } = sandbox?.row ?? this.row(id);
    if (state !== 'gone' && sandbox !== undefined) return sandbox;
    throw new OffshootError('sandbox-gone', {
      message: `The sandbox ${id} has ended: ${endReason ?? 'stopped'}.`,
      details: { sandboxId: id, end: { reason: endReason, message: endMessage } },
    });
  }

  /** Changes state and columns in the store and in memory; call it inside a transaction with what belongs to it. */
  move(sandbox: LiveSandbox, to: SandboxState, patch: Partial<SandboxRow> = {}): void {
    requireTransition(sandbox.row.state, to);
    this.patch(sandbox, { ...patch, state: to });
  }

  patch(sandbox: LiveSandbox, patch: Partial<SandboxRow>): void {
    const { row } = sandbox;
    this.#store.sandboxes.update(row.id, patch);
    sandbox.row = { ...row, ...patch };
    this.#store.onRollback(() => {
      sandbox.row = row;
    });
  }
}

function isRunning(sandbox: LiveSandbox): sandbox is RunningSandbox {
  return sandbox.row.state === 'running' && sandbox.guest !== undefined && sandbox.teardown === undefined;
}

function notRunning({ row: { id, state } }: LiveSandbox): OffshootError {
  return new OffshootError('sandbox-not-running', {
    message: `The sandbox ${id} is ${state}.`,
    ...(state === 'paused' ? { hint: `Let it run again first: offshoot sandbox resume ${id}` } : {}),
    details: { sandboxId: id, state },
  });
}
