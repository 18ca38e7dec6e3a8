import { mkdir, writeFile } from 'node:fs/promises';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';
import { giveTo } from '../platform/ownership.ts';
import type { HostContext } from './host-context.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import { expiresAtMs } from './sandbox-view.ts';
import type { Spare } from './spare-maker.ts';

/** Whole milliseconds since the request was accepted. */
export function elapsedMs(host: HostContext, sandbox: LiveSandbox): number {
  return Math.round(host.clock.monotonicMs() - sandbox.row.acceptedMs);
}

/** Everything that is going to exist, in one transaction, before any of it does. What a spare machine has becomes the sandbox's. */
export function journalSandbox(host: HostContext, sandbox: LiveSandbox, spare?: Spare): void {
  const { store, registry, events, slots } = host;
  const { id } = sandbox.row;
  const slot = spare?.slot ?? slots.take();
  if (spare !== undefined) sandbox.paths = { ...sandbox.paths, vm: spare.vmDirectory };
  try {
    store.transaction(() => {
      if (store.sandboxes.get(id) === undefined) store.sandboxes.insert(sandbox.row);
      const templateId = spare?.template?.manifest.id ?? null;
      registry.move(sandbox, 'creating', { slot, templateId, queuedMs: elapsedMs(host, sandbox) });
      if (spare !== undefined) store.resources.eraseAll(spare.owner);
      const vmDetail = spare === undefined ? {} : { record: spare.vm.record };
      store.resources.record({ owner: id, kind: 'directory', name: id, detail: {} });
      store.resources.record({ owner: id, kind: 'network-slot', name: String(slot), detail: { slot } });
      store.resources.record({ owner: id, kind: 'vm', name: sandbox.paths.vm, detail: vmDetail });
      events.append('sandbox.creating', { sandboxId: id, data: { image: sandbox.row.image } });
    });
  } catch (error) {
    if (spare === undefined) slots.free(slot);
    throw error;
  }
}

/** The sandbox's own folder, with the default environment of its execs. */
export async function makeSandboxFolder(host: HostContext, sandbox: LiveSandbox): Promise<void> {
  const { directory, env } = sandbox.paths;
  await mkdir(directory, { recursive: true, mode: 0o711 });
  await giveTo(directory, 0, host.config.vmmGid);
  if (Object.keys(sandbox.env).length > 0) await writeFile(env, JSON.stringify(sandbox.env), { mode: 0o600 });
}

/** The sandbox runs: its lease begins. `more` joins the transaction. */
export function announceRunning(host: HostContext, sandbox: LiveSandbox, startedMs: number, more: () => void): void {
  const { store, registry, events, clock, vmm } = host;
  const { row } = sandbox;
  const leaseDeadlineMs = clock.monotonicMs() + row.timeoutSeconds * 1000;
  store.transaction(() => {
    registry.move(sandbox, 'running', {
      templateId: row.templateId,
      isolation: vmm.features.isolation,
      leaseDeadlineMs,
      expiresAtMs: expiresAtMs({ ...row, leaseDeadlineMs }, clock),
      startedAtMs: clock.wallMs(),
      startedMs: Math.round(startedMs - row.acceptedMs),
      readyMs: elapsedMs(host, sandbox),
    });
    store.counters.add('sandboxes_created', 1);
    const origin = {
      ...(row.forkedFrom === null ? {} : { forkedFrom: row.forkedFrom }),
      ...(row.snapshot === null ? {} : { snapshot: row.snapshot }),
    };
    events.append('sandbox.running', { sandboxId: row.id, data: { readyMs: sandbox.row.readyMs, ...origin } });
    more();
  });
  sandbox.place?.settled();
}

/** Whatever went wrong, the caller gets an error of the catalogue. */
export function asCatalogueError(error: unknown): OffshootError {
  if (isOffshootError(error)) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new OffshootError('host-disk-full', { cause: error });
  return new OffshootError('internal', { cause: error });
}
