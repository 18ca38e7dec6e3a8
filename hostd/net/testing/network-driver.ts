import { createInterface } from 'node:readline';
import { z } from 'zod';
import { isOffshootError } from '../../errors/offshoot-error.ts';
import { systemRunner } from '../../platform/run.ts';
import { networkConfigSchema } from '../config.ts';
import { openLinuxNetwork } from '../linux-network.ts';
import type { Network } from '../network.ts';

/** Runs a real Network inside some network namespace for a test outside of it: `node network-driver.ts CONFIG`, one JSON call a line in, one JSON answer a line out. */
export const callSchema = z.discriminatedUnion('method', [
  z.object({ id: z.number(), method: z.literal('start') }),
  z.object({
    id: z.number(),
    method: z.literal('create'),
    slot: z.number(),
    uid: z.number(),
    mode: z.enum(['open', 'none']),
  }),
  z.object({ id: z.number(), method: z.literal('remove'), slot: z.number() }),
  z.object({ id: z.number(), method: z.literal('existing') }),
  z.object({ id: z.number(), method: z.literal('stop'), keep: z.boolean() }),
  z.object({ id: z.number(), method: z.literal('facts') }),
]);

export type Call = z.output<typeof callSchema>;

async function perform(network: Network, call: Call): Promise<unknown> {
  switch (call.method) {
    case 'start':
      return network.start({ living: [], onHelperEvent: () => undefined });
    case 'create':
      return network.create(call.slot, call.uid, { policy: { mode: call.mode, rules: [] } });
    case 'remove':
      return network.remove(call.slot);
    case 'existing':
      return network.existing();
    case 'stop':
      return network.stop(call.keep);
    case 'facts':
      return { link: network.link, capacity: network.capacity, findings: network.findings };
  }
}

async function answer(network: Network, line: string): Promise<void> {
  const call = callSchema.parse(JSON.parse(line));
  const startedMs = performance.now();
  const reply = await perform(network, call).then(
    (result) => ({ id: call.id, result: result ?? null }),
    (error: unknown) => ({
      id: call.id,
      error: isOffshootError(error)
        ? { code: error.code, message: error.message, hint: error.hint }
        : { code: 'unexpected', message: String(error), hint: '' },
    }),
  );
  process.stdout.write(`${JSON.stringify({ ...reply, tookMs: performance.now() - startedMs })}\n`);
}

if (import.meta.main) {
  const config = networkConfigSchema.parse(JSON.parse(process.argv[2] ?? '{}'));
  const network = await openLinuxNetwork(config, systemRunner);
  createInterface({ input: process.stdin })
    .on('line', (line) => void answer(network, line))
    .on('close', () => process.exit(0));
}
