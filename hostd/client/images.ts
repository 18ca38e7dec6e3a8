import {
  buildLineSchema,
  imageListSchema,
  imageSchema,
  type BuildImageInput,
  type BuildLine,
  type ImageInfo,
} from '../contract/image.ts';
import { readLines } from './lines.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { errorFromProblem } from './problem.ts';
import type { Transport } from './transport.ts';

export type BuildProgressLine = Extract<BuildLine, { progress: unknown }>['progress'];

/** Images of one host. */
export class Images {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async list(): Promise<ImageInfo[]> {
    return (await this.#transport.json(imageListSchema, { method: 'GET', path: '/v1/images' })).images;
  }

  async get(name: string): Promise<ImageInfo> {
    return this.#transport.json(imageSchema, { method: 'GET', path: `/v1/images/${encodeURIComponent(name)}` });
  }

  /** Builds an image, or returns it when nothing changed. The build goes on in hostd when this client goes away; asking again joins it. */
  async build(
    request: BuildImageInput,
    onProgress: (progress: BuildProgressLine) => void = () => undefined,
    options: { signal?: AbortSignal } = {},
  ): Promise<ImageInfo> {
    const answer = await this.#transport.send({
      method: 'POST',
      path: '/v1/images',
      json: request,
      timeoutMs: 0,
      signal: options.signal,
    });
    for await (const text of readLines(answer.body)) {
      if (text === '') continue;
      const line = buildLineSchema.parse(JSON.parse(text));
      if ('progress' in line) onProgress(line.progress);
      if ('image' in line) return line.image;
      if ('error' in line) throw errorFromProblem(line.error);
    }
    throw new OffshootError('host-unreachable', {
      message: 'hostd went away during the build; asking again joins or repeats it.',
    });
  }

  async remove(name: string): Promise<void> {
    const answer = await this.#transport.send({
      method: 'DELETE',
      path: `/v1/images/${encodeURIComponent(name)}`,
      timeoutMs: 0,
    });
    answer.body.resume();
  }
}
