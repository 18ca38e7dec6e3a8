import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { Host } from '../sandbox/host.ts';
import type { ApiLimits } from './limits.ts';
import type { Exchange } from './route.ts';
import { UploadStream } from './upload-stream.ts';

export interface ExchangeOptions {
  host: Host;
  log: Logger;
  limits: ApiLimits;
  requestId: string;
  /** Fires when hostd stops. */
  shutdown: AbortSignal;
}

/** The exchange of one request; its signal fires as soon as nobody waits for the answer any more. */
export function openExchange(request: IncomingMessage, response: ServerResponse, options: ExchangeOptions): Exchange {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
    options.shutdown.removeEventListener('abort', onShutdown);
  });
  const onShutdown = () => {
    gone.abort();
  };
  options.shutdown.addEventListener('abort', onShutdown);
  if (response.destroyed || options.shutdown.aborted) gone.abort();
  let upload: Readable | undefined;
  return {
    host: options.host,
    request,
    response,
    requestId: options.requestId,
    log: options.log,
    signal: gone.signal,
    keepAliveMs: options.limits.keepAliveMs,
    upload: ({ mayIdle = false } = {}) => {
      upload ??= new UploadStream(request, mayIdle ? undefined : options.limits.uploadIdleTimeoutMs);
      return upload;
    },
  };
}
