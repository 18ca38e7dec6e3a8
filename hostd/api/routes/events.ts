import { z } from 'zod';
import { eventSchema, eventsQuerySchema, queryIntegerSchema, type OffshootEvent } from '../../contract/index.ts';
import { drained, keepAlive } from '../paced.ts';
import { defineRoute } from '../route.ts';
import { started } from '../started.ts';

const lastEventHeaders = z.object({ 'last-event-id': queryIntegerSchema.optional() });
const reconnectMs = 1_000;

export const eventsRoute = defineRoute({
  id: 'followEvents',
  method: 'GET',
  path: '/v1/events',
  tag: 'events',
  summary:
    'What happens on this host, as server-sent events; Last-Event-ID, or from, continues after an event. Without either a follower gets new events only, and follow=0 all that are kept.',
  query: eventsQuerySchema,
  headers: lastEventHeaders,
  success: { 200: { description: 'Events; data is JSON.', content: { 'text/event-stream': eventSchema } } },
  errors: [],
  stream: 'follower',
  handle: async ({ query, headers }, { host, response, signal, keepAliveMs }) => {
    const afterId = headers['last-event-id'] ?? query.from ?? (query.follow ? host.events.latestId() : undefined);
    const events = await started(
      host.events.stream({
        follow: query.follow,
        signal,
        ...(afterId === undefined ? {} : { afterId }),
        ...(query.sandbox === undefined ? {} : { sandboxId: query.sandbox }),
      }),
    );
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write(`retry: ${String(reconnectMs)}\n\n`);
    const life = keepAlive(response, keepAliveMs, () => response.write(': alive\n\n'));
    try {
      for await (const event of events) {
        life.heard();
        response.write(toServerSentEvent(event));
        await drained(response, signal);
        if (signal.aborted) break;
      }
    } finally {
      life.stop();
    }
    response.end();
    return undefined;
  },
});

function toServerSentEvent(event: OffshootEvent): string {
  return `id: ${String(event.id)}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
