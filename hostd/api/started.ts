import { setTimeout as sleep } from 'node:timers/promises';

/** Long enough for a refusal to show, short enough for nobody to notice. */
const refusalMs = 20;

/**
 * Asks for the first item at once and waits a moment for it, so that a source that refuses to begin does so before any header is sent:
 * rejects with its error. Resolves with all its items.
 */
export async function started<Item>(source: AsyncIterable<Item>): Promise<AsyncIterable<Item>> {
  const iterator = source[Symbol.asyncIterator]();
  const first = iterator.next();
  const moment = new AbortController();
  try {
    await Promise.race([first, sleep(refusalMs, undefined, { signal: moment.signal }).catch(() => undefined)]);
  } finally {
    moment.abort();
  }
  return itemsFrom(first, iterator);
}

async function* itemsFrom<Item>(
  first: Promise<IteratorResult<Item, unknown>>,
  iterator: AsyncIterator<Item>,
): AsyncGenerator<Item> {
  try {
    for (let step = await first; step.done !== true; step = await iterator.next()) yield step.value;
  } finally {
    await iterator.return?.();
  }
}
