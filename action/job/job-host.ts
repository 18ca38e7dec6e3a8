import type { Inputs } from '../inputs.ts';
import type { JobState } from '../job-state.ts';
import { saveJobState } from '../job-state.ts';

/** The address of the host that the job uses; starts one for `local`. Only then is the code for it loaded. */
export async function openHost(
  inputs: Inputs,
  state: JobState,
  tempFolder: string,
  signal: AbortSignal,
): Promise<string> {
  if (inputs.host !== 'local') return inputs.host;
  const { planLocalHost, startLocalHost } = await import('../local/local-host.ts');
  const plan = await planLocalHost({ tempFolder, image: inputs.image ?? 'default' });
  state.local = plan;
  saveJobState(state);
  const { host } = await startLocalHost(plan, { signal });
  return host;
}
