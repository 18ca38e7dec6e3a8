import { FreshRun } from '../../../platform/fresh-run.ts';
import type { TrackedFlow } from '../firewall/tracked-flows.ts';

/** Finds what guests dialled in connections that were led elsewhere. However many ask, a sandbox's connections are read once at a time. */
export class DialledAddresses {
  readonly #flowsOf: (sandboxId: string) => Promise<readonly TrackedFlow[]>;
  readonly #reads = new Map<string, FreshRun<readonly TrackedFlow[]>>();

  constructor(flowsOf: (sandboxId: string) => Promise<readonly TrackedFlow[]>) {
    this.#flowsOf = flowsOf;
  }

  /** One, or none when there is no such connection any more. Rejects when connections can't be read. */
  async addresses(asked: { sandboxId: string; fromPort: number; listenerPort: number }): Promise<readonly string[]> {
    const { sandboxId, fromPort, listenerPort } = asked;
    const read = this.#reads.get(sandboxId) ?? new FreshRun(() => this.#flowsOf(sandboxId));
    this.#reads.set(sandboxId, read);
    const flow = (await read.run()).find(
      ({ transport, seenPort, answeringPort }) =>
        transport === 'tcp' && seenPort === fromPort && answeringPort === listenerPort,
    );
    return flow === undefined ? [] : [flow.address];
  }

  forget(sandboxId: string): void {
    this.#reads.delete(sandboxId);
  }
}
