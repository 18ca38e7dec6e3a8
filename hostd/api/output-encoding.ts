import { isUtf8 } from 'node:buffer';
import type { ExecInfo, OutputLine } from '../contract/index.ts';
import { outputFrameMediaType } from '../contract/index.ts';
import type { OutputRun } from './output-batch.ts';

/** One form of an exec's output on the wire. */
export interface OutputEncoding {
  contentType: string;
  run(run: OutputRun): readonly (Buffer | string)[];
  /** Says that the next run does not follow on the last; NDJSON lines carry their offsets anyway. */
  gap(nextOffset: number): readonly (Buffer | string)[];
  keepAlive(): Buffer | string;
  end(exec: ExecInfo): readonly (Buffer | string)[];
}

const frameKind = { keepAlive: 0, stdout: 1, stderr: 2, end: 3, gap: 4 } as const;
const headerBytes = 5;
/** Below this a copy is cheaper than one more buffer in the write. */
const copyBelowBytes = 4096;

/** Frames as contract/exec.ts describes them; large chunks go out as they came, without a copy. */
export const frameEncoding: OutputEncoding = {
  contentType: outputFrameMediaType,
  run: (run) => {
    const header = frameHeader(frameKind[run.channel], run.length);
    if (run.length < copyBelowBytes || run.parts.length > 16) return [Buffer.concat([header, ...run.parts])];
    return [header, ...run.parts];
  },
  gap: (nextOffset) => {
    const frame = Buffer.alloc(headerBytes + 8);
    frameHeader(frameKind.gap, 8).copy(frame);
    frame.writeBigUInt64LE(BigInt(nextOffset), headerBytes);
    return [frame];
  },
  keepAlive: () => frameHeader(frameKind.keepAlive, 0),
  end: (exec) => {
    const body = Buffer.from(JSON.stringify(exec));
    return [frameHeader(frameKind.end, body.length), body];
  },
};

function frameHeader(kind: number, length: number): Buffer {
  const header = Buffer.allocUnsafe(headerBytes);
  header[0] = kind;
  header.writeUInt32LE(length, 1);
  return header;
}

/** One JSON object a line. */
export const lineEncoding: OutputEncoding = {
  contentType: 'application/x-ndjson',
  run: (run) => {
    const bytes = run.parts.length === 1 && run.parts[0] !== undefined ? run.parts[0] : Buffer.concat(run.parts);
    return outputLines(run.channel, run.offset, bytes).map(toLine);
  },
  gap: () => [],
  keepAlive: () => '{}\n',
  end: (exec) => [toLine({ end: exec })],
};

function toLine(line: OutputLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Text where it is whole UTF-8; a character cut at either end goes apart as base64, so that the text around it stays readable. */
function outputLines(stream: 'stdout' | 'stderr', offset: number, bytes: Buffer): OutputLine[] {
  if (isUtf8(bytes)) return [{ stream, offset, text: bytes.toString('utf8') }];
  const start = leadingContinuationBytes(bytes);
  const end = bytes.length - trailingPartialBytes(bytes);
  const middle = bytes.subarray(start, end);
  if (start >= end || !isUtf8(middle)) return [{ stream, offset, base64: bytes.toString('base64') }];
  const lines: OutputLine[] = [];
  if (start > 0) lines.push({ stream, offset, base64: bytes.subarray(0, start).toString('base64') });
  lines.push({ stream, offset: offset + start, text: middle.toString('utf8') });
  if (end < bytes.length) lines.push({ stream, offset: offset + end, base64: bytes.subarray(end).toString('base64') });
  return lines;
}

function leadingContinuationBytes(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

function trailingPartialBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}
