import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { Host } from '../sandbox/host.ts';
import { checked, noQuery } from './validation.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What a long request is counted as; each kind has a bound of its own. */
export type StreamKind = 'follower' | 'transfer' | 'build';

/** What a handler answers; undefined when it wrote to the response itself. */
export type Reply =
  | { status: number; json: unknown; headers?: Record<string, string> }
  | { status: number; text: string; contentType: string }
  | { status: 204 };

/** One kind of success: what the OpenAPI document says of it. */
export interface Success {
  description: string;
  content?: Record<string, z.ZodType | 'bytes' | 'text'>;
}

/** One request as a handler sees it, besides its checked input. */
export interface Exchange {
  readonly host: Host;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly log: Logger;
  /** Fires when the client is gone or hostd shuts down. */
  readonly signal: AbortSignal;
  /** Silence after which a stream says that it is alive. */
  readonly keepAliveMs: number;
  /** The body as it comes; without `mayIdle` a client that pauses too long is given up. Destroying it leaves the response usable. */
  upload(options?: { mayIdle?: boolean }): Readable;
}

export interface Input<Params, Query, Body, Headers> {
  params: z.output<Params>;
  query: z.output<Query>;
  body: z.output<Body>;
  headers: z.output<Headers>;
}

/** Everything about a route: its handler is registered and its OpenAPI entry written from this one description. */
export interface RouteSpec<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Headers extends z.ZodObject,
> {
  id: string;
  method: Method;
  /** With `{name}` for parameters. */
  path: `/${string}`;
  tag: string;
  summary: string;
  params?: Params;
  query?: Query;
  /** Header names in lower case. */
  headers?: Headers;
  /** A JSON body. */
  body?: Body;
  /** Media types of a body that is streamed. */
  upload?: readonly string[];
  success: Record<number, Success>;
  /** Besides those any route can answer. */
  errors: readonly ErrorCode[];
  stream?: StreamKind;
  handle(input: Input<Params, Query, Body, Headers>, exchange: Exchange): Promise<Reply | undefined>;
}

/** A request whose parameters are checked and whose body is still to come. */
export interface BoundRequest {
  run(body: unknown, exchange: Exchange): Promise<Reply | undefined>;
}

export interface Route {
  readonly id: string;
  readonly method: Method;
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly params: z.ZodObject | undefined;
  readonly query: z.ZodObject | undefined;
  readonly headers: z.ZodObject | undefined;
  readonly body: z.ZodType | undefined;
  readonly upload: readonly string[] | undefined;
  readonly success: Record<number, Success>;
  readonly errors: readonly ErrorCode[];
  readonly stream: StreamKind | undefined;
  /** Throws `invalid-request`. */
  bind(raw: { params: unknown; query: Record<string, unknown>; headers: unknown }): BoundRequest;
}

/** Makes a route of its description, with all input checked before the handler sees it. */
export function defineRoute<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Headers extends z.ZodObject = z.ZodObject,
>(spec: RouteSpec<Params, Query, Body, Headers>): Route {
  const strictQuery = spec.query?.strict();
  return {
    id: spec.id,
    method: spec.method,
    path: spec.path,
    tag: spec.tag,
    summary: spec.summary,
    params: spec.params,
    query: spec.query,
    headers: spec.headers,
    body: spec.body,
    upload: spec.upload,
    success: spec.success,
    errors: spec.errors,
    stream: spec.stream,
    bind: (raw) => {
      const params = spec.params === undefined ? {} : checked(spec.params, raw.params, 'path');
      const query = checked(strictQuery ?? noQuery, raw.query, 'query');
      const headers = spec.headers === undefined ? {} : checked(spec.headers, raw.headers, 'headers');
      return {
        run: (rawBody, exchange) => {
          const body = spec.body === undefined ? undefined : checked(spec.body, rawBody, 'body');
          // Each part was parsed by the schema its type comes from; the compiler can't see that across the optional schemas.
          const input = { params, query, headers, body } as Input<Params, Query, Body, Headers>;
          return spec.handle(input, exchange);
        },
      };
    },
  };
}
