import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { planFiles, type LocalPlan } from './plan.ts';
import type { Root } from './root.ts';

/** Prints the folders of processes that are in a folder or were started with a path in it as a word of their command line. */
const findProcesses = `folder=$(cat)
find /proc -mindepth 2 -maxdepth 2 -name cwd '(' -lname "$folder" -o -lname "$folder/*" ')' -printf '%h\\n' 2>/dev/null
grep -lzs -e "^$folder\\(/.*\\)\\?$" /proc/[0-9]*/cmdline | sed 's|/cmdline$||'
exit 0`;

/** Removes one instance's namespaces, links and rules, and says each. What is not there is no failure. */
const removeNetwork = `instance=$1
for netns in $(ip netns list | cut -d ' ' -f 1 | grep "^offshoot-$instance-"); do ip netns del "$netns" && echo "namespace $netns"; done
for link in $(ip -o link show | sed -n "s/^[0-9]*: \\(ov-$instance-[0-9]*\\|ov-$instance-proxy\\|ob-$instance\\)[@:].*/\\1/p"); do ip link del "$link" && echo "link $link"; done
nft list table inet "offshoot_$instance" >/dev/null 2>&1 && nft delete table inet "offshoot_$instance" && echo "table offshoot_$instance"
nft -a list ruleset 2>/dev/null | awk -v mark="\\"offshoot:$instance\\"" '
  /^table /{family=$2; table=$3} /^[ \\t]+chain /{chain=$2} index($0, mark){print family, table, chain, $NF}' |
  while read -r family table chain handle; do
    nft delete rule "$family" "$table" "$chain" handle "$handle" && echo "a rule in $table $chain"
  done
exit 0`;

const configSchema = z.object({ network: z.object({ instance: z.string().regex(/^[a-z0-9]{1,6}$/) }) });

/**
 * Removes what a host that is gone could not remove itself: processes, network, memory images of forks. Returns what it found, a phrase each;
 * nothing after an orderly end.
 */
export async function removeRemains(root: Root, plan: LocalPlan): Promise<string[]> {
  const found: string[] = [];
  const pids = await processesOf(root, plan.stateFolder);
  if (pids.length > 0) {
    await root.run('kill', ['-KILL', ...pids]);
    found.push(`${String(pids.length)} processes`);
  }
  const instance = await instanceOf(plan);
  if (instance !== undefined) {
    const { stdout } = await root.run('sh', ['-c', removeNetwork, 'sh', instance]);
    found.push(...stdout.split('\n').filter((line) => line !== ''));
  }
  // hostd/sandbox/checkpoint/checkpoints.ts names the folder so
  const tag = createHash('sha256').update(plan.stateFolder).digest('hex').slice(0, 12);
  await root.run('rm', ['-rf', `/dev/shm/offshoot-${tag}`]);
  return found;
}

/** Processes that are in the folder or were started with it: VMMs, launchers, builds. */
export async function processesOf(root: Root, folder: string): Promise<string[]> {
  // by standard input: nothing that runs for this must be found
  const { stdout } = await root.run('sh', ['-c', findProcesses], { input: folder });
  const pids = stdout.split('\n').flatMap((line) => /^\/proc\/(\d+)$/.exec(line)?.[1] ?? []);
  return [...new Set(pids)].filter((pid) => pid !== String(process.pid));
}

async function instanceOf(plan: LocalPlan): Promise<string | undefined> {
  const text = await readFile(planFiles(plan).config, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const parsed = configSchema.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data.network.instance : undefined;
}
