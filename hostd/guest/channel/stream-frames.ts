import { type FrameType, frameType } from '../protocol/frame.ts';
import { encodeCount, encodeData, encodeFrame, encodeOpen } from '../protocol/frame-encoder.ts';
import type { InputBatch } from './input-queue.ts';

/** A live session as its streams see it. */
export interface StreamTransport {
  readonly tag: number;
  /** The guest is not reading: what can wait (acknowledgements) waits for flush(). */
  readonly congested: boolean;
  send(bytes: Buffer): void;
}

export function sendOpen(transport: StreamTransport, streamId: number, limit: number, fields: Buffer): void {
  transport.send(encodeOpen(transport.tag, streamId, limit, fields));
}

export function sendData(transport: StreamTransport, streamId: number, batch: InputBatch): void {
  transport.send(encodeData(transport.tag, streamId, batch.offset, batch.parts));
}

/** ACK or RESUME: everything before `offset` was consumed, the guest may send up to `limit`. */
export function sendGrant(
  transport: StreamTransport,
  type: FrameType,
  streamId: number,
  offset: number,
  limit: number,
): void {
  transport.send(encodeCount(transport.tag, { type, streamId, offset }, limit));
}

export function sendEof(transport: StreamTransport, streamId: number, finalOffset: number): void {
  transport.send(encodeFrame(transport.tag, { type: frameType.eof, streamId, offset: finalOffset }));
}

export function sendControl(transport: StreamTransport, streamId: number, fields: Buffer): void {
  transport.send(encodeFrame(transport.tag, { type: frameType.control, streamId, offset: 0 }, fields));
}

export function sendClose(transport: StreamTransport, streamId: number): void {
  transport.send(encodeFrame(transport.tag, { type: frameType.close, streamId, offset: 0 }));
}

/** PING or PONG. */
export function sendEcho(transport: StreamTransport, type: FrameType, offset: number, payload: Buffer): void {
  transport.send(encodeFrame(transport.tag, { type, streamId: 0, offset }, payload));
}
