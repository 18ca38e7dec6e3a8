import type { Request, RequestHandler, Response } from 'express';
import type { ServerResponse } from 'node:http';
import { OffshootError } from '../errors/offshoot-error.ts';
import { openExchange, type ExchangeOptions } from './exchange.ts';
import { jsonBodyReader } from './json-body.ts';
import type { OpenStreams } from './limits.ts';
import { parseQuery } from './query.ts';
import { factsOf } from './request-facts.ts';
import type { Reply, Route } from './route.ts';

export interface DispatchServices extends Omit<ExchangeOptions, 'requestId'> {
  streams: OpenStreams;
}

/** The express handler of a route: checks the input, reads the body, counts long requests, sends the answer. */
export function dispatch(route: Route, services: DispatchServices): RequestHandler {
  const readJson = jsonBodyReader(services.limits);
  return async (request: Request, response: Response) => {
    const facts = factsOf(response);
    facts.route = route.path;
    if (request.method === 'HEAD' && isStreamed(route)) throw methodNotAllowed([route.method]);
    const bound = route.bind({ params: request.params, query: parseQuery(request.url), headers: request.headers });
    const release = route.stream === undefined ? undefined : services.streams.take(route.stream);
    try {
      const body = route.body === undefined ? undefined : await readJson(request, response);
      const exchange = openExchange(request, response, { ...services, requestId: facts.requestId });
      const reply = await bound.run(body, exchange);
      if (reply !== undefined) sendReply(response, reply);
    } catch (thrown) {
      if (services.shutdown.aborted && !response.headersSent && isAbort(thrown))
        throw new OffshootError('shutting-down');
      throw thrown;
    } finally {
      release?.();
    }
  };
}

/** For a path that is known with other methods. */
export function methodNotAllowed(allow: readonly string[]): OffshootError {
  return new OffshootError('method-not-allowed', {
    message: `This route takes ${allow.join(', ')} only.`,
    details: { allow },
  });
}

function isStreamed(route: Route): boolean {
  return route.stream !== undefined;
}

function isAbort(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return thrown.name === 'AbortError' || ('code' in thrown && thrown.code === 'aborted');
}

function sendReply(response: ServerResponse, reply: Reply): void {
  if (response.destroyed) return;
  if ('text' in reply) {
    sendBody(response, reply.status, reply.contentType, Buffer.from(reply.text));
    return;
  }
  if ('json' in reply) {
    for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
    sendBody(response, reply.status, 'application/json', Buffer.from(JSON.stringify(reply.json)));
    return;
  }
  response.writeHead(reply.status);
  response.end();
}

function sendBody(response: ServerResponse, status: number, contentType: string, body: Buffer): void {
  response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': body.length });
  response.end(body);
}
