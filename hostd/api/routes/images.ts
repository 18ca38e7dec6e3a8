import { z } from 'zod';
import {
  buildImageSchema,
  buildLineSchema,
  imageListSchema,
  imageSchema,
  nameSchema,
  type BuildLine,
} from '../../contract/index.ts';
import type { BuildProgress, ImageBuildRequest } from '../../guest/image/image.ts';
import { toKnownError } from '../known-error.ts';
import { keepAlive } from '../paced.ts';
import { toProblem } from '../problem.ts';
import { defineRoute, type Exchange, type Reply, type Route } from '../route.ts';

const imageParams = z.object({ name: nameSchema });

export const imageRoutes: readonly Route[] = [
  defineRoute({
    id: 'buildImage',
    method: 'POST',
    path: '/v1/images',
    tag: 'images',
    summary:
      'Build an image and its first template. The build goes on when the client leaves; asked again, it is joined.',
    body: buildImageSchema,
    success: {
      200: {
        description: 'Progress as lines of JSON, then the image or the error.',
        content: { 'application/x-ndjson': buildLineSchema },
      },
    },
    errors: ['image-build-failed', 'image-exists', 'host-disk-full'],
    stream: 'build',
    handle: async ({ body }, exchange) => followBuild(toBuildRequest(body), exchange),
  }),
  defineRoute({
    id: 'listImages',
    method: 'GET',
    path: '/v1/images',
    tag: 'images',
    summary: 'List the images.',
    success: { 200: { description: 'The images.', content: { 'application/json': imageListSchema } } },
    errors: [],
    handle: async (_input, { host }) => ({ status: 200, json: { images: await host.images.list() } }),
  }),
  defineRoute({
    id: 'getImage',
    method: 'GET',
    path: '/v1/images/{name}',
    tag: 'images',
    summary: 'Describe an image.',
    params: imageParams,
    success: { 200: { description: 'The image.', content: { 'application/json': imageSchema } } },
    errors: ['image-not-found', 'image-broken'],
    handle: async ({ params }, { host }) => ({ status: 200, json: await host.images.get(params.name) }),
  }),
  defineRoute({
    id: 'removeImage',
    method: 'DELETE',
    path: '/v1/images/{name}',
    tag: 'images',
    summary: 'Remove an image and its templates.',
    params: imageParams,
    success: { 204: { description: 'It is gone.' } },
    errors: ['image-not-found', 'image-in-use'],
    handle: async ({ params }, { host }) => {
      await host.images.remove(params.name);
      return { status: 204 };
    },
  }),
];

function toBuildRequest(body: z.output<typeof buildImageSchema>): ImageBuildRequest {
  const { from, ...rest } = body;
  return { ...rest, ...(from === undefined ? {} : { suite: from }) };
}

/** Answers a plain problem when the build is refused at once; from the first progress on everything is a line. */
async function followBuild(
  request: ImageBuildRequest,
  { host, response, requestId, log, signal, keepAliveMs }: Exchange,
): Promise<Reply | undefined> {
  const send = (line: BuildLine) => {
    if (response.destroyed || response.writableEnded) return;
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
    response.write(`${JSON.stringify(line)}\n`);
  };
  const life = keepAlive(response, keepAliveMs, () => send({}));
  const onProgress = (progress: BuildProgress) => {
    if (response.writableNeedDrain) return; // a client that does not read misses progress, not the result
    life.heard();
    send({ progress });
  };
  const left = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    const image = await Promise.race([host.images.build(request, onProgress), left]);
    if (image !== undefined) send({ image });
  } catch (thrown) {
    if (!response.headersSent) throw thrown;
    const error = toKnownError(thrown);
    log.warn({ requestId, err: error }, 'image build failed');
    send({ error: toProblem(error, requestId) });
  } finally {
    life.stop();
  }
  response.end();
  return undefined;
}
