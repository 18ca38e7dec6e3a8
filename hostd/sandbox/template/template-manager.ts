import { isOffshootError, OffshootError } from '../../errors/offshoot-error.ts';
import type { Image } from '../../guest/image/image.ts';
import type { VmShape } from '../../vmm/vmm.ts';
import type { HostContext } from '../host-context.ts';
import { Semaphore } from '../semaphore.ts';
import { ingredientsOf, templateKey } from './template-key.ts';
import { TemplateMaker, templateOwner } from './template-maker.ts';
import { readTemplates, removeTemplate, touchTemplate, unmakeTemplate, type Template } from './template-store.ts';

const restoreAttempts = 2;
const touchEveryMs = 60_000;

/** The templates of this host: found, made on first need by whoever comes first, shared, and dropped when nobody wants them. */
export class TemplateManager {
  readonly #host: HostContext;
  readonly #maker: TemplateMaker;
  readonly #boots: Semaphore;
  readonly #templates = new Map<string, Template>();
  readonly #making = new Map<string, { imageDigest: string; done: Promise<Template> }>();
  /** Keys whose template was dropped for failing and made anew, and has not worked since. */
  readonly #remade = new Set<string>();

  constructor(host: HostContext) {
    this.#host = host;
    this.#maker = new TemplateMaker(host);
    this.#boots = new Semaphore(host.config.concurrentBoots);
  }

  /** Takes in what is on disk. `usedIds` are those that adopted sandboxes stand on; the rest of the unusable ones goes. */
  async load(usedIds: ReadonlyMap<string, number>): Promise<void> {
    const { templates, debris } = await readTemplates(this.#host.paths.templates);
    for (const template of templates) {
      template.users = usedIds.get(template.manifest.id) ?? 0;
      this.#templates.set(template.manifest.id, template);
    }
    for (const name of debris) if (!usedIds.has(name)) await this.#erase(name);
    await this.dropUnusable();
  }

  /** Those of one image that can be restored. */
  of(imageDigest: string): Template[] {
    return [...this.#templates.values()].filter(
      (template) => !template.retired && template.manifest.imageDigest === imageDigest,
    );
  }

  get count(): number {
    return [...this.#templates.values()].filter((template) => !template.retired).length;
  }

  isMaking(imageDigest: string): boolean {
    return [...this.#making.values()].some((making) => making.imageDigest === imageDigest);
  }

  /** Resolves when nothing is being made. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#making.values()].map(({ done }) => done));
  }

  /** The template of a shape if it is there. */
  existing(image: Image, shape: VmShape): Template | undefined {
    return this.#find(this.#key(image, shape));
  }

  /** The template of a shape, made now if need be; `release` when the sandbox is gone. */
  async acquire(image: Image, shape: VmShape): Promise<Template> {
    let template = this.#find(this.#key(image, shape));
    while (template === undefined || template.retired) template = await this.#make(image, shape);
    template.users += 1;
    const nowMs = this.#host.clock.wallMs();
    if (Math.abs(nowMs - template.lastUsedMs) > touchEveryMs) void touchTemplate(template, nowMs);
    return template;
  }

  async release(id: string): Promise<void> {
    const template = this.#templates.get(id);
    if (template === undefined) {
      // Unmade before this hostd started, and kept for a sandbox that has ended now.
      if (!this.#host.registry.live.some((sandbox) => sandbox.row.templateId === id)) await this.#erase(id);
      return;
    }
    template.users -= 1;
    if (template.retired && template.users <= 0) await this.#remove(template);
  }

  restoreWorked(template: Template): void {
    template.failures = 0;
    this.#remade.delete(template.manifest.key);
  }

  /** True when another attempt makes sense: the same template once more, or a new one in its place. */
  async restoreFailed(template: Template): Promise<boolean> {
    template.failures += 1;
    if (template.failures < restoreAttempts) return true;
    if (template.retired) return true;
    if (this.#remade.has(template.manifest.key)) return false;
    this.#remade.add(template.manifest.key);
    await this.#retire(template, 'restores failed');
    return true;
  }

  /** Drops templates of images that are gone or were built anew, and of other VMMs. */
  async dropUnusable(): Promise<void> {
    const images = await this.#host.images.list();
    const agents = new Map(images.map(({ manifest }) => [manifest.digest, manifest.agentBuild]));
    for (const template of [...this.#templates.values()]) {
      const { imageDigest, agentBuild, restoreKey } = template.manifest;
      if (template.retired) continue;
      if (agents.get(imageDigest) !== agentBuild) await this.#retire(template, 'the image is gone or was built anew');
      else if (restoreKey !== this.#host.vmm.features.restoreKey) await this.#retire(template, 'the VMM has changed');
    }
  }

  #key(image: Image, shape: VmShape): string {
    const { vmm, network } = this.#host;
    return templateKey(ingredientsOf(image.manifest, shape, vmm.features.restoreKey, network.link));
  }

  #find(key: string): Template | undefined {
    return [...this.#templates.values()].find((template) => !template.retired && template.manifest.key === key);
  }

  #make(image: Image, shape: VmShape): Promise<Template> {
    const key = this.#key(image, shape);
    const others = this.#making.get(key);
    if (others !== undefined) return others.done;
    const done = this.#makeWithFallback(image, shape).finally(() => this.#making.delete(key));
    this.#making.set(key, { imageDigest: image.manifest.digest, done });
    return done;
  }

  async #makeWithFallback(image: Image, shape: VmShape): Promise<Template> {
    const { vmm } = this.#host;
    try {
      return await this.#makeOne(image, shape);
    } catch (error) {
      const fallback = vmm.emulatedFallback;
      const bootFailed = isOffshootError(error) && error.code === 'boot-failed' && !this.#host.stopping;
      if (fallback === undefined || !bootFailed) throw error;
      const reason = fallback.features.isolation.reason;
      this.#host.log.warn(
        { error: error.message, reason },
        'KVM does not boot this image; using emulation from now on',
      );
      if (this.#host.vmm === vmm) this.#host.vmm = fallback;
      return this.#makeOne(image, shape);
    }
  }

  async #makeOne(image: Image, shape: VmShape): Promise<Template> {
    const template = await this.#boots.run(() => this.#maker.make(image, shape, this.#host.vmm));
    this.#templates.set(template.manifest.id, template);
    await this.#requireSameImage(image, template);
    const tidied = this.dropUnusable().then(() => this.#dropLeastUsed(template));
    void tidied.catch((error: unknown) => {
      this.#host.log.error({ error }, 'a template could not be dropped');
    });
    return template;
  }

  /** An image that was built anew meanwhile has other files under the same names: a template over the old ones is worth nothing. */
  async #requireSameImage(image: Image, template: Template): Promise<void> {
    const now = await this.#host.images.get(image.manifest.name).catch(() => undefined);
    if (now?.manifest.digest === image.manifest.digest) return;
    await this.#retire(template, 'the image changed while it was made');
    throw new OffshootError('boot-failed', {
      message: `The image ${image.manifest.name} was removed or built anew while the sandbox was created.`,
      hint: 'Try again.',
    });
  }

  async #dropLeastUsed(justMade: Template): Promise<void> {
    const idle = [...this.#templates.values()]
      .filter((template) => template.users === 0 && template !== justMade && !template.retired)
      .sort((a, b) => a.lastUsedMs - b.lastUsedMs);
    const excess = this.#templates.size - this.#host.config.maxTemplates;
    for (const template of idle.slice(0, Math.max(0, excess))) await this.#retire(template, 'the least used');
  }

  async #retire(template: Template, reason: string): Promise<void> {
    template.retired = true;
    await unmakeTemplate(template.files.directory);
    const { id, image, shape } = template.manifest;
    this.#host.events.append('template.dropped', { data: { templateId: id, image, shape, reason } });
    if (template.users <= 0) await this.#remove(template);
  }

  async #remove(template: Template): Promise<void> {
    this.#templates.delete(template.manifest.id);
    await this.#erase(template.manifest.id);
  }

  async #erase(id: string): Promise<void> {
    await removeTemplate(`${this.#host.paths.templates}/${id}`);
    this.#host.store.resources.eraseAll(templateOwner(id));
  }
}
