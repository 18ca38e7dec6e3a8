import { z } from 'zod';

/** images/NAME/manifest.json: written last, so an image without it does not exist. Files are relative to the image's folder. */
export const imageManifestSchema = z.object({
  formatVersion: z.literal(1),
  name: z.string(),
  /** Changes with every build; a template belongs to one digest. */
  digest: z.string(),
  suite: z.string(),
  architecture: z.literal('amd64'),
  include: z.array(z.string()),
  /** Digest of what the caller asked for; another one under the same name is another image. */
  requestDigest: z.string(),
  /** Digest of all that goes into the root disk (recipe, suite, packages, certificates, configuration): the same means it can be reused. */
  rootDigest: z.string(),
  /** Digest of the root disk's inputs and the agent: the same means nothing to rebuild. */
  recipeDigest: z.string(),
  kernelVersion: z.string(),
  agentBuild: z.string(),
  agentProtocol: z.number().int(),
  diskMiB: z.number().int(),
  /** Allocated on the host's disk. */
  storedMiB: z.number(),
  /** Below it the kernel does not reach a ready agent. */
  minMemoryMiB: z.number().int(),
  /** What this kernel wants on its command line whatever the machine. */
  kernelArguments: z.array(z.string()),
  createdAt: z.iso.datetime(),
  files: z.object({ rootDisk: z.string(), kernel: z.string(), initramfs: z.string(), modules: z.string() }),
  /** Sizes by file name, to notice a damaged image without reading it. */
  fileSizesBytes: z.record(z.string(), z.number().int()),
});

export type ImageManifest = z.infer<typeof imageManifestSchema>;

export interface Image {
  directory: string;
  manifest: ImageManifest;
}

export interface ImageBuildRequest {
  name: string;
  /** A recipe file's name under hostd/guest/image/recipes. */
  recipe: string;
  suite?: string;
  include: readonly string[];
  /** PEM text to be trusted in the guest; `host` takes the host's own bundle. */
  extraCaCertificates: readonly string[];
  hostCaBundle: boolean;
  /** Copies what the host's pip, npm and apt are configured to use. */
  hostPackageConfig: boolean;
  rebuild: boolean;
}

export interface BuildProgress {
  step: string;
  /** Steps done and in all. */
  done: number;
  total: number;
  line?: string;
}

/** Images of one state directory. */
export interface ImageStore {
  list(): Promise<Image[]>;
  /** Throws `image-not-found` or `image-broken`. */
  get(name: string): Promise<Image>;
  /**
   * The image to start sandboxes from: with the agent of this hostd. One that holds another agent, since another hostd built it, gets this one first,
   * and a new digest with it. Throws as get, and `image-build-failed`, `host-disk-full`.
   */
  current(name: string): Promise<Image>;
  /** Builds, or returns what is there when nothing changed. Two callers with the same name share one build. Throws `image-build-failed`, `image-exists`, `host-disk-full`. */
  build(request: ImageBuildRequest, onProgress: (progress: BuildProgress) => void): Promise<Image>;
  /** Idempotent removal of the files. Whether it is in use is the caller's to know. */
  remove(name: string): Promise<void>;
}
