import { z } from 'zod';
import {
  buildImageSchema,
  buildLineSchema,
  createExecSchema,
  createSandboxSchema,
  createSnapshotSchema,
  egressPolicyInfoSchema,
  egressPolicySchema,
  egressReportSchema,
  eventSchema,
  execListSchema,
  execSchema,
  extractResultSchema,
  fileEntrySchema,
  fileListSchema,
  forkResultSchema,
  forkSchema,
  hostSchema,
  imageListSchema,
  imageSchema,
  inputResultSchema,
  outputLineSchema,
  pauseSchema,
  problemSchema,
  ptySizeSchema,
  renewSchema,
  sandboxListSchema,
  sandboxSchema,
  signalSchema,
  snapshotListSchema,
  snapshotSchema,
  writeResultSchema,
} from '../contract/index.ts';
import { catalogue, type ErrorCode } from '../errors/catalogue.ts';
import { problemMediaType } from './problem.ts';
import type { Route, Success } from './route.ts';
import { healthSchema } from './routes/host.ts';

type Json = Record<string, unknown>;

const requestSchemas: Record<string, z.ZodType> = {
  CreateSandbox: createSandboxSchema,
  RenewSandbox: renewSchema,
  ForkSandbox: forkSchema,
  PauseSandbox: pauseSchema,
  CreateSnapshot: createSnapshotSchema,
  EgressPolicyInput: egressPolicySchema,
  CreateExec: createExecSchema,
  TerminalSize: ptySizeSchema,
  Signal: signalSchema,
  BuildImage: buildImageSchema,
};

const responseSchemas: Record<string, z.ZodType> = {
  Sandbox: sandboxSchema,
  SandboxList: sandboxListSchema,
  ForkResult: forkResultSchema,
  Snapshot: snapshotSchema,
  SnapshotList: snapshotListSchema,
  EgressPolicy: egressPolicyInfoSchema,
  EgressReport: egressReportSchema,
  Exec: execSchema,
  ExecList: execListSchema,
  OutputLine: outputLineSchema,
  InputResult: inputResultSchema,
  FileEntry: fileEntrySchema,
  FileList: fileListSchema,
  WriteResult: writeResultSchema,
  ExtractResult: extractResultSchema,
  Image: imageSchema,
  ImageList: imageListSchema,
  BuildLine: buildLineSchema,
  Event: eventSchema,
  Host: hostSchema,
  Health: healthSchema,
  Problem: problemSchema,
};

/** Errors any route can answer. */
export const commonErrors: readonly ErrorCode[] = [
  'invalid-request',
  'method-not-allowed',
  'internal',
  'shutting-down',
];
const bodyErrors: readonly ErrorCode[] = ['payload-too-large', 'unsupported-media-type', 'request-too-slow'];

/** The codes a route can answer, in the order of the catalogue. */
export function errorsOf(route: Route): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...commonErrors,
    ...(route.body === undefined ? [] : bodyErrors),
    ...(route.upload === undefined ? [] : (['request-too-slow'] as const)),
    ...(route.stream === undefined ? [] : (['too-many-streams'] as const)),
    ...route.errors,
  ]);
  return [...codes].sort((one, other) => catalogue[one].status - catalogue[other].status);
}

/** The OpenAPI 3.1 document of a route table. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Offshoot', version, description: 'CI builds in their own microVMs, fresh or forked.' },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: { ...components(requestSchemas, 'input'), ...components(responseSchemas, 'output') } },
  };
}

function operation(route: Route): Json {
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      ...parameters(route.headers, 'header'),
    ],
    ...requestBody(route),
    responses: { ...successes(route.success), ...problems(errorsOf(route)) },
  };
}

function parameters(schema: z.ZodObject | undefined, place: 'path' | 'query' | 'header'): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties).map(([name, value]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: value,
  }));
}

function requestBody(route: Route): Json {
  if (route.body !== undefined)
    return { requestBody: { content: { 'application/json': { schema: reference(route.body, 'input') } } } };
  if (route.upload !== undefined)
    return { requestBody: { required: true, content: Object.fromEntries(route.upload.map((type) => [type, {}])) } };
  return {};
}

function successes(all: Record<number, Success>): Json {
  return Object.fromEntries(
    Object.entries(all).map(([status, { description, content = {} }]) => [
      status,
      {
        description,
        ...(Object.keys(content).length === 0
          ? {}
          : { content: Object.fromEntries(Object.entries(content).map(mediaType)) }),
      },
    ]),
  );
}

function mediaType([type, schema]: [string, z.ZodType | 'bytes' | 'text']): [string, Json] {
  if (schema === 'bytes') return [type, {}];
  if (schema === 'text') return [type, { schema: { type: 'string' } }];
  return [type, { schema: reference(schema, 'output') }];
}

function problems(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => catalogue[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [
      String(status),
      {
        description: some.map((code) => `\`${code}\`: ${catalogue[code].title}`).join('\n\n'),
        'x-offshoot-codes': some,
        content: { [problemMediaType]: { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

/** A reference where the schema has a name, else the schema itself. */
function reference(schema: z.ZodType, io: 'input' | 'output'): Json {
  const named = Object.entries(io === 'input' ? requestSchemas : responseSchemas).find(([, one]) => one === schema);
  if (named !== undefined) return { $ref: `#/components/schemas/${named[0]}` };
  return withoutDialect(z.toJSONSchema(schema, { io }));
}

function components(schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(made.schemas).map(([id, schema]) => [id, withoutDialect(schema)]));
}

/** OpenAPI 3.1 names the dialect for the whole document; an `$id` would move the base of the references. */
function withoutDialect(schema: object): Json {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema' && key !== '$id'));
}
