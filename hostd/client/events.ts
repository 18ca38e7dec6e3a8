import { setTimeout as sleep } from 'node:timers/promises';
import { eventSchema, type OffshootEvent } from '../contract/event.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { readLines } from './lines.ts';
import { isConnectionLoss, type Transport } from './transport.ts';

export interface EventOptions {
  /** Continue after this event; default: from the oldest kept when not following, else only new ones. */
  afterId?: number;
  follow?: boolean;
  sandboxId?: string;
  signal?: AbortSignal;
}

/** Events of one host, each once and in order; with `follow` it goes on over lost connections and restarts until the signal fires. */
export async function* readEvents(transport: Transport, options: EventOptions = {}): AsyncGenerator<OffshootEvent> {
  let afterId = options.afterId;
  for (;;) {
    try {
      const answer = await transport.send({
        method: 'GET',
        path: '/v1/events',
        query: { follow: options.follow ?? false, sandbox: options.sandboxId, from: afterId },
        headers: { accept: 'text/event-stream' },
        signal: options.signal,
      });
      for await (const line of readLines(answer.body)) {
        if (!line.startsWith('data:')) continue;
        const event = eventSchema.parse(JSON.parse(line.slice('data:'.length)));
        afterId = event.id;
        yield event;
      }
    } catch (error) {
      if (options.signal?.aborted === true) return;
      if (!isConnectionLoss(error) || options.follow !== true) throw error;
      if (error instanceof OffshootError && error.code === 'host-unreachable') throw error;
    }
    if (options.follow !== true || options.signal?.aborted === true) return;
    await sleep(200, undefined, { signal: options.signal }).catch(() => undefined);
  }
}
