import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { expandAutoRules, type AutoRuleOptions } from '../../hostd/client/egress/auto-rules.ts';
import type { EgressMode } from '../../hostd/contract/egress.ts';
import type { Inputs } from '../inputs.ts';

export interface AskedPolicy {
  mode: EgressMode;
  allow: string[];
}

/** Whether denials are recorded in a mode; in the others nobody can tell whether there were any. */
export function recordsDenials(mode: EgressMode): boolean {
  return mode === 'enforce' || mode === 'audit';
}

/**
 * The policy that the inputs ask for, `auto:` rules filled in from this runner; undefined leaves it to the snapshot or the host. Throws
 * `egress-auto-failed`, and `egress-rules-invalid` for an `auto:` rule there is none of; the host judges all others.
 */
export async function policyOf(
  inputs: Pick<Inputs, 'egress' | 'egress-mode'>,
  tempFolder: string,
  options: Omit<AutoRuleOptions, 'cwd'> = {},
): Promise<AskedPolicy | undefined> {
  const { egress, 'egress-mode': mode } = inputs;
  if (egress === undefined) return mode === undefined ? undefined : { mode, allow: [] };
  // the workspace may be a pull request's: neither its settings nor modules that lie in it decide what the sandbox reaches
  const cwd = await mkdtemp(path.join(tempFolder, 'offshoot-auto-'));
  try {
    return { mode: mode ?? 'enforce', allow: await expandAutoRules(egress, { ...options, cwd }) };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}
