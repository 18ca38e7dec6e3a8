import { systemRunner } from '../../platform/run.ts';
import { version } from '../../version.ts';
import { readAgentBinary } from './agent-binary.ts';
import { planBuild, recipeDigestOf } from './build/plan.ts';
import { readHostConfig } from './host/host-config.ts';

/**
 * print-recipe-digest RECIPE: prints as JSON the `recipeDigest` that the manifest of an image built here now would have, with this host's
 * certificates and package configuration. Who has an image with it from elsewhere need not build one.
 */
const request = { include: [], extraCaCertificates: [], hostCaBundle: true, hostPackageConfig: true, rebuild: false };
const recipe = process.argv[2] ?? 'default';
try {
  const plan = await planBuild({ name: recipe, recipe, ...request }, await readHostConfig(systemRunner, true));
  const recipeDigest = recipeDigestOf(plan, (await readAgentBinary()).digest);
  process.stdout.write(`${JSON.stringify({ version, recipeDigest })}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
