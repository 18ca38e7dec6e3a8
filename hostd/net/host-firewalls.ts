import { runChecked, type Runner } from '../platform/run.ts';
import { listChains, listRules, type NftChain, type NftRule } from './nft-json.ts';
import type { NetworkPlan } from './plan.ts';

/** A rule of ours in another firewall's chain. Its comment says what it is and whose, and is how it is found again. */
export interface Passage {
  match: string;
  comment: string;
}

/**
 * What has to pass other firewalls, by hook. Only interface, address and port matches: iptables-nft declares a whole table
 * "incompatible" when it meets, for example, nft's own conntrack match (seen with 1.8.9). Our own table keeps inbound closed.
 */
export function passages(plan: NetworkPlan, hook: string): Passage[] {
  const { bridgeName, bridgeAddress, ruleComment } = plan;
  const dns = (direction: 'in' | 'out', protocol: string, port: number): Passage => ({
    match:
      direction === 'in'
        ? `iifname "${bridgeName}" ip daddr ${bridgeAddress} ${protocol} dport ${String(port)}`
        : `oifname "${bridgeName}" ip saddr ${bridgeAddress} ${protocol} sport ${String(port)}`,
    comment: `${ruleComment} dns ${direction} ${bridgeAddress}:${String(port)}/${protocol}`,
  });
  const bothWays = (direction: 'in' | 'out'): Passage[] =>
    [plan.dnsPort, plan.policyDnsPort].flatMap((port) => [dns(direction, 'udp', port), dns(direction, 'tcp', port)]);
  if (hook === 'input') return bothWays('in');
  if (hook === 'output') return bothWays('out');
  if (hook !== 'forward') return [];
  return [
    { match: `iifname "${bridgeName}"`, comment: `${ruleComment} out` },
    { match: `oifname "${bridgeName}"`, comment: `${ruleComment} back` },
  ];
}

/** Puts our passages at the top of every chain of others that would drop them, and leaves those in place that are. Throws CommandError. */
export async function openForeignChains(runner: Runner, plan: NetworkPlan, chains: readonly NftChain[]): Promise<void> {
  const foreign = chains.filter((chain) => isForeignFilter(plan, chain));
  const commands: string[] = [];
  const openedTables = new Set<string>();
  for (const chain of foreign) {
    const rules = await listRules(runner, chain);
    if (chain.policy !== 'drop' && !rules.some(isCatchAllDenial)) continue;
    if (chain.hook === 'forward') openedTables.add(`${chain.family} ${chain.table}`);
    commands.push(...commandsToOpen(plan, chain, chain.hook ?? '', rules));
  }
  for (const chain of chains) {
    if (chain.name !== 'DOCKER-USER' || !openedTables.has(`${chain.family} ${chain.table}`)) continue;
    commands.push(...commandsToOpen(plan, chain, 'forward', await listRules(runner, chain)));
  }
  if (commands.length > 0) await runChecked(runner, 'nft', ['-f', '-'], { input: `${commands.join('\n')}\n` });
}

/** Takes every passage of this instance out of every chain. Throws CommandError. */
export async function closeForeignChains(runner: Runner, plan: NetworkPlan): Promise<void> {
  const commands: string[] = [];
  for (const chain of await listChains(runner)) {
    const couldHold = isForeignFilter(plan, chain) || chain.name === 'DOCKER-USER';
    if (couldHold) commands.push(...deletions((await listRules(runner, chain)).filter((rule) => isOurs(plan, rule))));
  }
  if (commands.length > 0) await runChecked(runner, 'nft', ['-f', '-'], { input: `${commands.join('\n')}\n` });
}

function isForeignFilter(plan: NetworkPlan, chain: NftChain): boolean {
  const isFilter = chain.type === 'filter' && (chain.family === 'ip' || chain.family === 'inet');
  return isFilter && chain.table !== plan.tableName && passages(plan, chain.hook ?? '').length > 0;
}

/** Some firewalls deny by a last rule instead of a policy: firewalld, and the classic `-j REJECT`, which older nft prints as a null. */
function isCatchAllDenial(rule: NftRule): boolean {
  const statements = rule.expr.filter((statement) => !isObject(statement) || !('counter' in statement));
  const [only, ...others] = statements;
  if (!isObject(only) || others.length > 0) return false;
  if ('drop' in only || 'reject' in only) return true;
  if (!('xt' in only)) return false;
  return only.xt === null || (isObject(only.xt) && 'name' in only.xt && only.xt.name === 'REJECT');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function commandsToOpen(plan: NetworkPlan, chain: NftChain, hook: string, rules: readonly NftRule[]): string[] {
  const wanted = passages(plan, hook);
  const present = rules.slice(0, wanted.length).map((rule) => rule.comment);
  const ours = rules.filter((rule) => isOurs(plan, rule));
  if (ours.length === wanted.length && wanted.every((passage, index) => passage.comment === present[index])) return [];
  const insertions = wanted
    .toReversed()
    .map(({ match, comment }) => `insert rule ${place(chain)} ${match} counter accept comment "${comment}"`);
  return [...deletions(ours), ...insertions];
}

function deletions(rules: readonly NftRule[]): string[] {
  return rules.map((rule) => `delete rule ${rule.family} ${rule.table} ${rule.chain} handle ${String(rule.handle)}`);
}

function isOurs(plan: NetworkPlan, rule: NftRule): boolean {
  return rule.comment?.startsWith(`${plan.ruleComment} `) === true;
}

function place(chain: NftChain): string {
  return `${chain.family} ${chain.table} ${chain.name}`;
}
