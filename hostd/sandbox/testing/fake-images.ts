import { OffshootError } from '../../errors/offshoot-error.ts';
import type { BuildProgress, Image, ImageBuildRequest, ImageStore } from '../../guest/image/image.ts';

/** Images that are only said to exist; a build makes a new digest at once. */
export class FakeImages implements ImageStore {
  readonly images = new Map<string, Image>();
  #builds = 0;

  constructor() {
    this.add('default');
  }

  add(name: string, changes: Partial<Image['manifest']> = {}): Image {
    this.#builds += 1;
    const image: Image = {
      directory: `/images/${name}`,
      manifest: {
        formatVersion: 1,
        name,
        digest: `digest-${name}-${String(this.#builds)}`,
        suite: 'trixie',
        architecture: 'amd64',
        include: [],
        requestDigest: 'request',
        rootDigest: 'root',
        recipeDigest: 'recipe',
        kernelVersion: '6.12',
        agentBuild: 'agent',
        agentProtocol: 1,
        diskMiB: 1500,
        storedMiB: 700,
        minMemoryMiB: 96,
        kernelArguments: ['quiet'],
        createdAt: '2030-01-01T00:00:00.000Z',
        files: { rootDisk: 'root.img', kernel: 'vmlinux', initramfs: 'initramfs', modules: 'modules' },
        fileSizesBytes: {},
        ...changes,
      },
    };
    this.images.set(name, image);
    return image;
  }

  list(): Promise<Image[]> {
    return Promise.resolve([...this.images.values()]);
  }

  get(name: string): Promise<Image> {
    const image = this.images.get(name);
    if (image === undefined) return Promise.reject(new OffshootError('image-not-found'));
    return Promise.resolve(image);
  }

  /** The agent of this hostd is called `agent`. */
  async current(name: string): Promise<Image> {
    const image = await this.get(name);
    return image.manifest.agentBuild === 'agent' ? image : this.add(name, { agentBuild: 'agent' });
  }

  build(request: ImageBuildRequest, onProgress: (progress: BuildProgress) => void): Promise<Image> {
    onProgress({ step: 'root', done: 0, total: 1 });
    return Promise.resolve(this.add(request.name));
  }

  remove(name: string): Promise<void> {
    this.images.delete(name);
    return Promise.resolve();
  }
}
