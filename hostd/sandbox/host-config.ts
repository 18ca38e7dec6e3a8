import { availableParallelism } from 'node:os';
import { z } from 'zod';

const milliseconds = z.int().min(1).max(86_400_000);

/** The `sandboxes` part of hostd's configuration. */
export const hostConfigSchema = z.strictObject({
  /** The VMM of the sandbox in slot N runs as the user uidBase + N. */
  uidBase: z.int().min(1000).max(4_000_000_000).default(640_000),
  /** Group of all VMMs: may read templates and image disks. */
  vmmGid: z.int().min(1000).max(4_000_000_000).default(640_000),
  maxSandboxes: z.int().min(1).max(1000).default(128),
  /** Virtual CPUs that one sandbox may ask for; default as many as the host has. More than that only take turns. */
  maxCpusPerSandbox: z.int().min(1).max(64).optional(),
  /** Of sandboxes that are created without a policy. */
  defaultEgressMode: z.enum(['audit', 'open', 'none']).default('audit'),

  /** Memory held back for the host itself; default a tenth, at least 256 MiB. */
  hostReserveMiB: z.int().min(0).optional(),
  /** Memory of a VMM beyond its guest's. */
  vmmOverheadMiB: z.int().min(0).default(48),
  /** 1 holds back all a sandbox could ever grow by; 4 a quarter of it. */
  overcommitRatio: z.number().min(1).max(100).default(4),
  /** No new sandbox while the host's free memory would fall below this. */
  minAvailableMiB: z.int().min(0).default(256),
  /** No new sandbox while tasks were stalled on memory for more than this share of the last 10 s. */
  maxMemoryPressurePercent: z.number().min(0).max(100).default(40),
  /** No new sandbox while the state directory's file system has less than this free. */
  minDiskFreeMiB: z.int().min(0).default(1024),
  /** Disk a new sandbox is expected to fill before others can be told. */
  diskReserveMiB: z.int().min(0).default(128),

  maxExecsPerSandbox: z.int().min(1).max(200).default(64),
  maxFollowersPerSandbox: z.int().min(1).max(10_000).default(128),
  maxTransfersPerSandbox: z.int().min(1).max(200).default(16),
  maxOutputBytesPerExec: z
    .int()
    .min(1)
    .default(2 * 1024 ** 3),

  bootDeadlineMs: milliseconds.default(60_000),
  /** A cold boot that has written nothing to its console for this long hangs. */
  silentBootMs: milliseconds.default(30_000),
  restoreDeadlineMs: milliseconds.default(15_000),
  prepareDeadlineMs: milliseconds.default(10_000),
  adoptDeadlineMs: milliseconds.default(10_000),
  /** How long an agent may be away while its VMM lives. */
  agentLossMs: milliseconds.default(5_000),
  /** How long an exec may outlive its timeout, in which the guest ends it, before hostd ends it without the guest. */
  execGraceMs: milliseconds.default(20_000),
  /** A file operation fails when the guest has answered nothing for this long. */
  guestSilenceMs: milliseconds.default(90_000),
  killDeadlineMs: milliseconds.default(5_000),
  sampleIntervalMs: milliseconds.default(5_000),

  /** Machines of the shape asked for last that are restored ahead, so that the next sandbox starts at once; each takes some 60 MiB. */
  spares: z.int().min(0).max(16).default(1),
  /** How long after a create the next spare machine is made. */
  spareDelayMs: z.int().min(0).max(60_000).default(1_000),
  /** A spare machine that nobody asked for in this time is given up. */
  spareIdleMs: milliseconds.default(600_000),

  /** Memory images of forks lie in a folder of their own in here: a tmpfs, so that they are in memory. */
  forkImageDirectory: z.string().min(1).max(1024).default('/dev/shm'),
  /** Beyond this, or when memory is short, images of forks go to the state directory; default a quarter of the memory. */
  forkImageMiB: z.int().min(0).optional(),
  /** How many copies of a fork are started at the same time. */
  concurrentCopies: z.int().min(1).max(100).default(8),
  /** How long a paused sandbox stays in memory before it goes to disk and its process ends. */
  hibernateAfterSeconds: z.int().min(0).max(604_800).default(60),
  maxSnapshots: z.int().min(0).max(10_000).default(100),
  /** How long all processes of a sandbox may take to stand still for a fork; then it is made without. */
  freezeDeadlineMs: milliseconds.default(500),

  maxTemplates: z.int().min(1).default(8),
  concurrentBoots: z
    .int()
    .min(1)
    .default(Math.max(1, availableParallelism() - 1)),

  tombstoneHours: z.number().min(0).default(24),
  maxTombstones: z.int().min(0).default(200),
  maxTombstoneBytes: z
    .int()
    .min(0)
    .default(4 * 1024 ** 3),
  idempotencyHours: z.number().min(0).default(24),
});
export type HostConfig = z.output<typeof hostConfigSchema>;
