import type { CreateExec, CreateSandbox, ExecInfo, HostInfo, ImageInfo, SandboxInfo } from '../../contract/index.ts';

const at = '2030-01-01T00:00:00.000Z';

export function exampleSandbox(id: string, request: CreateSandbox): SandboxInfo {
  return {
    id,
    state: 'running',
    image: request.image,
    labels: request.labels,
    cpus: request.cpus,
    memoryMiB: request.memoryMiB,
    diskMiB: request.diskMiB,
    egress: request.egress ?? { mode: 'open' },
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
  network: { subnet: '10.83.0.0/16', defaultEgressMode: 'open' },
};
