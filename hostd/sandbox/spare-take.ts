import { rm } from 'node:fs/promises';
import { faultPoint } from '../platform/fault-points.ts';
import { untilAborted } from '../platform/until-aborted.ts';
import { makeSandboxFolder } from './bring-up.ts';
import type { CreationOrigin } from './creation-order.ts';
import { slotEgress } from './egress/egress-columns.ts';
import { inheritPins, keptPins } from './egress/pins.ts';
import type { HostContext } from './host-context.ts';
import type { LiveSandbox } from './live-sandbox.ts';
import { identify, type RestoredMachine } from './restore.ts';
import { sandboxPaths } from './sandbox-paths.ts';
import type { Spare } from './spare-maker.ts';
import type { TemplateManager } from './template/template-manager.ts';

/**
 * Wakes a spare machine and gives it the sandbox's identity. Undefined when that fails: then nothing is left of it, and the
 * sandbox is built as if there had been none.
 */
export async function takeSpare(
  host: HostContext,
  templates: TemplateManager,
  sandbox: LiveSandbox,
  { spare, origin }: { spare: Spare; origin: CreationOrigin },
): Promise<RestoredMachine | undefined> {
  const startedMs = host.clock.monotonicMs();
  sandbox.vm = spare.vm;
  sandbox.guest = spare.guest;
  const owned = own(host, sandbox, spare, origin);
  owned.catch(() => undefined);
  // Software that had a life runs as soon as it is awake: never under rules that were made for another policy.
  const mayWake = hasRulesOf(spare, sandbox.row) ? Promise.resolve() : owned;
  const [prepared, folders, network] = await Promise.allSettled([
    untilAborted(
      sandbox.ending.signal,
      mayWake.then(() => wake(host, sandbox, spare)),
    ),
    makeSandboxFolder(host, sandbox),
    owned,
  ]);
  if (folders.status === 'rejected') throw folders.reason;
  if (network.status === 'rejected') throw network.reason;
  sandbox.ending.signal.throwIfAborted();
  await faultPoint('create.after-prepare');
  if (prepared.status === 'fulfilled') return { vm: spare.vm, guest: spare.guest, startedMs };
  host.log.warn({ sandboxId: sandbox.row.id, error: prepared.reason as unknown }, 'a spare machine did not answer');
  await giveUp(host, templates, sandbox, spare);
  return undefined;
}

async function wake(host: HostContext, sandbox: LiveSandbox, spare: Spare): Promise<void> {
  await spare.vm.resume();
  await identify(host, spare.guest, sandbox.row, spare.copied ? { generation: sandbox.row.generation } : undefined);
}

/** Its network becomes the sandbox's, with the sandbox's policy. */
async function own(host: HostContext, { row }: LiveSandbox, spare: Spare, origin: CreationOrigin): Promise<void> {
  await host.network.setEgress(spare.slot, slotEgress(row));
  if (origin.kind === 'snapshot') await inheritPins(host, row, keptPins(host, origin.snapshot));
}

function hasRulesOf({ egress }: Spare, row: Spare['egress']): boolean {
  return egress.egressMode === row.egressMode && egress.egressAllow.join('\n') === row.egressAllow.join('\n');
}

async function giveUp(
  host: HostContext,
  templates: TemplateManager,
  sandbox: LiveSandbox,
  spare: Spare,
): Promise<void> {
  const { id } = sandbox.row;
  const { store, vmm, paths } = host;
  spare.guest.disconnect();
  await vmm.destroy(spare.vmDirectory, spare.vm.record);
  await rm(spare.vmDirectory, { recursive: true, force: true });
  sandbox.vm = undefined;
  sandbox.guest = undefined;
  sandbox.paths = sandboxPaths(paths, id);
  store.transaction(() => {
    store.resources.erase(id, 'vm', spare.vmDirectory);
    store.resources.record({ owner: id, kind: 'vm', name: sandbox.paths.vm, detail: {} });
  });
  sandbox.row = { ...sandbox.row, templateId: null };
  if (spare.template !== undefined) await templates.release(spare.template.manifest.id);
}
