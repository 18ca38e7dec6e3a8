import { randomBytes } from 'node:crypto';
import type { ForkSandbox } from '../../contract/fork.ts';
import { faultPoint } from '../../platform/fault-points.ts';
import { settleAll } from '../../platform/settle-all.ts';
import type { ExecRow, SandboxRow } from '../../store/rows.ts';
import { announceRunning, asCatalogueError, journalSandbox, makeSandboxFolder } from '../bring-up.ts';
import type { Captured } from '../checkpoint/capture.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { unbornColumns } from '../creation-order.ts';
import { slotEgress, type EgressColumns } from '../egress/egress-columns.ts';
import { inheritPins, pinsOf } from '../egress/pins.ts';
import type { HostContext } from '../host-context.ts';
import { newSandboxId } from '../ids.ts';
import { liveSandbox, type LiveSandbox } from '../live-sandbox.ts';
import { makeVmFolder, restoreMachine } from '../restore.ts';
import { sandboxPaths } from '../sandbox-paths.ts';
import type { Teardown } from '../teardown.ts';
import { watchSandbox } from '../watch.ts';

export interface CopyFacts {
  request: ForkSandbox;
  /** Absent: the source's policy. */
  egress: EgressColumns | undefined;
  checkpoint: Checkpoint;
  acceptedMs: number;
}

/** A copy before anything of it exists. */
export function newCopy(host: HostContext, source: LiveSandbox, facts: CopyFacts): LiveSandbox {
  const { request, egress, checkpoint, acceptedMs } = facts;
  const { row } = source;
  const copy: SandboxRow = {
    ...row,
    ...unbornColumns(host, request.timeoutSeconds ?? row.timeoutSeconds, acceptedMs),
    id: newSandboxId(),
    // No create request can ask for it.
    specHash: randomBytes(32).toString('hex'),
    labels: { ...row.labels, ...request.labels },
    ...(egress ?? { egressRevision: 1 }),
    checkpointId: checkpoint.id,
    forkedFrom: row.id,
    generation: row.generation + 1,
  };
  const sandbox = liveSandbox(copy, sandboxPaths(host.paths, copy.id));
  sandbox.env = source.env;
  return sandbox;
}

/** Brings copies of one checkpoint up. */
export class CopyMaker {
  readonly #host: HostContext;
  readonly #teardown: Teardown;

  constructor(host: HostContext, teardown: Teardown) {
    this.#host = host;
    this.#teardown = teardown;
  }

  /** Into the journal: from here on a later hostd knows of it, and undoes it as long as the fork has not answered. */
  journal(copy: LiveSandbox, forkId: string): void {
    this.#host.registry.add(copy);
    journalSandbox(this.#host, copy);
    this.#host.store.resources.record({ owner: copy.row.id, kind: 'fork', name: forkId, detail: {} });
  }

  /** Call it in the transaction that stores the fork's answer. */
  answered(copy: LiveSandbox): void {
    const { resources } = this.#host.store;
    const { id } = copy.row;
    for (const { kind, name } of resources.of(id)) if (kind === 'fork') resources.erase(id, kind, name);
  }

  /** Folder and network: what can be made before the source is saved. */
  async prepare(copy: LiveSandbox): Promise<void> {
    const { slot } = copy.row;
    if (slot === null) throw new Error('A copy without a slot can not be made.');
    const uid = this.#host.config.uidBase + slot;
    await settleAll([
      makeSandboxFolder(this.#host, copy).then(() => makeVmFolder(this.#host, copy.paths.vm, uid)),
      this.#host.network.create(slot, uid, slotEgress(copy.row)),
    ] as const);
    await faultPoint('fork.copy-prepared');
  }

  /** Runs when it resolves. Throws errors of the catalogue. */
  async start(copy: LiveSandbox, checkpoint: Checkpoint, { capture, openExecs }: Captured): Promise<void> {
    const { id, slot, cpus, memoryMiB, diskMiB, generation } = copy.row;
    if (slot === null) throw new Error('A copy without a slot can not be made.');
    copy.ending.signal.throwIfAborted();
    const target = {
      id,
      owner: id,
      vmDirectory: copy.paths.vm,
      uid: this.#host.config.uidBase + slot,
      network: this.#host.network.describe(slot),
      ending: copy.ending.signal,
    };
    const [machine] = await settleAll([
      restoreMachine(this.#host, target, {
        shape: { cpus, memoryMiB, diskMiB },
        start: { kind: 'restore', snapshot: checkpoint.files, ...(capture === undefined ? {} : { capture }) },
        copy: { generation },
      }),
      this.#inheritPins(copy),
    ] as const);
    copy.vm = machine.vm;
    copy.guest = machine.guest;
    await faultPoint('fork.copy-restored');
    this.#announce(copy, machine.startedMs, openExecs);
    watchSandbox(this.#host, this.#teardown, Object.assign(copy, { guest: machine.guest }));
  }

  async #inheritPins({ row }: LiveSandbox): Promise<void> {
    const source = row.forkedFrom === null ? undefined : this.#host.registry.find(row.forkedFrom);
    if (source !== undefined) await inheritPins(this.#host, row, await pinsOf(this.#host, source.row));
  }

  /** A copy that could not be brought up leaves nothing but its tombstone. */
  async discard(copy: LiveSandbox, error: unknown): Promise<void> {
    const failure = asCatalogueError(error);
    const reason = copy.ending.signal.aborted ? 'stopped' : 'create-failed';
    await this.#teardown.end(copy, { reason, message: failure.message }).catch(() => undefined); // tried again by the janitor
  }

  /** The source's open execs end in the copy: their processes live on, but nobody hears them. */
  #announce(copy: LiveSandbox, startedMs: number, openExecs: readonly ExecRow[]): void {
    const { store, clock } = this.#host;
    const { id, forkedFrom } = copy.row;
    announceRunning(this.#host, copy, startedMs, () => {
      for (const exec of openExecs) {
        const { sequence: _sequence, ...inherited } = exec;
        store.execs.insert({
          ...inherited,
          sandboxId: id,
          state: 'ended',
          inputClosed: true,
          endedAtMs: clock.wallMs(),
          failure: { code: 'forked', message: `It goes on in ${forkedFrom ?? ''}; here its processes run unheard.` },
          outputBytes: 0,
        });
      }
    });
  }
}
