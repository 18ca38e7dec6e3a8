import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { expandAutoRules, hasAutoRules, type AutoRuleOptions } from '../../hostd/client/egress/auto-rules.ts';
import type { EgressMode } from '../../hostd/contract/egress.ts';
import type { Inputs } from '../inputs.ts';
import { say } from '../say.ts';

export interface AskedPolicy {
  mode: EgressMode;
  allow: string[];
}

const mostTold = 100;

/** Whether denials are recorded in a mode; in the others nobody can tell whether there were any. */
export function recordsDenials(mode: EgressMode): boolean {
  return mode === 'enforce' || mode === 'audit';
}

/**
 * The policy that the inputs ask for, `auto:` rules filled in from this runner, and then told in the log; undefined leaves it to the snapshot or the host. Throws
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
    const allow = await expandAutoRules(egress, { ...options, cwd });
    if (hasAutoRules(egress)) tellRules(allow);
    return { mode: mode ?? 'enforce', allow };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

function tellRules(rules: readonly string[]): void {
  const left = rules.length - mostTold;
  const told = rules.slice(0, mostTold).join(' ');
  say(`egress with auto: filled in from this runner: ${told}${left > 0 ? ` and ${String(left)} more` : ''}`);
}
