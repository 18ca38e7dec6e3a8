import { Sandbox } from '../../hostd/client/sandbox.ts';
import type { SandboxInfo } from '../../hostd/contract/sandbox.ts';
import { OffshootError, isOffshootError } from '../../hostd/errors/offshoot-error.ts';
import type { JobContext } from '../context.ts';
import { policyOf, recordsDenials } from '../egress/policy.ts';
import type { Inputs } from '../inputs.ts';
import { tellProgress } from './progress.ts';
import type { Timings } from './timings.ts';
import { say } from '../say.ts';

/** How long a sandbox outlives a runner that died. */
export const leaseSeconds = 180;
/** How long a job waits for room before it fails. */
const waitSeconds = 600;
/** A host that is not there when the job starts is tried for this long: it may be starting again. */
export const reconnectTimeoutMs = 10_000;

/** Asks for the sandbox under the id that post already knows; asking again is harmless. */
export async function createSandbox(
  id: string,
  host: string,
  inputs: Inputs,
  context: JobContext,
  timings: Timings,
  signal: AbortSignal,
): Promise<Sandbox> {
  const asked = performance.now();
  const made = new AbortController();
  const progress = tellProgress(id, host, AbortSignal.any([signal, made.signal]));
  const sandbox = await ask(id, host, inputs, context, signal)
    .catch((error: unknown) => {
      throw explained(error, performance.now() - asked);
    })
    .finally(() => {
      made.abort();
    });
  await progress;
  const { queuedMs, readyMs } = sandbox.info.timings;
  timings.add('queued', queuedMs);
  timings.add('restored', Math.max(0, (readyMs ?? queuedMs) - queuedMs));
  timings.lap();
  if (inputs['fail-on-egress-denied']) refuseUnrecorded(sandbox.info);
  const { isolation, cpus, memoryMiB, egress } = sandbox.info;
  say(
    `${sandbox.id}: ${String(cpus)} CPU, ${String(memoryMiB)} MiB, ${isolation.tier}, egress ${describePolicy(egress)}`,
  );
  return sandbox;
}

async function ask(
  id: string,
  host: string,
  inputs: Inputs,
  context: JobContext,
  signal: AbortSignal,
): Promise<Sandbox> {
  const given = <Name extends string, Value>(name: Name, value: Value | undefined) =>
    value === undefined ? {} : ({ [name]: value } as Record<Name, Value>);
  return Sandbox.create({
    id,
    ...given('image', inputs.image),
    ...given('snapshot', inputs.snapshot),
    ...given('cpus', inputs.cpus),
    ...given('memoryMiB', inputs.memory),
    ...given('diskMiB', inputs.disk),
    ...given('egress', await policyOf(inputs, context.tempFolder)),
    labels: { ...context.labels, ...inputs.labels },
    timeoutSeconds: leaseSeconds,
    waitSeconds,
    signal,
    connection: { host, reconnectTimeoutMs },
  });
}

/** A host's default or a snapshot may have a mode in which nothing would ever fail the step. */
function refuseUnrecorded({ egress }: SandboxInfo): void {
  if (recordsDenials(egress.mode)) return;
  throw new OffshootError('action-input', {
    message: `fail-on-egress-denied: the sandbox has egress mode ${egress.mode} from its snapshot or host, which records no denials.`,
    hint: 'Give egress, or egress-mode enforce or audit.',
  });
}

function describePolicy({ mode, allow }: SandboxInfo['egress']): string {
  if (allow.length === 0) return mode === 'enforce' ? 'enforce without rules: nothing is allowed' : mode;
  return `${mode} with ${String(allow.length)} ${allow.length === 1 ? 'rule' : 'rules'}`;
}

function explained(error: unknown, waitedMs: number): unknown {
  if (!isOffshootError(error) || error.code !== 'capacity-exhausted') return error;
  return new OffshootError('capacity-exhausted', {
    message: `The host had no room for ${String(Math.round(waitedMs / 1000))} s: ${error.message}`,
    hint: 'Run fewer jobs at once on this host, ask for less memory, or give the host more.',
    details: error.details,
  });
}
