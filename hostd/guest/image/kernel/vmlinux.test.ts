import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { runCheckedBytes } from './decompress.ts';
import { bzImagePayload, detectCompression, extractVmlinux, hasPvhNote, KernelFormatError } from './vmlinux.ts';

function note(name: string, type: number, description: Buffer): Buffer {
  const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
  const header = Buffer.alloc(12);
  header.writeUInt32LE(name.length + 1, 0);
  header.writeUInt32LE(description.length, 4);
  header.writeUInt32LE(type, 8);
  return Buffer.concat([header, padded(Buffer.from(`${name}\0`)), padded(description)]);
}

/** An ELF file of one note segment and some bulk that compresses. */
function elf(notes: Buffer): Buffer {
  const header = Buffer.alloc(64 + 56);
  header.write('\x7fELF', 0, 'latin1');
  header[4] = 2;
  header[5] = 1;
  header.writeBigUInt64LE(64n, 32);
  header.writeUInt16LE(56, 54);
  header.writeUInt16LE(1, 56);
  header.writeUInt32LE(4, 64);
  header.writeBigUInt64LE(120n, 72);
  header.writeBigUInt64LE(BigInt(notes.length), 96);
  return Buffer.concat([header, notes, Buffer.alloc(200_000, 'kernel')]);
}

function bzImage(payload: Buffer): Buffer {
  const setup = Buffer.alloc(3 * 512);
  setup[0x1f1] = 2;
  setup.write('HdrS', 0x202, 'latin1');
  setup.writeUInt16LE(0x020f, 0x206);
  setup.writeUInt32LE(100, 0x248);
  setup.writeUInt32LE(payload.length, 0x24c);
  return Buffer.concat([setup, Buffer.alloc(100, 0x90), payload, Buffer.alloc(50, 0xcc)]);
}

function withLength(compressed: Buffer, plainBytes: number): Buffer {
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(plainBytes);
  return Buffer.concat([compressed, tail]);
}

const pvhNotes = Buffer.concat([note('GNU', 3, Buffer.alloc(20)), note('Xen', 18, Buffer.alloc(8))]);
const kernel = elf(pvhNotes);

describe('vmlinux out of a bzImage', () => {
  it.each([
    ['zstd', () => zstdCompressSync(kernel)],
    ['lz4', () => runCheckedBytes('lz4', ['-lc'], kernel)],
    ['xz', () => runCheckedBytes('xz', ['-c', '--check=crc32'], kernel)],
  ])('is found and decompressed: %s', async (compression, compress) => {
    const payload = withLength(await compress(), kernel.length);
    expect(detectCompression(payload)).toBe(compression);
    expect((await extractVmlinux(bzImage(payload))).equals(kernel)).toBe(true);
  });

  it('is found when gzipped, whose own end is the length, and when stored', async () => {
    expect((await extractVmlinux(bzImage(gzipSync(kernel)))).equals(kernel)).toBe(true);
    expect((await extractVmlinux(bzImage(kernel))).equals(kernel)).toBe(true);
  });

  it('is refused when the length does not match', async () => {
    const image = bzImage(withLength(zstdCompressSync(kernel), kernel.length + 1));
    await expect(extractVmlinux(image)).rejects.toThrow(/instead of/);
  });

  it('is refused without a PVH entry point', async () => {
    const plain = elf(note('Xen', 6, Buffer.alloc(8)));
    await expect(extractVmlinux(bzImage(plain))).rejects.toThrow(KernelFormatError);
    expect(hasPvhNote(plain)).toBe(false);
    expect(hasPvhNote(kernel)).toBe(true);
  });

  it.each([
    ['no header', Buffer.alloc(4096)],
    ['short', Buffer.from('HdrS')],
    ['unknown compression', bzImage(Buffer.alloc(64, 1))],
    ['no kernel inside', bzImage(withLength(zstdCompressSync(Buffer.alloc(100)), 100))],
  ])('is refused: %s', async (_, image) => {
    await expect(extractVmlinux(image)).rejects.toThrow(KernelFormatError);
  });

  it('is refused when the payload lies outside the file', () => {
    const image = bzImage(kernel);
    image.writeUInt32LE(0x7fffffff, 0x24c);
    expect(() => bzImagePayload(image)).toThrow(/outside/);
  });
});
