import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { OffshootError } from '../errors/offshoot-error.ts';
import { dispatch, methodNotAllowed, type DispatchServices } from './dispatch.ts';
import { toKnownError } from './known-error.ts';
import { sendProblem } from './problem.ts';
import { factsOf, openFacts } from './request-facts.ts';
import { requestIdOf } from './request-id.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { Route } from './route.ts';

export interface AppServices extends DispatchServices {
  routes: readonly Route[];
  requestMetrics: RequestMetrics;
  /** Refuses requests that must not be served at all, for example from a web page; called before anything else. */
  guard: (request: Request) => void;
}

/** The express application of a route table. Every answer that is not a success is a problem. */
export function createApp(services: AppServices): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(observe(services));
  app.use((request, _response, next) => {
    if (services.shutdown.aborted) throw new OffshootError('shutting-down');
    services.guard(request);
    next();
  });
  registerRoutes(app, services);
  app.use((request) => {
    throw new OffshootError('route-not-found', { message: `There is no route ${cut(request.path)}.` });
  });
  app.use(answerErrors(services.log));
  return app;
}

function registerRoutes(app: Express, services: AppServices): void {
  const byPath = Map.groupBy(services.routes, (route) => route.path);
  for (const [path, routes] of byPath) {
    const target = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const route of routes) target[methodName(route)](dispatch(route, services));
    const allow = routes.map((route) => route.method);
    target.all((_request, response) => {
      factsOf(response).route = path;
      throw methodNotAllowed(allow);
    });
  }
}

function methodName(route: Route): 'get' | 'post' | 'put' | 'delete' {
  const names = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;
  return names[route.method];
}

/** Gives each request its id, and logs and counts it when it is over. */
function observe({ log, requestMetrics, limits }: AppServices): RequestHandler {
  return (request, response, next) => {
    const startedMs = performance.now();
    const requestId = requestIdOf(request.headers['x-request-id']);
    const facts = openFacts(response, requestId);
    response.setHeader('X-Request-Id', requestId);
    requestMetrics.opened();
    response.once('finish', () => {
      discardRest(request, limits.lingerMs);
    });
    response.once('close', () => {
      const durationMs = performance.now() - startedMs;
      const status = response.writableFinished ? response.statusCode : 499; // the client left before the end
      requestMetrics.closed(request.method, facts.route, status, durationMs);
      const level = facts.route === '/healthz' || facts.route === '/metrics' ? 'debug' : 'info';
      log[level](
        { requestId, method: request.method, path: cut(request.path), status, ms: Math.round(durationMs * 10) / 10 },
        'request',
      );
    });
    next();
  };
}

/** Reads on for a while what a client still sends after its answer, so that it gets to see the answer; then cuts it. */
function discardRest(request: Request, lingerMs: number): void {
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.socket.destroy(), lingerMs);
  request.once('close', () => {
    clearTimeout(timer);
  });
}

function answerErrors(log: Logger): ErrorRequestHandler {
  // express tells error handlers by their four parameters
  return (thrown: unknown, _request, response, _next) => {
    const { requestId } = factsOf(response);
    const error = toKnownError(thrown);
    if (response.destroyed) {
      log.debug({ requestId, code: error.code }, 'nobody waits for this error');
      return;
    }
    if (error.status >= 500 || error.status === 0) {
      log.error({ requestId, code: error.code, err: thrown, details: error.details }, 'request failed');
    }
    if (response.headersSent) {
      log.info({ requestId, code: error.code, reason: error.message }, 'answer cut off');
      response.destroy();
      return;
    }
    sendProblem(response, error, requestId);
  };
}

function cut(path: string): string {
  return path.length <= 200 ? path : `${path.slice(0, 200)}...`;
}
