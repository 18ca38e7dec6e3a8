import { isIPv4 } from 'node:net';
import type { EgressEntry } from '../../contract/egress.ts';
import type { AddressRule, DenialReason, PolicyView } from '../../net/egress/policy/policy.ts';
import type { EgressCountRow } from '../../store/rows.ts';
import { namesByAddress, onlyOne } from './answered-names.ts';

/** Where a connection went that the packet filter let through. */
export interface PassedPlace {
  address: string | null;
  port: number | null;
  transport: EgressCountRow['transport'];
}

/** What a policy and the answers of the resolver tell of places that the filter knows by address alone. */
export interface PassedPlaces {
  /** The name that a rule opened the place for; undefined where a rule names the address, or several names led there. */
  nameOf: (place: PassedPlace) => string | undefined;
  /** The network that a rule names, larger than the address itself. */
  networkOf: (place: PassedPlace) => { network: string; port: number | null } | undefined;
}

/** `rows`: all that is kept of the sandbox. A place that no rule opens any more has the one name that led to its address. */
export function passedPlaces(view: PolicyView, rows: readonly EgressCountRow[]): PassedPlaces {
  const names = namesByAddress(rows);
  const ruleOf = ({ address, port, transport }: PassedPlace): AddressRule | undefined => {
    if (address === null || port === null || !isIPv4(address) || (transport !== 'tcp' && transport !== 'udp')) return;
    const verdict = view.mayReach({ address, port, transport });
    return verdict.allowed && verdict.rule?.kind === 'address' ? verdict.rule : undefined;
  };
  return {
    nameOf: (place) => {
      const led = [...(names.get(place.address ?? '') ?? [])];
      const named = led.filter((name) => view.rawPorts(name).some((open) => isOpenBy(open, place)));
      if (named.length > 0) return onlyOne(named);
      return ruleOf(place) === undefined ? onlyOne(led) : undefined;
    },
    networkOf: (place) => {
      const rule = ruleOf(place);
      if (rule === undefined || rule.prefixLength === 32) return undefined;
      const network = `${rule.network}/${String(rule.prefixLength)}`;
      return { network, port: rule.port === 'any' ? null : rule.port };
    },
  };
}

type Place = Pick<EgressEntry, 'name' | 'address' | 'port' | 'transport'>;

/** Places that passed by rules which are no longer in force, and why those that are would not let them through. */
export function unruledPlaces<Entry extends Place>(
  view: PolicyView,
  passed: readonly Entry[],
): (Entry & { reason: DenialReason })[] {
  return passed.flatMap((entry) => {
    const reason = reasonAgainst(view, entry);
    return reason === undefined ? [] : [{ ...entry, reason }];
  });
}

function reasonAgainst(view: PolicyView, { name, address, port, transport }: Place): DenialReason | undefined {
  if (port === null || (transport !== 'tcp' && transport !== 'udp')) return undefined;
  if (name === null) {
    const verdict = address === null ? undefined : view.mayReach({ address, port, transport });
    return verdict === undefined || verdict.allowed ? undefined : verdict.reason;
  }
  const byProxy =
    transport === 'tcp' && (['tls', 'http'] as const).some((layer) => view.mayConnect({ name, port, layer }).allowed);
  const isOpen = byProxy || view.rawPorts(name).some((open) => isOpenBy(open, { port, transport }));
  return isOpen ? undefined : 'dns-name';
}

function isOpenBy(
  { port, transport }: ReturnType<PolicyView['rawPorts']>[number],
  place: Pick<PassedPlace, 'port' | 'transport'>,
): boolean {
  return transport === place.transport && (port === 'any' || port === place.port);
}
