import { OffshootError } from '../errors/offshoot-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { VmShape } from '../vmm/vmm.ts';
import {
  committedMiB,
  memoryCapacityMiB,
  shapeLimits,
  shortage,
  type Occupant,
  type Shortage,
} from './admission-rules.ts';
import type { HostConfig } from './host-config.ts';
import type { HostResources, ResourceReading } from './host-resources.ts';
import type { ShapeLimits } from './shape.ts';

interface Waiter {
  shape: VmShape;
  deadlineMs: number;
  grant: (place: Place) => void;
  refuse: (error: unknown) => void;
}

/** The room one sandbox holds until `leave`. */
export interface Place {
  /** Its memory shows in the host's figures from now on. */
  settled(): void;
  residentMiB(value: number): void;
  leave(): void;
}

export interface AdmissionRequest {
  shape: VmShape;
  waitSeconds: number;
  signal: AbortSignal;
  /** Called once when the request has to wait. */
  onQueued: () => void;
}

const readingAgeMs = 100;
const pollMs = 500;

/** Lets sandboxes in while there is room, in the order they asked: nobody overtakes, also not one that would fit. */
export class Admission {
  readonly #config: HostConfig;
  readonly #resources: HostResources;
  readonly #clock: Clock;
  readonly #occupants = new Set<Occupant>();
  readonly #queue: Waiter[] = [];
  #reading: { value: ResourceReading; atMs: number } | undefined;
  #imagesMiB = 0;
  #pumping = false;
  #polling = false;

  constructor(config: HostConfig, resources: HostResources, clock: Clock) {
    this.#config = config;
    this.#resources = resources;
    this.#clock = clock;
  }

  get queued(): number {
    return this.#queue.length;
  }

  get occupied(): number {
    return this.#occupants.size;
  }

  get committedMiB(): number {
    return [...this.#occupants].reduce((sum, occupant) => sum + committedMiB(this.#config, occupant), this.#imagesMiB);
  }

  /** What memory images of forks take now. */
  images(totalMiB: number): void {
    const less = totalMiB < this.#imagesMiB;
    this.#imagesMiB = totalMiB;
    if (less) void this.#pump();
  }

  async capacity(): Promise<{ memoryMiB: number; diskFreeMiB: number; limits: ShapeLimits }> {
    const reading = await this.#read();
    return {
      memoryMiB: memoryCapacityMiB(this.#config, reading.memoryTotalMiB),
      diskFreeMiB: reading.diskFreeMiB,
      limits: shapeLimits(this.#config, reading, this.#resources.cpus),
    };
  }

  /** Resolves with the place. Rejects with `capacity-exhausted`, `host-disk-full`, or the signal's reason when the caller gave up. */
  async enter(request: AdmissionRequest): Promise<Place> {
    const reading = await this.#read();
    request.signal.throwIfAborted();
    // From here to the place nothing is awaited: what is found missing still holds.
    const ahead = this.#queue.length;
    const missing = this.#missing(request.shape, reading);
    if (ahead === 0 && missing === undefined) return this.#place(request.shape);
    if (request.waitSeconds === 0) throw refusal(missing, ahead);
    return this.#wait(request);
  }

  /** Whether something of this shape could come in now, without coming in. */
  async hasRoom(shape: VmShape): Promise<boolean> {
    return this.#queue.length === 0 && this.#missing(shape, await this.#read()) === undefined;
  }

  /** Takes in what an earlier hostd admitted, whether or not there is room. */
  adopt(shape: VmShape): Place {
    const place = this.#place(shape);
    place.settled();
    return place;
  }

  #wait(request: AdmissionRequest): Promise<Place> {
    return new Promise((resolve, reject) => {
      const onAbort = () => waiter.refuse(request.signal.reason);
      const finish = () => {
        request.signal.removeEventListener('abort', onAbort);
        const index = this.#queue.indexOf(waiter);
        if (index >= 0) this.#queue.splice(index, 1);
      };
      const waiter: Waiter = {
        shape: request.shape,
        deadlineMs: this.#clock.monotonicMs() + request.waitSeconds * 1000,
        grant: (place) => {
          finish();
          resolve(place);
        },
        refuse: (error) => {
          finish();
          reject(error as Error);
          void this.#pump();
        },
      };
      request.signal.addEventListener('abort', onAbort);
      this.#queue.push(waiter);
      request.onQueued();
      void this.#poll();
    });
  }

  /** Others' memory and disk change without telling: while somebody waits, look again and again. */
  async #poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    try {
      while (this.#queue.length > 0) {
        await this.#pump();
        if (this.#queue.length > 0) await this.#clock.sleep(pollMs);
      }
    } finally {
      this.#polling = false;
    }
  }

  async #pump(): Promise<void> {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      const reading = await this.#read();
      for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
        if (this.#missing(head.shape, reading) !== undefined) break;
        head.grant(this.#place(head.shape));
      }
      const nowMs = this.#clock.monotonicMs();
      const expired = this.#queue.filter((waiter) => waiter.deadlineMs <= nowMs);
      for (const waiter of expired) {
        waiter.refuse(refusal(this.#missing(waiter.shape, reading), this.#queue.indexOf(waiter)));
      }
    } catch (error) {
      for (const waiter of [...this.#queue]) waiter.refuse(error);
    } finally {
      this.#pumping = false;
    }
  }

  #missing(shape: VmShape, reading: ResourceReading): Shortage | undefined {
    return shortage(this.#config, shape, [...this.#occupants], reading, this.#imagesMiB);
  }

  async #read(): Promise<ResourceReading> {
    const known = this.#reading;
    if (known !== undefined && this.#clock.monotonicMs() - known.atMs < readingAgeMs) return known.value;
    const value = await this.#resources.read();
    this.#reading = { value, atMs: this.#clock.monotonicMs() };
    return value;
  }

  #place(shape: VmShape): Place {
    const occupant: Occupant = { shape, residentMiB: 0, starting: true };
    this.#occupants.add(occupant);
    return {
      settled: () => {
        occupant.starting = false;
      },
      residentMiB: (value) => {
        occupant.residentMiB = value;
      },
      leave: () => {
        if (this.#occupants.delete(occupant)) void this.#pump();
      },
    };
  }
}

function refusal(missing: Shortage | undefined, ahead: number): OffshootError {
  if (missing?.of === 'disk') return new OffshootError('host-disk-full', { message: missing.message });
  const queue = ahead > 0 ? `${String(ahead)} other requests wait for room.` : undefined;
  return new OffshootError('capacity-exhausted', {
    message: missing?.message ?? queue ?? 'The host has no room for this sandbox now.',
    details: { shortOf: missing?.of ?? 'queue', queuedAhead: ahead },
  });
}
