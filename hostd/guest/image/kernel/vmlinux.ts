import { zstdDecompressSync, gunzipSync } from 'node:zlib';
import { runCheckedBytes } from './decompress.ts';

/** Why a kernel stays as it is; booting it compressed still works. */
export class KernelFormatError extends Error {
  override readonly name = 'KernelFormatError';
}

const headerMagic = 'HdrS';
/** payload_offset and payload_length exist since boot protocol 2.08. */
const lowestProtocol = 0x0208;

export type KernelCompression = 'gzip' | 'xz' | 'zstd' | 'lz4' | 'none';

/**
 * Where the compressed kernel lies in a bzImage: setup_sects, payload_offset and payload_length of the x86 boot protocol
 * (Documentation/arch/x86/boot.rst of Linux). Throws KernelFormatError.
 */
export function bzImagePayload(image: Buffer): Buffer {
  if (image.length < 0x250 || image.toString('latin1', 0x202, 0x206) !== headerMagic) {
    throw new KernelFormatError('not a bzImage: no boot header');
  }
  if (image.readUInt16LE(0x206) < lowestProtocol) throw new KernelFormatError('boot protocol older than 2.08');
  const setupSectors = image[0x1f1] || 4;
  const start = (setupSectors + 1) * 512 + image.readUInt32LE(0x248);
  const length = image.readUInt32LE(0x24c);
  if (length < 8 || start + length > image.length) throw new KernelFormatError('the payload lies outside the file');
  return image.subarray(start, start + length);
}

/** Tells the compression by the first bytes. Throws KernelFormatError for one that is not known. */
export function detectCompression(payload: Buffer): KernelCompression {
  const starts = (hex: string) => payload.subarray(0, hex.length / 2).toString('hex') === hex;
  if (starts('28b52ffd')) return 'zstd';
  if (starts('02214c18')) return 'lz4';
  if (starts('fd377a585a00')) return 'xz';
  if (starts('1f8b08')) return 'gzip';
  if (starts('7f454c46')) return 'none';
  throw new KernelFormatError(`unknown compression (${payload.subarray(0, 6).toString('hex')})`);
}

/**
 * The uncompressed ELF kernel inside a bzImage, checked for the PVH entry note without which QEMU can not start it.
 * Throws KernelFormatError when there is none; the bzImage is to be booted then.
 */
export async function extractVmlinux(image: Buffer): Promise<Buffer> {
  const payload = bzImagePayload(image);
  const compression = detectCompression(payload);
  const kernel = await decompress(payload, compression);
  if (kernel.length < 64 || kernel.toString('latin1', 1, 4) !== 'ELF')
    throw new KernelFormatError('the payload is no ELF file');
  if (!hasPvhNote(kernel)) throw new KernelFormatError('the kernel has no PVH entry point');
  return kernel;
}

/** All but gzip carry the uncompressed length in four more bytes at the end (scripts/Makefile.lib of Linux, size_append). */
async function decompress(payload: Buffer, compression: KernelCompression): Promise<Buffer> {
  const body = payload.subarray(0, payload.length - 4);
  const expected = payload.readUInt32LE(payload.length - 4);
  switch (compression) {
    case 'none':
      return payload;
    case 'gzip':
      return gunzipSync(payload);
    case 'zstd':
      return checked(zstdDecompressSync(body), expected);
    case 'lz4':
      return checked(await runCheckedBytes('lz4', ['-dc'], body), expected);
    case 'xz':
      return checked(await runCheckedBytes('xz', ['-dc'], body), expected);
  }
}

function checked(kernel: Buffer, expectedBytes: number): Buffer {
  if (kernel.length === expectedBytes) return kernel;
  throw new KernelFormatError(`decompressed to ${String(kernel.length)} bytes instead of ${String(expectedBytes)}`);
}

const noteSegment = 4;
/** XEN_ELFNOTE_PHYS32_ENTRY of xen/interface/elfnote.h. */
const pvhEntryNote = 18;

/** True when a 64-bit little-endian ELF file has the note that names its 32-bit PVH entry point. */
export function hasPvhNote(elf: Buffer): boolean {
  if (elf.length < 64 || elf[4] !== 2 || elf[5] !== 1) return false;
  const tableOffset = Number(elf.readBigUInt64LE(32));
  const [entrySize, entries] = [elf.readUInt16LE(54), elf.readUInt16LE(56)];
  if (entrySize < 56 || tableOffset + entrySize * entries > elf.length) return false;
  for (let index = 0; index < entries; index++) {
    const header = elf.subarray(tableOffset + index * entrySize, tableOffset + (index + 1) * entrySize);
    if (header.readUInt32LE(0) !== noteSegment) continue;
    const offset = Number(header.readBigUInt64LE(8));
    if (notesHavePvhEntry(elf.subarray(offset, offset + Number(header.readBigUInt64LE(32))))) return true;
  }
  return false;
}

function notesHavePvhEntry(notes: Buffer): boolean {
  const aligned = (size: number) => (size + 3) & ~3;
  let at = 0;
  while (at + 12 <= notes.length) {
    const [nameSize, descriptionSize, type] = [
      notes.readUInt32LE(at),
      notes.readUInt32LE(at + 4),
      notes.readUInt32LE(at + 8),
    ];
    const name = notes.toString('latin1', at + 12, at + 12 + Math.max(0, nameSize - 1));
    if (name === 'Xen' && type === pvhEntryNote) return true;
    at += 12 + aligned(nameSize) + aligned(descriptionSize);
  }
  return false;
}
