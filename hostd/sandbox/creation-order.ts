import type { CreateSandbox } from '../contract/sandbox.ts';
import type { Image } from '../guest/image/image.ts';
import type { SandboxRow } from '../store/rows.ts';
import type { HostContext } from './host-context.ts';
import type { IdempotencyKey } from './idempotency.ts';

export interface CreationOrder {
  id: string;
  request: CreateSandbox;
  specHash: string;
  keyed: IdempotencyKey | undefined;
  /** The client left; only a request that still waits cares. */
  signal: AbortSignal | undefined;
}

/** The row of a sandbox that was asked for; nothing of it is stored yet. */
export function newSandboxRow(
  host: HostContext,
  order: CreationOrder,
  image: Image,
  shape: { cpus: number; memoryMiB: number; diskMiB: number },
  acceptedMs: number,
): SandboxRow {
  const { clock, config, vmm, bootId } = host;
  const { request } = order;
  return {
    id: order.id,
    state: 'queued',
    specHash: order.specHash,
    image: image.manifest.name,
    imageDigest: image.manifest.digest,
    labels: request.labels,
    ...shape,
    egressMode: request.egress?.mode ?? config.defaultEgressMode,
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
