import { fdset, fdsetPath, type CommandLinePart } from './command-line-part.ts';
import type { InheritedFile } from './launch-spec.ts';

/** The disk chain under the overlay, topmost first. */
export interface DiskLayer {
  path: string;
  format: 'raw' | 'qcow2';
}

const numbers = { overlay: 14, firstLayer: 20 };

/** Every layer is named, so the names of backing files inside the images are never followed and a state directory can be moved. */
export function diskChain(overlayPath: string, layers: readonly DiskLayer[]): CommandLinePart {
  const nodes = layers.map((layer, index) => ({
    ...layer,
    name: `layer${String(index)}`,
    number: numbers.firstLayer + index,
  }));
  const args = nodes.toReversed().flatMap((node, index, all) => {
    const below = all[index - 1];
    const backing = node.format === 'raw' ? {} : { backing: below?.name ?? null };
    return blockdev({ name: node.name, format: node.format, number: node.number, readOnly: true, more: backing });
  });
  args.push(
    ...blockdev({
      name: 'overlay',
      format: 'qcow2',
      number: numbers.overlay,
      readOnly: false,
      more: { backing: nodes[0]?.name ?? null },
    }),
  );
  args.push('-device', 'virtio-blk-device,drive=overlay');
  const files: InheritedFile[] = [{ kind: 'read-write', number: numbers.overlay, target: overlayPath }];
  for (const node of nodes) files.push({ kind: 'read', number: node.number, target: node.path });
  return { args, files };
}

interface BlockNode {
  name: string;
  format: 'raw' | 'qcow2';
  number: number;
  readOnly: boolean;
  more: Readonly<Record<string, string | null>>;
}

// no-flush: a sandbox's disk need not outlive a crash of the host, and a guest's fsync then costs next to nothing.
function blockdev({ name, format, number, readOnly, more }: BlockNode): string[] {
  const node = {
    'node-name': name,
    driver: format,
    'read-only': readOnly,
    discard: 'unmap',
    cache: { 'no-flush': true },
    ...more,
    file: { driver: 'file', filename: fdsetPath(number), discard: 'unmap', cache: { 'no-flush': true } },
  };
  return ['-add-fd', fdset(number), '-blockdev', JSON.stringify(node)];
}
