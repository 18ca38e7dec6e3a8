import type { PolicyView } from '../policy/policy.ts';
import { endOf, holdFor, type Opening } from './opening.ts';
import { maxPinMs, minPinMs, type Pin, type PinDocument, pinDocumentSchema } from './pin-document.ts';

/** Where pins take effect: sets of the sandbox's packet filter. */
export interface PinSink {
  /** Opens the way, or gives an open one this life from now; resolves when it is in force. The sink ends it by itself. */
  add(sandboxId: string, pin: Pin, lifetimeMs: number): Promise<void>;
  /** Closes the way; one that is not open is no error. */
  remove(sandboxId: string, pin: Pin): Promise<void>;
  /** Those of these pins that a flow goes by now. */
  inUse(sandboxId: string, pins: readonly Pin[]): Promise<readonly Pin[]>;
}

/** Given on top of what is needed, so that answers which follow soon need no new pin. */
const spareMs = 60_000;
/** A client may connect a little after the last moment it should. */
const lateMs = 10_000;
/** Pins that end sooner than this are looked at whether they are in use: longer than the time between two calls of renewInUse. */
const renewalWindowMs = 50_000;
/** The sink may end a pin a little later than the table knows. */
const graceMs = 5000;
export const maxOpeningsPerSandbox = 4096;

/** Which addresses each sandbox may reach by name, for how long. Operations on one opening reach the sink in the order they were asked for. */
export class PinTable {
  readonly #sink: PinSink;
  readonly #now: () => number;
  readonly #sandboxes = new Map<string, Map<string, Opening>>();
  readonly #order = new Map<string, Promise<void>>();

  /** `now` in monotonic milliseconds. */
  constructor(sink: PinSink, now: () => number) {
    this.#sink = sink;
    this.#now = now;
  }

  /** Resolves when all of them are in force for at least so long as a client may use an answer with this TTL. Rejects when one can't be. */
  async pin(sandboxId: string, pins: readonly Pin[], ttlMs: number): Promise<void> {
    const neededMs = Math.min(maxPinMs, Math.max(minPinMs, ttlMs + lateMs));
    await Promise.all(pins.map((pin) => this.#hold(sandboxId, pin, neededMs)));
  }

  /** After a change of policy: closes what the new one does not support. Rejects when something could not be closed; calling again tries again. */
  async retain(sandboxId: string, view: PolicyView): Promise<void> {
    const closing = [...this.#openings(sandboxId).values()].filter((opening) => {
      for (const name of opening.names.keys())
        if (!supports(view, { ...opening.pin, name })) opening.names.delete(name);
      return opening.names.size === 0;
    });
    await Promise.all(closing.map((opening) => this.#close(sandboxId, opening)));
  }

  /** To be called every 20 seconds or so: pins that a flow uses live on, others end when their time is up. Rejects with an AggregateError when the sink failed for a sandbox; the others are renewed. */
  async renewInUse(): Promise<void> {
    const results = await Promise.allSettled([...this.#sandboxes.keys()].map((sandboxId) => this.#renew(sandboxId)));
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (failures.length > 0) throw new AggregateError(failures, 'Pins of some sandboxes could not be renewed');
  }

  /** All that is pinned now, as JSON. */
  documentOf(sandboxId: string): PinDocument {
    const nowMs = this.#now();
    const pins = [...this.#openings(sandboxId).values()].flatMap(({ pin, names }) =>
      [...names]
        .filter(([, expiresMs]) => expiresMs > nowMs)
        .map(([name, expiresMs]) => ({ ...pin, name, remainingMs: expiresMs - nowMs })),
    );
    return { version: 1, pins };
  }

  /** Takes up a document of this or another sandbox: after a restart, a fork or a restore. What the policy does not support stays closed. Throws a ZodError for what is no such document; rejects when the sink fails. */
  async restore(sandboxId: string, document: unknown, view: PolicyView): Promise<void> {
    const { pins } = pinDocumentSchema.parse(document);
    const supported = pins.filter((pin) => supports(view, pin));
    await Promise.all(
      supported.map(({ remainingMs, ...pin }) => this.#hold(sandboxId, pin, Math.max(minPinMs, remainingMs))),
    );
  }

  /** For a sandbox that is gone with its packet filter. */
  forget(sandboxId: string): void {
    this.#sandboxes.delete(sandboxId);
  }

  #openings(sandboxId: string): Map<string, Opening> {
    return this.#sandboxes.get(sandboxId) ?? new Map<string, Opening>();
  }

  async #hold(sandboxId: string, pin: Pin, neededMs: number): Promise<void> {
    const openings = this.#openings(sandboxId);
    this.#sandboxes.set(sandboxId, openings);
    const key = keyOf(pin);
    const opening: Opening = openings.get(key) ?? { key, pin, names: new Map<string, number>() };
    // Last in the map is the one held last.
    openings.delete(key);
    openings.set(key, opening);
    const nowMs = this.#now();
    const endMs = opening.names.get(pin.name) ?? 0;
    if (endMs - nowMs >= neededMs) return this.#settled(sandboxId, key);
    const lifetimeMs = Math.min(maxPinMs, neededMs + spareMs);
    holdFor(opening, pin.name, nowMs + lifetimeMs);
    this.#makeRoom(sandboxId, openings);
    // Another name's pin on the same opening may last longer.
    await this.#open(sandboxId, opening, pin, endOf(opening.names) - nowMs);
  }

  async #open(sandboxId: string, opening: Opening, pin: Pin, lifetimeMs: number): Promise<void> {
    try {
      await this.#inOrder(sandboxId, opening.key, () => this.#sink.add(sandboxId, pin, lifetimeMs));
    } catch (cause) {
      // Whether it is open is not known: close it, for every name.
      opening.names.clear();
      await this.#close(sandboxId, opening).catch(() => undefined);
      throw cause;
    }
  }

  async #close(sandboxId: string, opening: Opening): Promise<void> {
    await this.#inOrder(sandboxId, opening.key, () => this.#sink.remove(sandboxId, opening.pin));
    const openings = this.#openings(sandboxId);
    if (opening.names.size === 0 && openings.get(opening.key) === opening) openings.delete(opening.key);
  }

  async #renew(sandboxId: string): Promise<void> {
    const openings = this.#openings(sandboxId);
    const nowMs = this.#now();
    const ending = [...openings.values()].filter(
      ({ names }) => names.size > 0 && endOf(names) - nowMs < renewalWindowMs,
    );
    if (ending.length === 0) return;
    const pins = ending.map(({ pin }) => pin);
    const used = new Set((await this.#sink.inUse(sandboxId, pins)).map(keyOf));
    const lifetimeMs = minPinMs + spareMs;
    const renewed = ending.flatMap((opening) => {
      // Meanwhile the policy may have closed it.
      if (!used.has(opening.key) || opening.names.size === 0) return [];
      for (const name of opening.names.keys()) opening.names.set(name, nowMs + lifetimeMs);
      return [this.#open(sandboxId, opening, opening.pin, lifetimeMs)];
    });
    for (const opening of ending) forgetEnded(openings, opening, nowMs - graceMs);
    await Promise.all(renewed);
  }

  /** A guest that makes names lead to ever new addresses loses the pins asked for longest ago. */
  #makeRoom(sandboxId: string, openings: ReadonlyMap<string, Opening>): void {
    if (openings.size <= maxOpeningsPerSandbox) return;
    const held = [...openings.values()].filter(({ names }) => names.size > 0);
    for (const opening of held.slice(0, Math.max(0, held.length - maxOpeningsPerSandbox))) {
      opening.names.clear();
      void this.#close(sandboxId, opening).catch(() => undefined);
    }
  }

  #settled(sandboxId: string, key: string): Promise<void> {
    return this.#order.get(`${sandboxId} ${key}`) ?? Promise.resolve();
  }

  async #inOrder(sandboxId: string, key: string, operation: () => Promise<void>): Promise<void> {
    const orderKey = `${sandboxId} ${key}`;
    const before = this.#order.get(orderKey) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(operation);
    this.#order.set(orderKey, mine);
    try {
      await mine;
    } finally {
      if (this.#order.get(orderKey) === mine) this.#order.delete(orderKey);
    }
  }
}

function keyOf(pin: Pin): string {
  return `${pin.transport} ${pin.address} ${String(pin.port)}`;
}

function forgetEnded(openings: Map<string, Opening>, opening: Opening, beforeMs: number): void {
  for (const [name, expiresMs] of opening.names) if (expiresMs < beforeMs) opening.names.delete(name);
  if (opening.names.size === 0 && openings.get(opening.key) === opening) openings.delete(opening.key);
}

function supports(view: PolicyView, pin: Pin): boolean {
  const isNamed = view
    .rawPorts(pin.name)
    .some(({ port, transport }) => port === pin.port && transport === pin.transport);
  return isNamed && isPinnable(view, pin);
}

/** Whether the name may lead to this address on this port. No rule names port 0: it stands for all of them, which only a rule for all opens. */
export function isPinnable(view: PolicyView, pin: Pin): boolean {
  return view.mayUseAddress(pin.name, pin.address, pin.port === 'any' ? 0 : pin.port).allowed;
}
