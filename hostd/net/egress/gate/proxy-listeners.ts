import type { Proxy, ProxyListener } from '../proxy/options.ts';
import type { ProxyListenerSpec } from './messages.ts';

interface Open {
  spec: ProxyListenerSpec;
  listener: ProxyListener;
}

/** Which ports the proxy listens on, as a whole list. */
export class ProxyListeners {
  readonly #proxy: Pick<Proxy, 'listen'>;
  #open: Open[] = [];

  constructor(proxy: Pick<Proxy, 'listen'>) {
    this.#proxy = proxy;
  }

  get size(): number {
    return this.#open.length;
  }

  /** Opens what is missing, closes what is not in the list, leaves the rest; gives the list back with the ports that were free for 0. Rejects when one can't be opened: then none is closed. */
  async set(wanted: readonly ProxyListenerSpec[]): Promise<{ listeners: ProxyListenerSpec[] }> {
    const kept = new Set<Open>();
    const result: ProxyListenerSpec[] = [];
    for (const spec of wanted) {
      const open = this.#open.find((one) => !kept.has(one) && isSame(one, spec)) ?? (await this.#add(spec));
      kept.add(open);
      result.push({ ...spec, port: open.listener.port });
    }
    for (const one of this.#open) if (!kept.has(one)) one.listener.close();
    this.#open = this.#open.filter((one) => kept.has(one));
    return { listeners: result };
  }

  async #add(spec: ProxyListenerSpec): Promise<Open> {
    const open = { spec, listener: await this.#proxy.listen(spec) };
    this.#open.push(open);
    return open;
  }
}

function isSame({ spec, listener }: Open, wanted: ProxyListenerSpec): boolean {
  return (
    spec.address === wanted.address &&
    spec.forPort === wanted.forPort &&
    spec.layer === wanted.layer &&
    (wanted.port === 0 || wanted.port === listener.port)
  );
}
