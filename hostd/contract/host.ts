import { z } from 'zod';

export const hostSchema = z.object({
  version: z.string(),
  hostname: z.string(),
  startedAt: z.iso.datetime(),
  isolation: z.object({ tier: z.enum(['kvm', 'emulated']), reason: z.string() }),
  vmm: z.object({ name: z.string(), version: z.string() }),
  cpus: z.number().int(),
  memoryMiB: z.number().int(),
  capacity: z.object({
    maxSandboxes: z.number().int(),
    sandboxes: z.number().int(),
    queued: z.number().int(),
    memoryMiB: z.number(),
    /** Used by sandboxes now plus what is held back for their growth. */
    memoryCommittedMiB: z.number(),
    diskFreeMiB: z.number(),
  }),
  network: z.object({ subnet: z.string(), defaultEgressMode: z.string() }),
});
export type HostInfo = z.infer<typeof hostSchema>;
