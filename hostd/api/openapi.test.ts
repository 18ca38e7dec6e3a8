import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../errors/catalogue.ts';
import type { Route } from './route.ts';
import { Served } from './testing/served.ts';

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  responses: Record<string, { description: string; 'x-offshoot-codes'?: string[] }>;
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
}

let served: Served;
let document: Document;
let operations: { path: string; method: string; operation: Operation }[];
beforeAll(async () => {
  served = await Served.start();
  document = await served.json<Document>('GET', '/v1/openapi.json');
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

/** Every value of every key of this name, however deep. */
function deep(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [...(name === key ? [inner] : []), ...deep(inner, key)]);
}

const nameOf = (route: Route) => `${route.method} ${route.path}`;

describe('the OpenAPI document', () => {
  it('is of version 3.1 and has exactly the routes that are served', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(described.toSorted()).toEqual(served.api.routes.map(nameOf).toSorted());
  });

  it('is answered by a server that knows each of its routes', async () => {
    for (const { path, method } of operations) {
      const url = path
        .replace('{sandboxId}', 'sbx_x')
        .replace('{execId}', 'exe_x')
        .replace('{name}', 'x')
        .replace('{forkId}', 'frk_x');
      const other = await served.problem(method === 'get' ? 'PATCH' : 'TRACE', url);
      expect(other.code, `${method} ${path}`).toBe('method-not-allowed');
      expect(other.details.allow).toContain(method.toUpperCase());
    }
  });

  it('has only references that resolve', () => {
    const references = deep(document, '$ref').map(String);
    expect(references.length).toBeGreaterThan(50);
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
    for (const reference of new Set(references)) expect(known).toContain(reference);
    expect(deep(document, '$id')).toEqual([]);
  });

  it('names each component at least once', () => {
    const used = new Set(deep(document, '$ref').map((reference) => String(reference).split('/').at(-1)));
    for (const name of Object.keys(document.components.schemas)) expect(used, name).toContain(name);
  });

  it('has unique operation ids and all path parameters, required', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const described = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(described.map(({ name }) => name).toSorted()).toEqual(inPath.toSorted());
      expect(described.every(({ required }) => required)).toBe(true);
    }
  });

  it('names only errors of the catalogue, each under its status', () => {
    for (const { operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        for (const code of response['x-offshoot-codes'] ?? []) {
          expect(Object.keys(catalogue)).toContain(code);
          expect(String(catalogue[code as keyof typeof catalogue].status)).toBe(status);
        }
      }
    }
  });

  it('knows the parameters of queries and headers', () => {
    const output = document.paths['/v1/sandboxes/{sandboxId}/execs/{execId}/output']?.get?.parameters;
    expect(output).toContainEqual(
      expect.objectContaining({
        name: 'from',
        in: 'query',
        required: false,
        schema: expect.objectContaining({ type: 'integer' }) as unknown,
      }),
    );
    const create = document.paths['/v1/sandboxes']?.post?.parameters;
    expect(create).toContainEqual(expect.objectContaining({ name: 'idempotency-key', in: 'header' }));
  });
});

it('every error of the catalogue with an HTTP status is named by a route, or comes before any route', () => {
  const named = new Set(
    operations
      .flatMap(({ operation }) => Object.values(operation.responses))
      .flatMap((response) => response['x-offshoot-codes'] ?? []),
  );
  const beforeRoutes = ['route-not-found', 'headers-too-large'];
  const withStatus = Object.entries(catalogue).filter(([, entry]) => entry.status !== 0);
  expect(withStatus.map(([code]) => code).filter((code) => !named.has(code) && !beforeRoutes.includes(code))).toEqual(
    [],
  );
});
