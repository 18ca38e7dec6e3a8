import { systemClock } from '../../../platform/clock.ts';
import { hostBootId } from '../../../platform/process-identity.ts';
import type { PinDocument } from '../dns/pin-document.ts';
import { loadPins, savePins } from './pin-memory.ts';

/** What an earlier resolver had pinned, until its sandboxes come back, and what this one has for the next. */
export class RememberedPins {
  readonly #path: string;
  #earlier = new Map<string, PinDocument>();
  #isSavedEmpty = false;

  constructor(path: string) {
    this.#path = path;
  }

  async load(): Promise<void> {
    this.#earlier = await loadPins(this.#path, await now());
  }

  of(sandboxId: string): PinDocument | undefined {
    return this.#earlier.get(sandboxId);
  }

  /** Once: it has come back. */
  take(sandboxId: string): PinDocument | undefined {
    const document = this.#earlier.get(sandboxId);
    this.#earlier.delete(sandboxId);
    return document;
  }

  /** Those of all sandboxes there are. Nothing is written while nobody came to say which of the earlier ones are still there. */
  async save(sandboxIds: readonly string[], documentOf: (sandboxId: string) => PinDocument): Promise<void> {
    if (sandboxIds.length === 0 && this.#earlier.size > 0) return;
    const documents = sandboxIds.map((sandboxId) => [sandboxId, documentOf(sandboxId)] as const);
    const pinned = documents.filter(([, { pins }]) => pins.length > 0);
    if (pinned.length === 0 && this.#isSavedEmpty) return;
    this.#isSavedEmpty = pinned.length === 0;
    await savePins(this.#path, await now(), Object.fromEntries(pinned));
  }
}

async function now(): Promise<{ monotonicMs: number; bootId: string }> {
  return { monotonicMs: systemClock.monotonicMs(), bootId: await hostBootId() };
}
