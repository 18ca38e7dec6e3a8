import { OffshootError } from '../errors/offshoot-error.ts';
import type { ImageManifest } from '../guest/image/image.ts';
import type { VmShape } from '../vmm/vmm.ts';

export const memoryStepMiB = 256;
export const diskStepMiB = 1024;

export interface ShapeLimits {
  cpus: number;
  memoryMiB: number;
  diskMiB: number;
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}

/**
 * The shape that serves a request: few shapes, so that templates are shared. Throws `invalid-request` below what the
 * image needs and `capacity-impossible` above what the host has.
 */
export function roundShape(requested: VmShape, image: ImageManifest, limits: ShapeLimits): VmShape {
  if (requested.memoryMiB < image.minMemoryMiB) {
    throw new OffshootError('invalid-request', {
      message: `memoryMiB is ${String(requested.memoryMiB)}; the image ${image.name} needs at least ${String(image.minMemoryMiB)}.`,
      hint: `Ask for memoryMiB of ${String(image.minMemoryMiB)} or more.`,
      details: {
        issues: [{ path: 'memoryMiB', message: `must be at least ${String(image.minMemoryMiB)} for this image` }],
        minMemoryMiB: image.minMemoryMiB,
      },
    });
  }
  const shape = {
    cpus: requested.cpus,
    memoryMiB: roundUp(requested.memoryMiB, memoryStepMiB),
    diskMiB: roundUp(Math.max(requested.diskMiB, image.diskMiB), diskStepMiB),
  };
  for (const part of ['cpus', 'memoryMiB', 'diskMiB'] as const) {
    if (shape[part] <= limits[part]) continue;
    throw new OffshootError('capacity-impossible', {
      message: `${part} would be ${String(shape[part])}; this host can give at most ${String(limits[part])}.`,
      details: { limits: { ...limits }, shape },
    });
  }
  return shape;
}
