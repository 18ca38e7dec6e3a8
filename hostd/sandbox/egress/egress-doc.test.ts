import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { denialReasons, egressModes, privateNetworks } from '../../contract/egress.ts';
import { isOffshootError } from '../../errors/offshoot-error.ts';
import { networkConfigSchema } from '../../net/config.ts';
import { maxTtlSeconds, minTtlSeconds } from '../../net/egress/dns/answer-cache.ts';
import * as dns from '../../net/egress/dns/limits.ts';
import { countedDestinations, countedMinutes } from '../../net/egress/firewall/slot-sets.ts';
import { maxQuestions } from '../../net/egress/dns/lookup.ts';
import { maxPinMs, minPinMs } from '../../net/egress/dns/pin-document.ts';
import { maxOpeningsPerSandbox } from '../../net/egress/dns/pin-table.ts';
import { maxReadPorts, maxRules, parseRules } from '../../net/egress/policy/parse-rules.ts';
import { closedNetworks } from '../../net/egress/policy/reachable-networks.ts';
import { defaultLimits } from '../../net/egress/proxy/options.ts';
import { planNetwork } from '../../net/plan.ts';
import { maxDenialEvents } from './count-keeper.ts';
import { maxPassedPlaces } from './filter-counts.ts';
import { maxAddressesOfNetwork } from './passed-entries.ts';
import { maxListed } from './report-document.ts';

const page = await readFile(new URL('../../../docs/egress.md', import.meta.url), 'utf8');

/** The text below a heading, up to the next one. */
function section(heading: string): string {
  const [, text = ''] = new RegExp(`^#+ ${heading}\\n([^]*?)(?=^#|(?![^]))`, 'm').exec(page) ?? [];
  return text.replaceAll(/```[^]*?```/g, '');
}

/** The cells of a section's tables, heads left out. */
function rows(heading: string): string[][] {
  const lines = section(heading).split('\n');
  return lines.flatMap((line, index) => {
    if (!line.startsWith('|') || line.startsWith('| -') || lines[index + 1]?.startsWith('| -') === true) return [];
    return [
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    ];
  });
}

function refusal(rule: string): string | undefined {
  try {
    parseRules(rule);
    return undefined;
  } catch (error) {
    if (!isOffshootError(error)) throw error;
    const [issue] = error.details['issues'] as { message: string }[];
    return issue?.message;
  }
}

test('docs/egress.md has every mode and every reason, and no other', () => {
  expect(rows('Modes').map(([mode]) => mode)).toEqual(egressModes.map((mode) => `\`${mode}\``));
  expect(
    rows('Reasons')
      .map(([reason]) => reason)
      .toSorted(),
  ).toEqual(denialReasons.map((reason) => `\`${reason}\``).toSorted());
});

test('the rules in docs/egress.md are rules', () => {
  const lists = [...page.matchAll(/```rules\n([^]*?)```/g)].map(([, list = '']) => list);
  expect(lists.length).toBeGreaterThan(5);
  for (const list of lists) {
    // These are filled in by who sends the list.
    const { rules } = parseRules(list.replaceAll(/\bauto:(npm|pip|apt)\b/g, 'auto-$1.example.com'));
    expect(rules.length).toBeGreaterThan(0);
  }
});

test('what docs/egress.md says is refused is refused in these words', () => {
  const written = rows('What is refused').flatMap(([cell = '', why]) => {
    const rule = /^`(.*)`$/.exec(cell)?.[1];
    return rule === undefined ? [] : [{ rule, why }];
  });
  expect(written.length).toBeGreaterThan(50);
  expect(written.map(({ rule }) => ({ rule, why: refusal(rule) }))).toEqual(written);
  const described = rows('What is refused').map(([, why]) => why);
  const tooLong = ['a'.repeat(301), `${'a'.repeat(64)}.example`, `${'a.'.repeat(130)}example`].map(refusal);
  const tooMany = refusal(Array.from({ length: maxRules + 1 }, (_, index) => `h${String(index)}.example`).join('\n'));
  const ports = Array.from({ length: maxReadPorts + 1 }, (_, index) => `tls:a.example:${String(9000 + index)}`);
  expect(described).toEqual(expect.arrayContaining([...tooLong, tooMany, refusal(ports.join('\n'))]));
});

test('docs/egress.md names every closed range', () => {
  for (const network of closedNetworks(4, { own: [] })) expect(section('Closed ranges')).toContain(network);
  for (const network of privateNetworks) expect(section('`private`')).toContain(network);
});

test('docs/egress.md names the host’s address on the bridge, its ports, and how soon another one counts', () => {
  const config = networkConfigSchema.parse({});
  const { bridgeAddress, dnsPort, policyDnsPort } = planNetwork(config, 1500);
  const text = section('Addresses of the host');
  expect(text).toContain(`${bridgeAddress} is the host`);
  expect(text).toContain(`Ports ${String(dnsPort)} and ${String(policyDnsPort)} of ${bridgeAddress}`);
  expect(text).toContain(`${String(config.checkSeconds)} seconds`);
});

test('the limits in docs/egress.md are those of the code', () => {
  const { maxFlowsPerSandbox } = networkConfigSchema.parse({});
  const { bytesUntilName, nameDeadlineMs, idleMs, connectionsPerSandbox, dialledAddresses } = defaultLimits;
  const { pipelinedRequests, waitingBytesPerSandbox, headerLines } = defaultLimits;
  const text = (value: number) => String(value);
  const hours = (ms: number) => `${text(ms / 3_600_000)} hour`;
  expect(Object.fromEntries(rows('Limits'))).toEqual({
    'rules of a policy': text(maxRules),
    'ports with `tls:` or `http:` of a policy': text(maxReadPorts),
    'connections of a sandbox through the proxy': text(connectionsPerSandbox),
    'connections and UDP flows of a sandbox': `${text(maxFlowsPerSandbox)} (\`network.maxFlowsPerSandbox\`)`,
    'ClientHello, or head of an HTTP request': `${text(bytesUntilName / 1024)} KiB, within ${text(nameDeadlineMs / 1000)} seconds`,
    'connection on which nothing moves, through the proxy': hours(idleMs),
    'addresses of a name that the proxy tries': text(dialledAddresses),
    'pipelined HTTP requests, not yet answered': `${text(pipelinedRequests)}; of a sandbox ${text(waitingBytesPerSandbox / 1024 / 1024)} MiB`,
    'header lines of an HTTP request or answer': text(headerLines),
    'DNS questions of a sandbox': `${text(dns.queriesPerSecond)} a second, ${text(dns.queriesInFlight)} at once`,
    'aliases behind a name': `${text(maxQuestions)} questions in all`,
    'new names below one wildcard': `${text(dns.newNamesAtOnce)} at once, then ${text(dns.newNamesPerSecond)} a second`,
    'what stands in front of a wildcard’s domain': `${text(dns.maxWildcardBytes)} bytes, ${text(dns.maxWildcardLabels)} labels`,
    'addresses open by name on ports without proxy': `${text(maxOpeningsPerSandbox)} for a sandbox, the ones asked for longest ago go first`,
    'life of such an address': `the answer's TTL, ${text(minPinMs / 60_000)} minute to ${hours(maxPinMs)}; longer while a connection uses it`,
    'DNS answers kept': `${text(minTtlSeconds)} seconds to ${hours(Math.ceil(maxTtlSeconds / 60) * 60_000)}; that there is none 5 minutes`,
    'places past the proxy that are counted': `${text(countedDestinations)} of a kind within ${text(countedMinutes)} minutes, then no new ones`,
    'entries of each list of a report': text(maxListed),
    'events of denials of a sandbox': text(maxDenialEvents),
  });
});

test('what docs/egress.md says of places that are put together is so', () => {
  const text = section('Reports and events').replaceAll(/\s+/g, ' ');
  expect(text).toContain(`more than ${String(maxAddressesOfNetwork)} addresses of one network on a port are one entry`);
  expect(text).toContain(`Beyond ${String(maxPassedPlaces)} places in all, those of a network rule are put together`);
});
