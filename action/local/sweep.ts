import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from '../../hostd/platform/process-identity.ts';
import { localPlanSchema, type LocalPlan } from './plan.ts';
import type { Root } from './root.ts';
import { stopHost } from './stop.ts';

/** Hosts in `folder` whose runner is gone: no post step will come for them. */
export async function abandonedHosts(folder: string): Promise<LocalPlan[]> {
  const abandoned: LocalPlan[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const text = await readFile(path.join(folder, name, 'plan.json'), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const plan = parsePlan(text);
    // who has written no owner may still come
    if (plan?.owner !== undefined && !(await isAlive(plan.owner))) abandoned.push(plan);
  }
  return abandoned;
}

/** Undefined for what is no plan, as one that is half written. */
function parsePlan(text: string): LocalPlan | undefined {
  try {
    return localPlanSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Removes hosts of jobs whose runner died, on a machine that has runners of its own. Never fails the job that does it. */
export async function sweepAbandoned(
  root: Root,
  folder: string,
  distFolder: string,
  log: (line: string) => void,
): Promise<void> {
  for (const plan of await abandonedHosts(folder)) {
    log(`removing the host of an earlier job whose runner is gone: ${plan.stateFolder}`);
    try {
      await stopHost(root, plan, distFolder, log);
    } catch (error) {
      log(`it could not be removed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
