import { access } from 'node:fs/promises';
import type { Runner } from '../../../platform/run.ts';
import { loadRules } from '../firewall/load-rules.ts';
import { PinWriter as NftPins } from '../firewall/pin-writer.ts';
import { lastingSets, pinnedHostsSet, pinnedSet, pinSets } from '../firewall/slot-sets.ts';
import type { LivingPin, PinWriter } from './pin-writer.ts';

/** Pins as elements of the sets in sandboxes' network namespaces. */
export class NftPinWriter extends NftPins implements PinWriter {
  readonly #runner: Runner;
  readonly #netnsPathOf: (sandboxId: string) => string | undefined;

  constructor(runner: Runner, netnsPathOf: (sandboxId: string) => string | undefined) {
    super(runner, netnsPathOf);
    this.#runner = runner;
    this.#netnsPathOf = netnsPathOf;
  }

  async replaceAll(sandboxId: string, pins: readonly LivingPin[]): Promise<void> {
    const netnsPath = this.#netnsPathOf(sandboxId);
    if (netnsPath === undefined || !(await exists(netnsPath))) return;
    await loadRules(this.#runner, netnsPath, replacement(pins));
  }
}

/** Makes the sets where the sandbox's rules are not there yet. */
function replacement(pins: readonly LivingPin[]): string {
  const definitions = lastingSets.filter(({ name }) => pinSets.includes(name));
  const elements = new Map<string, number>();
  for (const { pin, lifetimeMs } of pins) {
    const element =
      pin.port === 'any'
        ? `${pinnedHostsSet(pin.transport)} { ${pin.address}`
        : `${pinnedSet(pin.transport)} { ${pin.address} . ${String(pin.port)}`;
    // Two names may lead to one opening.
    elements.set(element, Math.max(lifetimeMs, elements.get(element) ?? 1));
  }
  return [
    'add table inet offshoot\n',
    ...definitions.map(({ name, definition }) => `add set inet offshoot ${name} ${definition}\n`),
    ...pinSets.map((name) => `flush set inet offshoot ${name}\n`),
    ...[...elements].map(
      ([element, ms]) => `add element inet offshoot ${element} timeout ${String(Math.round(ms))}ms }\n`,
    ),
  ].join('');
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
