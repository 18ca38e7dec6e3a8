import { createHash } from 'node:crypto';
import type { ImageManifest } from '../../guest/image/image.ts';
import type { GuestLink } from '../../net/network.ts';
import type { VmShape } from '../../vmm/vmm.ts';

/** Of the files of a template and of how they are made: raise it when either changes. */
export const templateFormat = 3;

/** Everything that can make a restore wrong. */
export interface TemplateIngredients {
  imageDigest: string;
  agentBuild: string;
  shape: VmShape;
  restoreKey: string;
  link: GuestLink;
}

export function ingredientsOf(
  image: ImageManifest,
  shape: VmShape,
  restoreKey: string,
  link: GuestLink,
): TemplateIngredients {
  return { imageDigest: image.digest, agentBuild: image.agentBuild, shape, restoreKey, link };
}

export function templateKey(ingredients: TemplateIngredients): string {
  const { imageDigest, agentBuild, shape, restoreKey, link } = ingredients;
  const parts = [
    templateFormat,
    imageDigest,
    agentBuild,
    [shape.cpus, shape.memoryMiB, shape.diskMiB],
    restoreKey,
    [link.address, link.prefixLength, link.gateway, link.guestMac, link.mtu],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24);
}

/** How the agent learns its address at a cold boot; a restored guest has it already. */
export function linkArguments(link: GuestLink): string[] {
  return [
    `offshoot.address=${link.address}/${String(link.prefixLength)}`,
    `offshoot.gateway=${link.gateway}`,
    `offshoot.mtu=${String(link.mtu)}`,
  ];
}
