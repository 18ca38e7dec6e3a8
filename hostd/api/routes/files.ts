import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  archiveQuerySchema,
  extractQuerySchema,
  extractResultSchema,
  fileEntrySchema,
  fileListSchema,
  fileQuerySchema,
  listFilesQuerySchema,
  writeFileQuerySchema,
  writeResultSchema,
} from '../../contract/index.ts';
import { defineRoute, type Route } from '../route.ts';
import { sandboxParams } from './sandboxes.ts';

const path = '/v1/sandboxes/{sandboxId}/files';
const reading = [
  'sandbox-not-found',
  'sandbox-gone',
  'sandbox-not-running',
  'guest-file-not-found',
  'guest-file-error',
  'guest-unresponsive',
  'guest-protocol',
] as const;
const writing = [...reading, 'guest-disk-full'] as const;

export const fileRoutes: readonly Route[] = [
  defineRoute({
    id: 'readFile',
    method: 'GET',
    path,
    tag: 'files',
    summary: 'Read a file of a sandbox.',
    params: sandboxParams,
    query: fileQuerySchema,
    success: { 200: { description: 'Its bytes.', content: { 'application/octet-stream': 'bytes' } } },
    errors: reading,
    stream: 'transfer',
    handle: async ({ params, query }, { host, response }) =>
      sendStream(response, 'application/octet-stream', await host.files.read(params.sandboxId, query.path)),
  }),
  defineRoute({
    id: 'writeFile',
    method: 'PUT',
    path,
    tag: 'files',
    summary: 'Write a file, whole or not at all.',
    params: sandboxParams,
    query: writeFileQuerySchema,
    upload: ['application/octet-stream'],
    success: { 200: { description: 'It is there.', content: { 'application/json': writeResultSchema } } },
    errors: writing,
    stream: 'transfer',
    handle: async ({ params, query }, { host, upload }) => ({
      status: 200,
      json: await host.files.write(params.sandboxId, query.path, upload(), query.mode),
    }),
  }),
  defineRoute({
    id: 'listFiles',
    method: 'GET',
    path: `${path}/list`,
    tag: 'files',
    summary: 'List a folder.',
    params: sandboxParams,
    query: listFilesQuerySchema,
    success: { 200: { description: 'Its entries.', content: { 'application/json': fileListSchema } } },
    errors: reading,
    handle: async ({ params, query }, { host }) => ({
      status: 200,
      json: { entries: await host.files.list(params.sandboxId, query.path, query.recursive) },
    }),
  }),
  defineRoute({
    id: 'statFile',
    method: 'GET',
    path: `${path}/stat`,
    tag: 'files',
    summary: 'Describe one path without following a symlink at its end.',
    params: sandboxParams,
    query: fileQuerySchema,
    success: { 200: { description: 'The entry.', content: { 'application/json': fileEntrySchema } } },
    errors: reading,
    handle: async ({ params, query }, { host }) => ({
      status: 200,
      json: await host.files.stat(params.sandboxId, query.path),
    }),
  }),
  defineRoute({
    id: 'extractArchive',
    method: 'PUT',
    path: `${path}/archive`,
    tag: 'files',
    summary: 'Unpack a tar archive beneath a folder, which is made if need be.',
    params: sandboxParams,
    query: extractQuerySchema,
    upload: ['application/x-tar'],
    success: { 200: { description: 'What was unpacked.', content: { 'application/json': extractResultSchema } } },
    errors: [...writing, 'unsafe-archive'],
    stream: 'transfer',
    handle: async ({ params, query }, { host, upload }) => ({
      status: 200,
      json: await host.files.extract(params.sandboxId, query.path, upload(), query.owner),
    }),
  }),
  defineRoute({
    id: 'createArchive',
    method: 'GET',
    path: `${path}/archive`,
    tag: 'files',
    summary: 'A file or a folder, or what globs choose of it, as a pax tar archive.',
    params: sandboxParams,
    query: archiveQuerySchema,
    success: { 200: { description: 'The archive.', content: { 'application/x-tar': 'bytes' } } },
    errors: reading,
    stream: 'transfer',
    handle: async ({ params, query }, { host, response }) => {
      const { path: packed, ...choice } = query;
      const archive = await host.files.archive(params.sandboxId, packed, choice);
      return sendStream(response, 'application/x-tar', archive);
    },
  }),
];

/** Sends a stream at the client's pace. When either side fails the connection is cut, so that half never looks like the whole. */
async function sendStream(response: ServerResponse, contentType: string, source: Readable): Promise<undefined> {
  response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' });
  await pipeline(source, response);
  return undefined;
}
