import type {
  CreateExec,
  CreateSandbox,
  CreateSnapshot,
  EgressReport,
  ExecInfo,
  HostInfo,
  ImageInfo,
  SandboxInfo,
  SnapshotInfo,
} from '../../contract/index.ts';

const at = '2030-01-01T00:00:00.000Z';

export function exampleSandbox(id: string, request: CreateSandbox): SandboxInfo {
  return {
    id,
    state: 'running',
    image: request.image ?? 'default',
    snapshot: request.snapshot ?? null,
    forkedFrom: null,
    generation: 1,
    paused: null,
    labels: request.labels,
    cpus: request.cpus ?? 1,
    memoryMiB: request.memoryMiB ?? 512,
    diskMiB: request.diskMiB ?? 8192,
    egress: { mode: 'audit', allow: [], ...request.egress, revision: 1 },
    isolation: { tier: 'emulated', reason: 'a fake' },
    timeoutSeconds: request.timeoutSeconds,
    createdAt: at,
    startedAt: at,
    expiresAt: at,
    endedAt: null,
    end: null,
    usage: { wallSeconds: 0, cpuSeconds: 0, peakMemoryMiB: 0 },
    timings: { queuedMs: 0, startedMs: 1, readyMs: 2 },
  };
}

export function exampleSnapshot(source: SandboxInfo, { name, retentionDays }: CreateSnapshot): SnapshotInfo {
  return {
    name,
    sandboxId: source.id,
    image: source.image,
    cpus: source.cpus,
    memoryMiB: source.memoryMiB,
    diskMiB: source.diskMiB,
    egress: { mode: source.egress.mode, allow: source.egress.allow },
    createdAt: at,
    expiresAt: retentionDays === undefined ? null : new Date(Date.parse(at) + retentionDays * 86_400_000).toISOString(),
    storedMiB: 130.5,
    vmm: {
      name: 'qemu',
      version: '7.2.22',
      machine: 'microvm',
      cpuModel: 'max',
      tier: 'emulated',
      agentProtocol: 1,
    },
    hasEnvValues: false,
    restorable: { ok: true, reason: 'made by this QEMU' },
    usedBy: [],
  };
}

export function exampleEgressReport({ egress }: SandboxInfo): EgressReport {
  const place = { address: null, transport: 'tcp', bytesIn: 0, bytesOut: 0, firstAt: at, lastAt: at } as const;
  return {
    policy: egress,
    allowed: [{ ...place, name: 'packages.example.com', port: 443, count: 3, bytesIn: 52_000, bytesOut: 1200 }],
    denied: [
      { ...place, name: 'other.example.com', port: 443, count: 2, reason: 'sni', blocked: egress.mode === 'enforce' },
    ],
    deniedCount: 2,
    omitted: 0,
    suggestedAllow: [...egress.allow, 'other.example.com:443'],
  };
}

export function exampleExec(id: string, sandboxId: string, request: CreateExec): ExecInfo {
  return {
    id,
    sandboxId,
    state: 'running',
    command: request.shell ?? (request.argv ?? []).join(' '),
    cwd: request.cwd,
    user: request.user,
    pty: request.pty !== undefined,
    stdin: request.stdin,
    startedAt: at,
    endedAt: null,
    exitCode: null,
    signal: null,
    timedOut: false,
    oomKilled: false,
    failure: null,
    outputBytes: 0,
    truncated: false,
    usage: null,
  };
}

export const exampleImage: ImageInfo = {
  name: 'default',
  digest: 'sha256:0',
  suite: 'trixie',
  architecture: 'amd64',
  include: [],
  kernelVersion: '6.12',
  diskMiB: 8192,
  storedMiB: 900,
  minMemoryMiB: 128,
  createdAt: at,
  templates: [],
};

export const exampleHost: HostInfo = {
  version: '0.1.0',
  hostname: 'here',
  startedAt: at,
  isolation: { tier: 'emulated', reason: 'a fake' },
  vmm: { name: 'qemu', version: '0' },
  cpus: 2,
  memoryMiB: 4096,
  capacity: {
    maxSandboxes: 10,
    sandboxes: 0,
    queued: 0,
    memoryMiB: 4096,
    memoryCommittedMiB: 0,
    diskFreeMiB: 10_000,
  },
  network: { subnet: '10.83.0.0/16', defaultEgressMode: 'audit' },
};
