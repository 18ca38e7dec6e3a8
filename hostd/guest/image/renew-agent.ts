import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OffshootError } from '../../errors/offshoot-error.ts';
import type { Runner } from '../../platform/run.ts';
import { agentProtocolVersion, type AgentBinary } from './agent-binary.ts';
import { buildFailure } from './build-failure.ts';
import { recipeDigestFrom, digestOf } from './build/plan.ts';
import { makeInitramfs } from './build/initramfs.ts';
import { manifestName, newBuildFolder, publish, readImage } from './image-folders.ts';
import type { Image, ImageManifest } from './image.ts';

/**
 * Puts another agent into an image: only its initramfs is made anew, all else is taken over. Only for the holder of the build lock.
 * Throws `image-build-failed`, `host-disk-full`; the image stays as it was then.
 */
export async function renewAgent(
  image: Image,
  agent: AgentBinary,
  { images, runner }: { images: string; runner: Runner },
): Promise<Image> {
  const { manifest } = image;
  const building = newBuildFolder(images, manifest.name);
  const at = (file: string) => path.join(building, file);
  try {
    await mkdir(building);
    const { initramfs, ...taken } = manifest.files;
    for (const file of Object.values(taken)) await link(path.join(image.directory, file), at(file));
    const parts = { agent: agent.bytes, modulesArchive: at(taken.modules), workDirectory: building };
    await makeInitramfs(runner, parts, at(initramfs));
    await chmod(at(initramfs), 0o644); // the VMM's own user reads it
    const { digest: _earlier, ...before } = manifest;
    const facts: Omit<ImageManifest, 'digest'> = {
      ...before,
      recipeDigest: recipeDigestFrom(manifest, agent.digest),
      agentBuild: agent.build,
      agentProtocol: agentProtocolVersion,
      fileSizesBytes: { ...manifest.fileSizesBytes, [initramfs]: (await stat(at(initramfs))).size },
    };
    const renewed = { ...facts, digest: digestOf({ facts, build: randomUUID() }) } satisfies ImageManifest;
    await chmod(building, 0o755);
    await writeFile(at(manifestName), `${JSON.stringify(renewed, null, 2)}\n`, { mode: 0o644 });
    await publish(images, manifest.name, building);
    return await readImage(images, manifest.name);
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    const { code, message } = buildFailure(error, { image: manifest.name, step: 'agent', log: '', lines: [] });
    throw new OffshootError(code, {
      message,
      ...(code === 'image-build-failed' && {
        hint: `Build it again: offshoot image build ${manifest.name} --rebuild.`,
      }),
      details: { image: manifest.name, step: 'agent' },
      cause: error,
    });
  }
}
