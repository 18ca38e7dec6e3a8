import { rm, rmdir } from 'node:fs/promises';
import { z } from 'zod';
import { OffshootError } from '../errors/offshoot-error.ts';
import { faultPoint } from '../platform/fault-points.ts';
import { processIdentitySchema } from '../platform/process-identity.ts';
import type { VmExit, VmRecord } from '../vmm/vmm.ts';
import type { EgressReports } from './egress/egress-reports.ts';
import type { ExecRunner } from './exec/exec-runner.ts';
import type { HostContext } from './host-context.ts';
import type { Ending, LiveSandbox } from './live-sandbox.ts';
import { expiresAtMs, wallSeconds } from './sandbox-view.ts';
import type { TemplateManager } from './template/template-manager.ts';

const attempts = 3;
const attemptPauseMs = 200;

const vmRecordSchema = z.object({
  launcher: processIdentitySchema,
  bootId: z.string(),
  directory: z.string(),
});

/** The VMM's record in the journal, if it got that far. */
export function journaledRecord(host: HostContext, sandboxId: string): VmRecord | undefined {
  const resource = host.store.resources.of(sandboxId).find(({ kind }) => kind === 'vm');
  return vmRecordSchema.safeParse(resource?.detail.record).data;
}

/** Where its VMM's folder is, when the journal knows. */
export function journaledVmDirectory(host: HostContext, sandboxId: string): string | undefined {
  return host.store.resources.of(sandboxId).find(({ kind }) => kind === 'vm')?.name;
}

export function goneError(sandboxId: string, ending: Ending): OffshootError {
  return new OffshootError('sandbox-gone', {
    message: `The sandbox ${sandboxId} has ended: ${ending.reason}.`,
    details: { sandboxId, end: ending },
  });
}

export interface TeardownParts {
  host: HostContext;
  execs: ExecRunner;
  templates: TemplateManager;
  egressReports: EgressReports;
}

/** Ends sandboxes: whoever asks, and however often, there is one teardown, and it is over when everything is gone. */
export class Teardown {
  readonly #host: HostContext;
  readonly #execs: ExecRunner;
  readonly #templates: TemplateManager;
  readonly #egressReports: EgressReports;

  constructor({ host, execs, templates, egressReports }: TeardownParts) {
    this.#host = host;
    this.#execs = execs;
    this.#templates = templates;
    this.#egressReports = egressReports;
  }

  /** Resolves when process, network and files are gone; the first reason counts. A failed one can be asked for again. */
  end(sandbox: LiveSandbox, ending: Ending): Promise<void> {
    sandbox.teardown ??= this.#run(sandbox, ending).catch((error: unknown) => {
      sandbox.teardown = undefined;
      this.#host.log.error({ sandboxId: sandbox.row.id, error }, 'a sandbox could not be removed; it is tried again');
      throw error;
    });
    return sandbox.teardown;
  }

  async #run(sandbox: LiveSandbox, ending: Ending): Promise<void> {
    sandbox.ending.abort(goneError(sandbox.row.id, ending));
    this.#announce(sandbox, ending);
    await faultPoint('stop.journaled');
    sandbox.guest?.disconnect();
    const [exit] = await Promise.all([
      this.#kill(sandbox),
      this.#execs.endAll(sandbox, `The sandbox ended: ${ending.reason}.`),
      sandbox.row.slot === null ? undefined : this.#egressReports.settle(sandbox.row.id),
    ]);
    await faultPoint('stop.after-kill');
    await this.#insist(() => this.#removeParts(sandbox));
    await faultPoint('stop.after-files');
    this.#bury(sandbox, exit);
    await faultPoint('stop.gone');
    await this.#leave(sandbox);
  }

  #announce(sandbox: LiveSandbox, ending: Ending): void {
    if (sandbox.row.state === 'stopping') return; // by an earlier attempt or an earlier hostd
    const { store, registry, events } = this.#host;
    store.transaction(() => {
      registry.move(sandbox, 'stopping', { endReason: ending.reason, endMessage: ending.message });
      events.append('sandbox.stopping', { sandboxId: sandbox.row.id, data: { reason: ending.reason } });
    });
  }

  /** Bounded: a VMM that does not go when asked is destroyed without being asked. */
  async #kill(sandbox: LiveSandbox): Promise<VmExit | undefined> {
    const { vmm, clock, config } = this.#host;
    const giveUp = new AbortController();
    const late = clock.sleep(config.killDeadlineMs, giveUp.signal).catch(() => undefined);
    const exit =
      sandbox.vm && (await Promise.race([sandbox.vm.kill().catch(() => undefined), late.then(() => undefined)]));
    giveUp.abort();
    if (exit === undefined) {
      const record = sandbox.vm?.record ?? journaledRecord(this.#host, sandbox.row.id);
      await this.#insist(() => vmm.destroy(sandbox.paths.vm, record));
    }
    return exit;
  }

  async #removeParts(sandbox: LiveSandbox): Promise<void> {
    const { slot } = sandbox.row;
    await Promise.all([
      slot === null ? undefined : this.#host.network.remove(slot),
      rm(sandbox.paths.vm, { recursive: true, force: true }),
      rm(sandbox.paths.env, { force: true }),
    ]);
    await faultPoint('stop.after-network');
    // Only outputs stay with the tombstone; without any the folder goes too.
    await rmdir(sandbox.paths.directory).catch(() => undefined);
  }

  #bury(sandbox: LiveSandbox, exit: VmExit | undefined): void {
    const { store, registry, events, clock, bootId } = this.#host;
    const { row, usage } = sandbox;
    sandbox.freedSlot = row.slot;
    const sameBoot = row.bootId === bootId;
    store.transaction(() => {
      registry.move(sandbox, 'gone', {
        endedAtMs: clock.wallMs(),
        expiresAtMs: sameBoot ? expiresAtMs(row, clock) : row.expiresAtMs,
        wallSeconds: sameBoot ? wallSeconds(row, clock) : row.wallSeconds,
        cpuSeconds: Math.max(exit?.cpuSeconds ?? 0, usage.cpuSeconds),
        peakMemoryMiB: Math.max(exit?.peakMemoryMiB ?? 0, usage.peakMemoryMiB),
        outputBytes: store.execs.totalOutputBytes(row.id),
        consoleTail: exit?.consoleTail ?? '',
        slot: null,
      });
      store.resources.eraseAll(row.id);
      store.counters.add(`sandboxes_ended.${row.endReason ?? 'stopped'}`, 1);
      events.append('sandbox.gone', {
        sandboxId: row.id,
        data: { reason: row.endReason, message: row.endMessage, exitCause: exit?.cause ?? null },
      });
    });
  }

  async #leave(sandbox: LiveSandbox): Promise<void> {
    const { id, templateId } = sandbox.row;
    this.#host.registry.drop(id);
    if (sandbox.freedSlot !== null) this.#host.slots.free(sandbox.freedSlot);
    sandbox.place?.leave();
    if (templateId !== null) await this.#templates.release(templateId);
    await this.#host.checkpoints.collect();
  }

  async #insist(work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        if (attempt >= attempts) throw error;
        await this.#host.clock.sleep(attemptPauseMs);
      }
    }
  }
}
