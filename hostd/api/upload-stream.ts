import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { OffshootError } from '../errors/offshoot-error.ts';
import { Patience } from '../platform/patience.ts';

/**
 * A request's body as a stream of its own: its reader may destroy it without losing the connection that the answer goes over.
 * With `idleTimeoutMs` it fails with `request-too-slow` when the client sends nothing for so long while bytes are wanted;
 * a reader that takes its time does not count. It fails with `aborted` when the client leaves before the end.
 */
export class UploadStream extends Readable {
  readonly #request: IncomingMessage;
  readonly #idleTimeoutMs: number | undefined;
  #patience: Patience | undefined;

  constructor(request: IncomingMessage, idleTimeoutMs: number | undefined) {
    super({ highWaterMark: 256 * 1024 });
    // Its reader may have left, or not have come yet, when the client breaks off: that must not end hostd. Readers still get the error.
    this.on('error', () => undefined);
    this.#request = request;
    this.#idleTimeoutMs = idleTimeoutMs;
    request.pause();
    request.on('data', this.#onData);
    request.on('end', this.#onEnd);
    request.on('error', this.#onGone);
    request.on('close', this.#onClose);
    if (request.destroyed && !request.complete) this.#onGone();
  }

  override _read(): void {
    this.#watch();
    this.#request.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#detach();
    callback(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.push(chunk)) {
      this.#patience?.refresh();
      return;
    }
    this.#unwatch();
    this.#request.pause();
  };

  readonly #onEnd = (): void => {
    this.#unwatch();
    this.push(null);
  };

  readonly #onClose = (): void => {
    if (!this.#request.complete) this.#onGone();
  };

  readonly #onGone = (): void => {
    this.destroy(new OffshootError('aborted', { message: 'The client left before the end of the body.' }));
  };

  #watch(): void {
    if (this.#idleTimeoutMs === undefined || this.#patience !== undefined) return;
    this.#patience = new Patience(this.#idleTimeoutMs, () => {
      this.destroy(
        new OffshootError('request-too-slow', {
          message: `The body paused for more than ${String(this.#idleTimeoutMs)} ms.`,
        }),
      );
    });
  }

  #unwatch(): void {
    this.#patience?.end();
    this.#patience = undefined;
  }

  #detach(): void {
    this.#unwatch();
    this.#request.off('data', this.#onData);
    this.#request.off('end', this.#onEnd);
    this.#request.off('close', this.#onClose);
    // the error listener stays: a connection lost later must not become an uncaught error
  }
}
