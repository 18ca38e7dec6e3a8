import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import type { Host } from '../sandbox/host.ts';
import type { ListenAddress } from './address.ts';
import { createApp } from './app.ts';
import { answerClientErrors } from './client-error.ts';
import { requestGuard } from './guard.ts';
import { defaultApiLimits, OpenStreams, type ApiLimits } from './limits.ts';
import { listen } from './listen.ts';
import { openApiDocument } from './openapi.ts';
import { RequestMetrics } from './request-metrics.ts';
import type { Route } from './route.ts';
import { allRoutes } from './routes.ts';

export interface ApiOptions {
  host: Host;
  log: Logger;
  version: string;
  listen: ListenAddress;
  /** Group of the unix socket. */
  socketGid?: number;
  limits?: Partial<ApiLimits>;
}

export interface ApiServer {
  /** Where it really listens: a tcp port of 0 is replaced. */
  readonly address: ListenAddress;
  readonly routes: readonly Route[];
  /**
   * Accepts nothing more, ends followers and queued requests (they can be taken up again), gives other requests
   * `drainMs` to end and cuts the rest. Idempotent. Sandboxes are not touched.
   */
  stop(): Promise<void>;
}

/** Serves a host over HTTP. Throws `socket-taken`. */
export async function startApi(options: ApiOptions): Promise<ApiServer> {
  const { host, log, version } = options;
  const limits = { ...defaultApiLimits, ...options.limits };
  const streams = new OpenStreams(limits);
  const requestMetrics = new RequestMetrics(streams);
  const shutdown = new AbortController();
  const routes: readonly Route[] = allRoutes({
    version,
    requestMetrics,
    openApi: lazily(() => openApiDocument(routes, version)),
  });
  const guard = requestGuard(options.listen);
  const app = createApp({ host, log, limits, streams, requestMetrics, routes, guard, shutdown: shutdown.signal });
  const server = createHttpServer(limits);
  server.on('request', app);
  server.on('checkExpectation', app);
  answerClientErrors(server, log);
  const address = await listen(server, options.listen, options.socketGid);
  server.on('drop', () => {
    log.warn({ limit: limits.maxConnections }, 'a connection was refused: too many are open');
  });
  server.on('error', (error) => {
    log.error({ err: error }, 'the listener failed');
  });
  let stopping: Promise<void> | undefined;
  return {
    address,
    routes,
    stop: () => {
      stopping ??= stopServer(server, shutdown, limits.drainMs);
      return stopping;
    },
  };
}

function createHttpServer(limits: ApiLimits): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: 0, // uploads may take their time; json-body and upload-stream bound theirs
    keepAliveTimeout: limits.idleConnectionMs,
    connectionsCheckingInterval: Math.min(5_000, Math.ceil(limits.headersTimeoutMs / 3)),
    requireHostHeader: false, // guard answers with a problem instead of an empty 400
    noDelay: true,
  });
  server.maxConnections = limits.maxConnections;
  return server;
}

async function stopServer(server: Server, shutdown: AbortController, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  shutdown.abort();
  server.closeIdleConnections();
  const cut = setTimeout(() => {
    server.closeAllConnections();
  }, drainMs);
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, 50);
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
