import { AddressDecisions } from './address-decisions.ts';
import { parseAddress } from './address.ts';
import { askedName } from './asked-name.ts';
import { NameTable, type NameEntry } from './name-table.ts';
import type { HostAddresses, NameRule, Policy, PolicyView, Verdict } from './policy.ts';
import { proxiedPorts } from './proxied-ports.ts';

type Connection = Parameters<PolicyView['mayConnect']>[0];
type RawPort = ReturnType<PolicyView['rawPorts']>[number];

/** Makes a policy ready for decisions. Throws a TypeError when `host` holds text that is no address or network. */
export function compilePolicy(policy: Policy, host: HostAddresses): PolicyView {
  const rules = policy.mode === 'none' ? [] : policy.rules;
  const addresses = new AddressDecisions(policy.mode, rules, host);
  const names = new NameTable();
  for (const rule of rules) if (rule.kind === 'name') names.add(rule);
  const proxied = proxiedPorts(policy);
  const entriesOf = (name: string | undefined) => {
    const asked = name === undefined ? undefined : askedName(name);
    return asked === undefined ? [] : names.matching(asked);
  };
  const openTo = (name: string) => policy.mode === 'open' && askedName(name) !== undefined;

  return {
    policy,
    mayResolve: (name) => {
      const rule = entriesOf(name)[0]?.ports.first();
      if (rule !== undefined) return { allowed: true, rule };
      return openTo(name) ? { allowed: true } : { allowed: false, reason: 'dns-name' };
    },
    mayConnect: (to) => {
      if (parseAddress(literal(to.name)) !== undefined) return connectToLiteral(addresses, to);
      if (openTo(to.name)) return { allowed: true };
      return connectByName(entriesOf(to.name), to);
    },
    mayUseAddress: (name, address, port) => {
      if (policy.mode === 'none') return { allowed: false, reason: 'address' };
      const verdict = addresses.use(address, port);
      if (verdict !== undefined) return verdict;
      for (const entry of entriesOf(name)) {
        const rule = entry.privateRule(port);
        if (rule !== undefined) return { allowed: true, rule };
      }
      return { allowed: false, reason: 'rebind' };
    },
    mayReach: (to) => addresses.reach(to),
    rawPorts: (name) => {
      const found = new Map<string, RawPort>();
      for (const { port, transport } of entriesOf(name).flatMap((entry) => entry.ports.all())) {
        if (transport === 'tcp' && port !== 'any' && proxied.has(port)) continue;
        found.set(`${transport}:${String(port)}`, { port, transport });
      }
      return [...found.values()];
    },
  };
}

function connectByName(entries: readonly NameEntry[], to: Connection): Verdict {
  if (entries.length === 0) return { allowed: false, reason: nameReason(to) };
  const rules = entries.flatMap((entry) => entry.ports.find('tcp', to.port) ?? []);
  const rule = rules.find((found) => readsAs(found, to.layer));
  if (rule !== undefined) return { allowed: true, rule };
  return { allowed: false, reason: rules.length > 0 ? 'protocol' : 'port' };
}

/** A rule without a prefix takes whatever its port is read as in this policy. */
function readsAs(rule: NameRule, layer: 'tls' | 'http'): boolean {
  return rule.layer === 'raw' || rule.layer === layer;
}

/** `Host: 192.0.2.1` names an address: address rules decide. */
function connectToLiteral(addresses: AddressDecisions, to: Connection): Verdict {
  const verdict = addresses.reach({ address: literal(to.name), port: to.port, transport: 'tcp' });
  if (verdict.allowed || verdict.reason !== 'address') return verdict;
  return { allowed: false, reason: nameReason(to) };
}

function literal(name: string): string {
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
}

function nameReason(to: Connection): 'sni' | 'host-header' {
  return to.layer === 'tls' ? 'sni' : 'host-header';
}
