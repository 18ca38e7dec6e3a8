import { readFile } from 'node:fs/promises';
import { runChecked, type Runner } from '../platform/run.ts';
import type { NetworkPlan } from './plan.ts';

/** Rules of the old xtables kind, which nft neither lists nor changes: only the iptables-legacy program does. */
const program = 'iptables-legacy';

interface LegacyRule {
  chain: 'FORWARD' | 'INPUT' | 'OUTPUT';
  match: string[];
}

function legacyPassages(plan: NetworkPlan): LegacyRule[] {
  const { bridgeName, bridgeAddress } = plan;
  const dns = [plan.dnsPort, plan.policyDnsPort].map(String).flatMap((port) =>
    ['udp', 'tcp'].flatMap((protocol): LegacyRule[] => [
      {
        chain: 'INPUT',
        match: ['-d', `${bridgeAddress}/32`, '-i', bridgeName, '-p', protocol, '-m', protocol, '--dport', port],
      },
      {
        chain: 'OUTPUT',
        match: ['-s', `${bridgeAddress}/32`, '-o', bridgeName, '-p', protocol, '-m', protocol, '--sport', port],
      },
    ]),
  );
  return [{ chain: 'FORWARD', match: ['-i', bridgeName] }, { chain: 'FORWARD', match: ['-o', bridgeName] }, ...dns];
}

/** Opens the legacy filter table for our bridge where it denies. Gives what it could not do, for people. Throws CommandError. */
export async function openLegacyChains(
  runner: Runner,
  plan: NetworkPlan,
  tablesFile = '/proc/net/ip_tables_names',
): Promise<string | undefined> {
  if (!(await hasFilterTable(tablesFile))) return undefined;
  const listing = await listFilter(runner);
  if (listing === undefined) {
    return `This host has legacy iptables rules, which only ${program} shows, and it is not installed: if they drop forwarded packets, sandboxes reach nothing. Mend it with: apt-get install iptables`;
  }
  for (const rule of legacyPassages(plan).toReversed()) {
    if (!isClosed(listing, rule.chain)) continue;
    const spec = [...rule.match, '-m', 'comment', '--comment', plan.ruleComment, '-j', 'ACCEPT'];
    if (listing.some((line) => sameRule(line, ['-A', rule.chain, ...spec]))) continue;
    await runChecked(runner, program, ['-w', '5', '-I', rule.chain, '1', ...spec]);
  }
  return undefined;
}

/** Takes our rules out again. Throws CommandError. */
export async function closeLegacyChains(
  runner: Runner,
  plan: NetworkPlan,
  tablesFile = '/proc/net/ip_tables_names',
): Promise<void> {
  if (!(await hasFilterTable(tablesFile))) return;
  for (const line of (await listFilter(runner)) ?? []) {
    const words = unquoted(line);
    if (words[0] !== '-A' || words[words.indexOf('--comment') + 1] !== plan.ruleComment) continue;
    await runChecked(runner, program, ['-w', '5', '-D', ...words.slice(1)]);
  }
}

/** Asking iptables-legacy would create the table where there is none, so the kernel is asked first. */
async function hasFilterTable(tablesFile: string): Promise<boolean> {
  const names = await readFile(tablesFile, 'utf8').catch(() => '');
  return names.split('\n').includes('filter');
}

async function listFilter(runner: Runner): Promise<string[] | undefined> {
  try {
    const { stdout } = await runChecked(runner, program, ['-w', '5', '-S']);
    return stdout.split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isClosed(listing: readonly string[], chain: string): boolean {
  return listing.some(
    (line) => line === `-P ${chain} DROP` || line === `-A ${chain} -j DROP` || line.startsWith(`-A ${chain} -j REJECT`),
  );
}

function sameRule(line: string, words: readonly string[]): boolean {
  return unquoted(line).join(' ') === words.join(' ');
}

/** iptables quotes comments that hold more than letters and digits; ours have no spaces. */
function unquoted(line: string): string[] {
  return line.split(' ').map((word) => word.replace(/^"(.*)"$/, '$1'));
}
