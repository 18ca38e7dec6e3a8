import { fdset, fdsetPath, type CommandLinePart } from './command-line-part.ts';
import type { InheritedFile } from './launch-spec.ts';

/** One file of a disk. */
export interface DiskLayer {
  path: string;
  format: 'raw' | 'qcow2';
}

/** A layer as QEMU knows it. */
export interface ChainLayer extends DiskLayer {
  node: string;
}

export const firstLayerDescriptor = 20;

/**
 * The disk: the overlay the guest writes to, a file of the machine's folder, over read-only layers, topmost first. Every layer is named, so
 * the names of backing files inside the images are never followed and a state directory can be moved.
 */
export function diskChain(overlay: { node: string; file: string }, layers: readonly ChainLayer[]): CommandLinePart {
  const nodes = layers.map((layer, index) => ({ ...layer, number: firstLayerDescriptor + index }));
  const args = nodes.toReversed().flatMap((layer, index, all) => {
    const { node, format, number } = layer;
    const options = blockNode({
      node,
      format,
      filename: fdsetPath(number),
      readOnly: true,
      backing: all[index - 1]?.node ?? null,
    });
    return ['-add-fd', fdset(number), '-blockdev', JSON.stringify(options)];
  });
  const top = overlayNode(overlay, nodes[0]?.node ?? null);
  args.push('-blockdev', JSON.stringify(top), '-device', `virtio-blk-device,drive=${overlay.node}`);
  const files = nodes.map(({ number, path }): InheritedFile => ({ kind: 'read', number, target: path }));
  return { args, files };
}

/**
 * Options of the overlay in use, for the command line and for `blockdev-add`. QEMU opens it by its name in the working directory, so that
 * it can open it again read-only when the next overlay takes its place: it then gives up its write lock, and others may read it.
 */
export function overlayNode(overlay: { node: string; file: string }, backing: string | null): Record<string, unknown> {
  return blockNode({ node: overlay.node, format: 'qcow2', filename: overlay.file, readOnly: false, backing });
}

interface NodeOptions {
  node: string;
  format: 'raw' | 'qcow2';
  filename: string;
  readOnly: boolean;
  backing: string | null;
}

// no-flush: a sandbox's disk need not outlive a crash of the host, and a guest's fsync then costs next to nothing.
function blockNode({ node, format, filename, readOnly, backing }: NodeOptions): Record<string, unknown> {
  return {
    'node-name': node,
    driver: format,
    'read-only': readOnly,
    discard: 'unmap',
    cache: { 'no-flush': true },
    ...(format === 'raw' ? {} : { backing }),
    file: { driver: 'file', filename, discard: 'unmap', cache: { 'no-flush': true } },
  };
}
