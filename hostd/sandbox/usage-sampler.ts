import type { HostContext } from './host-context.ts';
import { shortage } from './admission-rules.ts';

const persistEvery = 12;

/** Reads what running sandboxes use: for admission, for clients, and now and then into the store, for a host that reboots. */
export class UsageSampler {
  readonly #host: HostContext;
  #rounds = 0;
  #underPressure = false;

  constructor(host: HostContext) {
    this.#host = host;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#host.clock.sleep(this.#host.config.sampleIntervalMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.sample().catch((error: unknown) => this.#host.log.warn({ error }, 'usage could not be read'));
    }
  }

  /** One after the other: cheap for the host, and nobody waits for it. */
  async sample(): Promise<void> {
    const { registry, store } = this.#host;
    for (const sandbox of registry.live) {
      if (sandbox.row.state !== 'running' || sandbox.vm === undefined) continue;
      const usage = await sandbox.vm.usage().catch(() => undefined);
      if (usage === undefined) continue;
      sandbox.usage = { ...usage, peakMemoryMiB: Math.max(usage.peakMemoryMiB, sandbox.usage.peakMemoryMiB) };
      sandbox.place?.residentMiB(usage.residentMiB);
    }
    this.#rounds += 1;
    if (this.#rounds % persistEvery === 0) {
      store.transaction(() => {
        for (const sandbox of registry.live.filter(({ row }) => row.state === 'running')) {
          const { cpuSeconds, peakMemoryMiB } = sandbox.usage;
          const wallSeconds = Math.round(this.#host.clock.monotonicMs() - sandbox.row.acceptedMs) / 1000;
          registry.patch(sandbox, { cpuSeconds, peakMemoryMiB, wallSeconds });
        }
      });
    }
    await this.#reportPressure();
  }

  async #reportPressure(): Promise<void> {
    const { config, resources, events } = this.#host;
    const reading = await resources.read();
    const smallest = { cpus: 1, memoryMiB: 1, diskMiB: 1 };
    const limits = { ...config, hostReserveMiB: 0, maxSandboxes: Number.MAX_SAFE_INTEGER };
    const missing = shortage(limits, smallest, [], reading);
    if (missing !== undefined && !this.#underPressure) {
      events.append('host.pressure', { data: { of: missing.of, message: missing.message } });
    }
    this.#underPressure = missing !== undefined;
  }
}
