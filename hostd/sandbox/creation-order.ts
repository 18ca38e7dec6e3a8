import type { CreateSandbox } from '../contract/sandbox.ts';
import type { SandboxRow } from '../store/rows.ts';
import type { Image } from '../guest/image/image.ts';
import type { VmShape } from '../vmm/vmm.ts';
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

/** The row of a sandbox that was asked for; nothing of it is stored yet. */
export function newSandboxRow(
  host: HostContext,
  order: CreationOrder,
  origin: CreationOrigin,
  acceptedMs: number,
): SandboxRow {
  const { clock, config, vmm, bootId } = host;
  const { request } = order;
  return {
    id: order.id,
    state: 'queued',
    specHash: order.specHash,
    ...originColumns(origin),
    labels: request.labels,
    ...origin.shape,
    egressMode:
      request.egress?.mode ??
      (origin.kind === 'snapshot' ? origin.snapshot.manifest.egressMode : config.defaultEgressMode),
    isolation: vmm.features.isolation,
    timeoutSeconds: request.timeoutSeconds,
    bootId,
    leaseDeadlineMs: acceptedMs + request.timeoutSeconds * 1000,
    acceptedMs,
    createdAtMs: clock.wallMs(),
    startedAtMs: null,
    endedAtMs: null,
    expiresAtMs: clock.wallMs() + request.timeoutSeconds * 1000,
    slot: null,
    templateId: null,
    forkedFrom: null,
    pausedAtMs: null,
    hibernateAtMs: null,
    hibernated: false,
    hasEnvValues:
      Object.keys(request.env).length > 0 || (origin.kind === 'snapshot' && origin.snapshot.manifest.hasEnvValues),
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
  };
}

function originColumns(origin: CreationOrigin) {
  if (origin.kind === 'image') {
    const { name, digest } = origin.image.manifest;
    return { image: name, imageDigest: digest, snapshot: null, checkpointId: null, generation: 1 };
  }
  const { image, imageDigest, name, id, generation } = origin.snapshot.manifest;
  return { image, imageDigest, snapshot: name, checkpointId: id, generation: generation + 1 };
}
