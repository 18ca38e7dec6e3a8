import { finished, Readable } from 'node:stream';
import type { EndResult } from '../protocol/results.ts';
import type { GuestChannel } from './channel.ts';
import { aborted, fileError, streamError } from './errors.ts';
import type { GuestStream } from './guest-stream.ts';
import { openFields } from './open-fields.ts';
import type { Field } from '../protocol/fields.ts';
import type { OutputConsumer } from './output-window.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';

/** One file operation: a stream of the channel with its path, and what may give it up. */
export interface Transfer {
  kind: string;
  path: string;
  parameters: readonly Field[];
  signal: AbortSignal | undefined;
}

/** Opens the transfer's stream. Throws what the operation fails with. */
export function openTransfer(channel: GuestChannel, transfer: Transfer, consume: OutputConsumer): GuestStream {
  const { kind, path, signal } = transfer;
  if (signal?.aborted === true) throw aborted(signal.reason);
  if (channel.hello?.capabilities.has(kind) !== true)
    throw new OffshootError('guest-file-error', {
      message: `The agent of this sandbox knows no ${kind}.`,
      details: { reason: 'unknown-kind', path },
    });
  const fields = openFields(kind, [['path', path], ...transfer.parameters]);
  const stream = channel.openStream({ id: channel.reserveStreamId(), fields: () => fields, consume });
  const onAbort = () => stream.fail(aborted(signal?.reason));
  signal?.addEventListener('abort', onAbort, { once: true });
  stream.ended.finally(() => signal?.removeEventListener('abort', onAbort)).catch(() => undefined);
  return stream;
}

/** The results of the transfer's END, with the stream closed. Throws what the operation fails with. */
export async function finishTransfer(stream: GuestStream, transfer: Transfer): Promise<Record<string, string>> {
  let end: EndResult;
  try {
    end = await stream.ended;
  } catch (error) {
    throw streamError(error, transfer.path);
  } finally {
    stream.close();
  }
  if (!end.ok) throw fileError(end, transfer.path);
  return end.texts;
}

/** Enough to keep the guest busy, little enough to hold for each upload. */
const pauseAboveBytes = 256 * 1024;
const resumeBelowBytes = 128 * 1024;

/**
 * Feeds `content` to the stream at the guest's pace until its end, or until the stream is over. When content fails or is
 * destroyed before its end, the stream fails with `aborted`. Afterwards content has no listeners of ours and is paused.
 */
export function feed(content: Readable, stream: GuestStream): void {
  const onData = (chunk: Buffer | string): void => {
    stream.write(Buffer.from(chunk as Buffer)).catch(() => undefined);
    if (stream.input.backlogBytes > pauseAboveBytes) content.pause();
  };
  stream.onInputConsumed = () => {
    if (!stream.over && content.isPaused() && stream.input.backlogBytes < resumeBelowBytes) content.resume();
  };
  const forget = finished(content, { writable: false }, (error) => {
    if (error != null) stream.fail(aborted(error));
    else stream.endInput();
  });
  stream.ended
    .catch(() => undefined)
    .finally(() => {
      forget();
      content.off('data', onData);
      content.pause();
    });
  content.on('data', onData);
}

/** Guest output as a Readable that grants the guest room only as it is read. Destroying it closes the stream. */
export class OutputReadable extends Readable {
  #waiting: (() => void)[] = [];
  #onDestroy: () => void = () => undefined;

  constructor() {
    super({ highWaterMark: 256 * 1024 });
  }

  readonly consume: OutputConsumer = (_channel, _offset, bytes) => {
    if (this.push(bytes)) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  };

  onDestroy(callback: () => void): void {
    this.#onDestroy = callback;
  }

  override _read(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#onDestroy();
    callback(error);
  }
}
