import type { ImageInfo } from '../contract/image.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { BuildProgress, Image, ImageBuildRequest } from '../guest/image/image.ts';
import { defaultShape } from './creation-order.ts';
import type { HostContext } from './host-context.ts';
import type { ImageService } from './host.ts';
import { roundShape } from './shape.ts';
import type { TemplateManager } from './template/template-manager.ts';

/** Images with their templates. */
export class LocalImages implements ImageService {
  readonly #host: HostContext;
  readonly #templates: TemplateManager;

  constructor(host: HostContext, templates: TemplateManager) {
    this.#host = host;
    this.#templates = templates;
  }

  async list(): Promise<ImageInfo[]> {
    const images = await this.#host.images.list();
    return images.map((image) => this.#info(image));
  }

  async get(name: string): Promise<ImageInfo> {
    return this.#info(await this.#host.images.get(name));
  }

  async build(request: ImageBuildRequest, onProgress: (progress: BuildProgress) => void): Promise<ImageInfo> {
    const { images, events, admission, vmm } = this.#host;
    const image = await images.build(request, onProgress);
    events.append('image.built', { data: { image: image.manifest.name, digest: image.manifest.digest } });
    await this.#templates.dropUnusable();
    const { limits } = await admission.capacity();
    const memoryMiB = Math.max(defaultShape.memoryMiB, image.manifest.minMemoryMiB);
    const cpus = Math.min(limits.cpus, vmm.features.maxCpus);
    const shape = roundShape({ ...defaultShape, memoryMiB }, image.manifest, { ...limits, cpus });
    onProgress({ step: 'template', done: 0, total: 1 });
    const template = await this.#templates.acquire(image, shape);
    await this.#templates.release(template.manifest.id);
    onProgress({ step: 'template', done: 1, total: 1 });
    return this.#info(image);
  }

  async remove(name: string): Promise<void> {
    const { images, registry, events } = this.#host;
    const image = await images.get(name);
    const sandboxIds = registry.live
      .filter(({ row }) => row.imageDigest === image.manifest.digest)
      .map(({ row }) => row.id);
    if (sandboxIds.length > 0 || this.#templates.isMaking(image.manifest.digest)) {
      throw new OffshootError('image-in-use', { message: `The image ${name} is in use.`, details: { sandboxIds } });
    }
    await images.remove(name);
    await this.#templates.dropUnusable();
    events.append('image.removed', { data: { image: name } });
  }

  #info({ manifest }: Image): ImageInfo {
    return {
      name: manifest.name,
      digest: manifest.digest,
      suite: manifest.suite,
      architecture: manifest.architecture,
      include: manifest.include,
      kernelVersion: manifest.kernelVersion,
      diskMiB: manifest.diskMiB,
      storedMiB: manifest.storedMiB,
      minMemoryMiB: manifest.minMemoryMiB,
      createdAt: manifest.createdAt,
      templates: this.#templates
        .of(manifest.digest)
        .map((template) => ({ ...template.manifest.shape, storedMiB: template.manifest.storedMiB })),
    };
  }
}
