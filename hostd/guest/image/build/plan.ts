import { createHash } from 'node:crypto';
import { sourcesForSuite } from '../apt/mirror.ts';
import type { AptSource } from '../apt/sources.ts';
import { certificateEnvironment, parsePem, readHostBundle, type TrustedCertificate } from '../certificates.ts';
import { renderAptForGuest } from '../host/apt.ts';
import type { HostConfig } from '../host/host-config.ts';
import { renderNpmrc } from '../host/npm.ts';
import { renderPipConfig } from '../host/pip.ts';
import { stripCredentials } from '../host/urls.ts';
import type { ImageBuildRequest, ImageManifest } from '../image.ts';
import { loadRecipe, packagesOf, suiteOf, type Recipe, type RecipeSuite } from '../recipe.ts';

/** Raised when the same inputs would now make another root disk. */
const builderVersion = 1;

/** All that a build puts into the root disk, decided before anything is made. */
export interface BuildPlan {
  recipe: Recipe;
  suite: RecipeSuite & { name: string };
  packages: readonly string[];
  /** Repositories with their credentials, for the host only; undefined leaves the choice to the bootstrap tool. */
  aptSources: readonly AptSource[] | undefined;
  certificates: readonly TrustedCertificate[];
  /** Guest files that say how to reach packages. */
  guestFiles: Readonly<Record<string, string>>;
  environment: Readonly<Record<string, string>>;
  requestDigest: string;
  rootDigest: string;
}

/** Resolves a request against recipe and host. Throws `invalid-request` and `image-build-failed`. */
export async function planBuild(request: ImageBuildRequest, host: HostConfig): Promise<BuildPlan> {
  const recipe = await loadRecipe(request.recipe);
  const suite = suiteOf(recipe, request.suite);
  const packages = packagesOf(recipe, request.include);
  const given = request.extraCaCertificates.flatMap((pem, index) => parsePem(pem, `Certificate file ${String(index + 1)}`));
  const certificates = [
    ...given,
    ...(request.hostCaBundle ? await readHostBundle() : []),
    ...(request.hostPackageConfig ? host.certificates : []),
  ];
  const aptSources = sourcesForSuite(host.aptSources, host.release, { distribution: suite.distribution, suite: suite.name });
  const guestFiles = request.hostPackageConfig ? hostGuestFiles(host) : {};
  const environment = {
    ...recipe.environment,
    ...(certificates.length > 0 ? certificateEnvironment : {}),
    ...(request.hostPackageConfig ? host.proxies : {}),
  };
  const requestDigest = digestOf({
    recipe: request.recipe,
    suite: suite.name,
    include: [...request.include].sort(),
    given: given.map((certificate) => certificate.fingerprint).sort(),
    hostCaBundle: request.hostCaBundle,
    hostPackageConfig: request.hostPackageConfig,
  });
  const { npmPackages, steps, diskMiB } = recipe;
  const rootDigest = digestOf({
    builderVersion,
    suite: [suite.name, suite.distribution, suite.kernelPackage],
    packages,
    npmPackages,
    steps,
    diskMiB,
    sources: aptSources === undefined ? null : withoutCredentials(aptSources),
    certificates: certificates.map((certificate) => certificate.fingerprint),
    guestFiles,
    environment,
  });
  return { recipe, suite, packages, aptSources, certificates, guestFiles, environment, requestDigest, rootDigest };
}

/** Digest of all that decides whether an image is up to date: its root disk, the agent, and what only its manifest says. */
export function recipeDigestOf(plan: BuildPlan, agentDigest: string): string {
  const { rootDigest } = plan;
  const { minMemoryMiB } = plan.suite;
  return recipeDigestFrom({ rootDigest, minMemoryMiB, kernelArguments: plan.recipe.kernelArguments }, agentDigest);
}

/** The same from what an image's manifest holds of its plan. */
export function recipeDigestFrom(
  { rootDigest, minMemoryMiB, kernelArguments }: Pick<ImageManifest, 'rootDigest' | 'minMemoryMiB' | 'kernelArguments'>,
  agentDigest: string,
): string {
  return digestOf({ root: rootDigest, agent: agentDigest, minMemoryMiB, kernelArguments });
}

/** SHA-256 of a value as JSON, in hex. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

export function withoutCredentials(sources: readonly AptSource[]): AptSource[] {
  return sources.map((source) => ({ ...source, uris: source.uris.map(stripCredentials) }));
}

function hostGuestFiles(host: HostConfig): Record<string, string> {
  const files = {
    '/etc/apt/apt.conf.d/90offshoot-host': renderAptForGuest(host.aptSettings),
    '/etc/pip.conf': renderPipConfig(host.pip) ?? '',
    '/usr/local/etc/npmrc': renderNpmrc(host.npm),
  };
  return Object.fromEntries(Object.entries(files).filter(([, text]) => text !== ''));
}
