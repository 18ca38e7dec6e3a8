import { createInterface } from 'node:readline';
import { z } from 'zod';
import { egressModeSchema } from '../../contract/egress.ts';
import { isOffshootError } from '../../errors/offshoot-error.ts';
import { systemRunner } from '../../platform/run.ts';
import { networkConfigSchema } from '../config.ts';
import type { OpenGate } from '../egress/egress-side.ts';
import { FakeGate } from '../egress/gate/fake-gate.ts';
import { installedGate } from '../egress/installed-gate.ts';
import { parsePolicy } from '../egress/policy/parse-rules.ts';
import { openLinuxNetwork } from '../linux-network.ts';
import type { Network, SlotEgress } from '../network.ts';

const policySchema = z.object({ mode: egressModeSchema, allow: z.array(z.string()) });

export type PolicyOfSlot = z.output<typeof policySchema>;

/**
 * Runs a real Network inside some network namespace for a test outside of it: `node network-driver.ts CONFIG [KIND]`, one JSON call a line
 * in, one JSON answer a line out. With `policies` it takes all modes; rules by address hold, but there is no resolver and no proxy. With the
 * path of a state directory it has both, in processes of their own, which outlive it.
 */
export const callSchema = z.discriminatedUnion('method', [
  z.object({
    id: z.number(),
    method: z.literal('start'),
    living: z.array(z.object({ slot: z.number(), policy: policySchema })),
  }),
  z.object({
    id: z.number(),
    method: z.literal('create'),
    slot: z.number(),
    uid: z.number(),
    policy: policySchema,
  }),
  z.object({ id: z.number(), method: z.literal('setEgress'), slot: z.number(), policy: policySchema }),
  z.object({ id: z.number(), method: z.literal('remove'), slot: z.number() }),
  z.object({ id: z.number(), method: z.literal('existing') }),
  z.object({ id: z.number(), method: z.literal('stop'), keep: z.boolean() }),
  z.object({ id: z.number(), method: z.literal('facts') }),
]);

export type Call = z.output<typeof callSchema>;

let revisions = 0;

function slotEgress(slot: number, { mode, allow }: PolicyOfSlot): SlotEgress {
  revisions += 1;
  return { policy: parsePolicy(mode, allow), sandbox: { id: `sbx_${String(slot)}`, revision: revisions } };
}

async function perform(network: Network, call: Call): Promise<unknown> {
  switch (call.method) {
    case 'start':
      return network.start({
        living: call.living.map(({ slot, policy }) => ({ slot, egress: slotEgress(slot, policy) })),
        onHelperEvent: () => undefined,
      });
    case 'create':
      return network.create(call.slot, call.uid, slotEgress(call.slot, call.policy));
    case 'setEgress':
      return network.setEgress(call.slot, slotEgress(call.slot, call.policy));
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

function openGateOf(kind: string): OpenGate | undefined {
  if (kind === 'bare') return undefined;
  if (kind !== 'policies') return installedGate(kind);
  return async (_netnsPath, { listeners }) => {
    const gate = new FakeGate();
    await gate.listen(listeners);
    return gate;
  };
}

if (import.meta.main) {
  const config = networkConfigSchema.parse(JSON.parse(process.argv[2] ?? '{}'));
  const network = await openLinuxNetwork(config, systemRunner, openGateOf(process.argv[3] ?? 'bare'));
  createInterface({ input: process.stdin })
    .on('line', (line) => void answer(network, line))
    .on('close', () => process.exit(0));
}
