import { tapName, uplinkName, type NetworkPlan, type SlotPlan } from '../../plan.ts';
import type { HostAddresses, Policy } from '../policy/policy.ts';
import { proxiedPorts } from '../policy/proxied-ports.ts';
import { closedNetworks } from '../policy/reachable-networks.ts';
import { countAudited, countDenied, countPassed } from './count-rules.ts';
import { openedNetworks, shutToNames } from './filter-networks.ts';
import { thenLine } from './load-rules.ts';
import { cutPaceSet, cutSet, lastingSets, pinnedHostsSet, pinnedSet, transports, type Transport } from './slot-sets.ts';

/** Where the helpers listen that a sandbox's names and named ports are led to. */
export interface EgressHelpers {
  resolver: { address: string; port: number };
  proxy: {
    address: string;
    /** The listener of each port that the guest dials: all of `proxiedPorts(policy)`. */
    listeners: ReadonlyMap<number, number>;
  };
}

const connection = 'ct original ip daddr . ct original proto-src . ct original proto-dst';

/**
 * The mark of a connection that was cut and that the guest has given up: it answered a packet with a reset of its own. Until then the other
 * side is not told, so that it sends again what the guest did not hear of; a mark is of one connection, while a port is used by many.
 */
const guestIsTold = '0x1';

/** DNS queries per second one sandbox may send over UDP. */
const dnsQueriesPerSecond = 500;

/**
 * The nft document that puts a policy of mode enforce or audit in force in a sandbox's netns, in one transaction, whatever rules that
 * netns had before. Every packet of every connection, in both directions, is judged anew: a connection that the new policy does not
 * allow ends with its next packet. Pins and counts stay. Throws TypeError for another mode, or a proxied port without a listener.
 */
export function slotPolicyRules(
  plan: NetworkPlan,
  slot: SlotPlan,
  policy: Policy,
  host: HostAddresses,
  helpers: EgressHelpers,
): string {
  if (policy.mode !== 'enforce' && policy.mode !== 'audit') throw new TypeError(`no rules for mode ${policy.mode}`);
  const ownToo = { own: [...host.own, plan.subnet] };
  const sets = [...networkSets(policy, ownToo), ...helperSets(policy, helpers)];
  return [
    'add table inet offshoot\n',
    ...lastingSets.map(({ name, definition }) => `add set inet offshoot ${name} ${definition}\n`),
    'flush table inet offshoot\n',
    // Made anew rather than flushed: nft 1.0.6 compares new intervals with those that it is about to flush.
    ...sets.map(({ name, definition, elements }) => setAnew(name, definition, elements)),
    `table inet offshoot {\n${chains(plan, slot, policy, helpers)}}\n`,
    // Names alone, which have no such elements, spare the time.
    hasLateElements(sets) ? settling : '',
  ].join('');
}

const settling = `add rule inet offshoot settling ct state established drop
${thenLine}flush chain inet offshoot settling
`;

interface FilledSet {
  name: string;
  definition: string;
  elements: readonly string[];
}

/** The kernel keeps what joins a port and a network in nft_set_pipapo. */
function hasLateElements(sets: readonly FilledSet[]): boolean {
  return sets.some(({ name, elements }) => name.startsWith('ports_') && elements.length > 0);
}

function networkSets(policy: Policy, host: HostAddresses): FilledSet[] {
  const networks = '{ type ipv4_addr; flags interval; }';
  const opened = transports.flatMap((transport): FilledSet[] => {
    const { anyPort, ofPort } = openedNetworks(policy, host, transport);
    return [
      { name: `networks_${transport}`, definition: networks, elements: anyPort },
      {
        name: `ports_${transport}`,
        definition: '{ type inet_service . ipv4_addr; flags interval; }',
        elements: ofPort.map(({ port, network }) => `${String(port)} . ${network}`),
      },
    ];
  });
  return [
    ...opened,
    { name: 'closed', definition: networks, elements: closedNetworks(4, host) },
    { name: 'shut_to_names', definition: networks, elements: shutToNames(policy, host) },
  ];
}

/** Where a connection may have been led: the address and port that answer for it, and the port that the guest dialled between them. */
function helperSets(policy: Policy, { resolver, proxy }: EgressHelpers): FilledSet[] {
  const definition = '{ type ipv4_addr . inet_service . inet_service; }';
  const dns = `${resolver.address} . 53 . ${String(resolver.port)}`;
  const led = [...proxiedPorts(policy).keys()].map((port) => {
    return `${proxy.address} . ${String(port)} . ${String(listenerOf(proxy, port))}`;
  });
  return [
    { name: 'helpers_tcp', definition, elements: [dns, ...led] },
    { name: 'helpers_udp', definition, elements: [dns] },
    {
      name: 'proxied_tcp',
      definition: '{ type inet_service; }',
      elements: [...proxiedPorts(policy).keys()].map(String),
    },
  ];
}

function listenerOf(proxy: EgressHelpers['proxy'], port: number): number {
  const listener = proxy.listeners.get(port);
  if (listener === undefined) throw new TypeError(`the proxy has no listener for port ${String(port)}`);
  return listener;
}

function setAnew(name: string, definition: string, elements: readonly string[]): string {
  const add = `add set inet offshoot ${name} ${definition}\n`;
  const fill = elements.length === 0 ? '' : `add element inet offshoot ${name} { ${elements.join(', ')} }\n`;
  return `${add}delete set inet offshoot ${name}\n${add}${fill}`;
}

function chains(plan: NetworkPlan, slot: SlotPlan, policy: Policy, helpers: EgressHelpers): string {
  const { link } = plan;
  const { resolver, proxy } = helpers;
  const fromGuest = `iifname "${tapName}"`;
  const fromOutside = `iifname "${uplinkName}"`;
  const isReply = `${fromOutside} ct state established ct direction reply`;
  const toResolver = `dnat ip to ${resolver.address}:${String(resolver.port)}`;
  const listeners = [...proxiedPorts(policy).keys()].map(
    (port) => `${String(port)} : ${String(listenerOf(proxy, port))}`,
  );
  const isAudit = policy.mode === 'audit';
  return `  chain refuse {
    tcp flags & rst == rst ct mark set ${guestIsTold}
    meta l4proto tcp reject with tcp reset
    reject with icmp admin-prohibited
  }
  chain settling {
  }
  chain denied {
    jump settling
${countDenied}    goto refuse
  }
  chain passed {
    tcp flags & (syn | ack) == syn jump begun
${countPassed}    accept
  }
${transports.map((transport) => judgedChain(plan, transport, isAudit)).join('')}  chain judged {
    meta l4proto vmap { tcp : jump judged_tcp, udp : jump judged_udp }
${isAudit ? '    goto audited\n' : ''}  }
  chain cut {
    jump settling
    ct mark ${guestIsTold} reject with tcp reset
    meta l4proto tcp update @${cutPaceSet} { ${connection} limit rate over 8/second burst 4 packets } drop
    meta l4proto tcp update @${cutSet} { ${connection} limit rate 1/minute burst 30 packets } accept
    reject with tcp reset
  }
  chain begun {
    ct mark set 0
    meta l4proto tcp delete @${cutSet} { ${connection} }
    meta l4proto tcp delete @${cutPaceSet} { ${connection} }
  }
  chain audited {
    ct status dnat return
    ct original ip daddr @closed return
${countAudited}    accept
  }
  chain source {
    type filter hook prerouting priority raw; policy drop;
    ${fromGuest} ip saddr ${link.address} accept
    ${fromOutside} ip daddr ${slot.hostSideAddress} accept
  }
  chain inward {
    type nat hook prerouting priority dstnat; policy accept;
    iifname != "${tapName}" accept
    ip daddr ${link.gateway} udp dport 53 ${toResolver}
    ip daddr ${link.gateway} tcp dport 53 ${toResolver}
    ip daddr ${link.gateway} accept
    ip daddr @networks_tcp accept
    tcp dport . ip daddr @ports_tcp accept
    ip daddr @shut_to_names accept
    meta l4proto tcp dnat ip to ${proxy.address} : tcp dport map { ${listeners.join(', ')} }
  }
  chain input {
    type filter hook input priority filter; policy drop;
    ${fromGuest} ip daddr ${link.gateway} icmp type echo-request limit rate 20/second accept
    ${fromGuest} goto denied
  }
  chain forward {
    type filter hook forward priority filter; policy drop;
    ${fromOutside} ct state related icmp type { destination-unreachable, time-exceeded, parameter-problem } accept
    ${isReply} jump judged
    ${isReply} meta l4proto tcp goto cut
    ${fromOutside} drop
    ct state invalid drop
    ct state new ct count over ${String(plan.maxFlowsPerSandbox)} goto refuse
    ct status dnat meta l4proto udp limit rate over ${String(dnsQueriesPerSecond)}/second burst ${String(dnsQueriesPerSecond)} packets drop
    jump judged
    goto denied
  }
  chain outward {
    type nat hook postrouting priority srcnat; policy accept;
    oifname "${uplinkName}" snat ip to ${slot.hostSideAddress}
  }
`;
}

/** By where the guest wanted to go, so that the same rules judge both directions. Where the proxy serves a port, nothing passes it by; names are only asked at the gateway. */
function judgedChain(plan: NetworkPlan, transport: Transport, isAudit: boolean): string {
  const of = `meta l4proto ${transport}`;
  const dnsPorts = [...new Set([53, plan.dnsPort, plan.policyDnsPort])].join(', ');
  const pastProxy = `    ${of} ct original proto-dst @proxied_tcp return\n`;
  return `  chain judged_${transport} {
    ${of} ct status dnat ct reply ip saddr . ct original proto-dst . ct reply proto-src @helpers_${transport} accept
    ct status dnat return
    ${of} ct original ip daddr ${plan.bridgeAddress} ct original proto-dst { ${dnsPorts} } return
    ${of} ct original ip daddr @networks_${transport} goto passed
    ${of} ct original proto-dst . ct original ip daddr @ports_${transport} goto passed
${transport === 'tcp' && !isAudit ? pastProxy : ''}    ${of} ct original ip daddr . ct original proto-dst @${pinnedSet(transport)} goto passed
    ${of} ct original ip daddr @${pinnedHostsSet(transport)} goto passed
  }
`;
}
