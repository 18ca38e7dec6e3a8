import { z } from 'zod';
import { hostSchema } from '../../contract/index.ts';
import { renderMetrics } from '../prometheus.ts';
import type { RequestMetrics } from '../request-metrics.ts';
import { defineRoute, type Route } from '../route.ts';

export const healthSchema = z.object({ status: z.literal('ok'), version: z.string() });

export interface HostRouteServices {
  version: string;
  requestMetrics: RequestMetrics;
  openApi: () => unknown;
}

/** The routes about this host itself. */
export function hostRoutes(services: HostRouteServices): readonly Route[] {
  return [
    defineRoute({
      id: 'getHost',
      method: 'GET',
      path: '/v1/host',
      tag: 'host',
      summary: 'What this host is, can hold and holds.',
      success: { 200: { description: 'The host.', content: { 'application/json': hostSchema } } },
      errors: [],
      handle: async (_input, { host }) => ({ status: 200, json: await host.info() }),
    }),
    defineRoute({
      id: 'getHealth',
      method: 'GET',
      path: '/healthz',
      tag: 'host',
      summary: 'Whether hostd serves.',
      success: { 200: { description: 'It does.', content: { 'application/json': healthSchema } } },
      errors: [],
      handle: () => Promise.resolve({ status: 200, json: { status: 'ok', version: services.version } }),
    }),
    defineRoute({
      id: 'getMetrics',
      method: 'GET',
      path: '/metrics',
      tag: 'host',
      summary: 'Counters and gauges for Prometheus.',
      success: { 200: { description: 'The text format 0.0.4.', content: { 'text/plain': 'text' } } },
      errors: [],
      handle: async (_input, { host }) => ({
        status: 200,
        text: renderMetrics([...(await host.metrics()), ...services.requestMetrics.collect()]),
        contentType: 'text/plain; version=0.0.4; charset=utf-8',
      }),
    }),
    defineRoute({
      id: 'getOpenApi',
      method: 'GET',
      path: '/v1/openapi.json',
      tag: 'host',
      summary: 'This interface as an OpenAPI 3.1 document.',
      success: { 200: { description: 'The document.', content: { 'application/json': z.looseObject({}) } } },
      errors: [],
      handle: () => Promise.resolve({ status: 200, json: services.openApi() }),
    }),
  ];
}
