import type { CreateSandbox } from '../contract/sandbox.ts';
import type { SandboxRow } from '../store/rows.ts';
import type { Image } from '../guest/image/image.ts';
import type { VmShape } from '../vmm/vmm.ts';
import { egressColumns, unruledColumns, type EgressColumns } from './egress/egress-columns.ts';
import type { HostContext } from './host-context.ts';
import type { IdempotencyKey } from './idempotency.ts';
import type { KeptSnapshot } from './snapshot/snapshots.ts';

export interface CreationOrder {
  id: string;
  request: CreateSandbox;
  specHash: string;
  keyed: IdempotencyKey | undefined;
  /** The client left; only a request that still waits cares. */
  signal: AbortSignal | undefined;
}

/** What a sandbox is to be made of. */
export type CreationOrigin =
  | { kind: 'image'; image: Image; shape: VmShape }
  | { kind: 'snapshot'; snapshot: KeptSnapshot; bootDisk: boolean; shape: VmShape };

export const defaultImage = 'default';
export const defaultShape = { cpus: 1, memoryMiB: 512, diskMiB: 8192 } as const satisfies VmShape;

/** The row of a sandbox that was asked for; nothing of it is stored yet. Throws `egress-rules-invalid`. */
export function newSandboxRow(
  host: HostContext,
  order: CreationOrder,
  origin: CreationOrigin,
  acceptedMs: number,
): SandboxRow {
  const { request } = order;
  return {
    ...unbornColumns(host, request.timeoutSeconds, acceptedMs),
    id: order.id,
    specHash: order.specHash,
    ...originColumns(origin),
    labels: request.labels,
    ...origin.shape,
    ...policyColumns(host, order, origin),
    forkedFrom: null,
    hasEnvValues:
      Object.keys(request.env).length > 0 || (origin.kind === 'snapshot' && origin.snapshot.manifest.hasEnvValues),
  };
}

/** What is the same of every sandbox before anything of it exists, wherever it comes from. */
export function unbornColumns({ clock, vmm, bootId }: HostContext, timeoutSeconds: number, acceptedMs: number) {
  const createdAtMs = clock.wallMs();
  return {
    state: 'queued',
    isolation: vmm.features.isolation,
    timeoutSeconds,
    bootId,
    leaseDeadlineMs: acceptedMs + timeoutSeconds * 1000,
    acceptedMs,
    createdAtMs,
    startedAtMs: null,
    endedAtMs: null,
    expiresAtMs: createdAtMs + timeoutSeconds * 1000,
    slot: null,
    templateId: null,
    pausedAtMs: null,
    hibernateAtMs: null,
    hibernated: false,
    endReason: null,
    endMessage: null,
    wallSeconds: 0,
    cpuSeconds: 0,
    peakMemoryMiB: 0,
    queuedMs: 0,
    startedMs: null,
    readyMs: null,
    outputBytes: 0,
    consoleTail: '',
  } as const satisfies Partial<SandboxRow>;
}

function policyColumns({ config }: HostContext, { request }: CreationOrder, origin: CreationOrigin): EgressColumns {
  if (request.egress !== undefined) return egressColumns(request.egress);
  if (origin.kind === 'image') return unruledColumns(config.defaultEgressMode);
  const { egressMode, egressAllow } = origin.snapshot.manifest;
  return { egressMode, egressAllow, egressRevision: 1 };
}

function originColumns(origin: CreationOrigin) {
  if (origin.kind === 'image') {
    const { name, digest } = origin.image.manifest;
    return { image: name, imageDigest: digest, snapshot: null, checkpointId: null, generation: 1 };
  }
  const { image, imageDigest, name, id, generation } = origin.snapshot.manifest;
  return { image, imageDigest, snapshot: name, checkpointId: id, generation: generation + 1 };
}
