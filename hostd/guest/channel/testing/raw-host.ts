import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import type { Frame } from '../../protocol/frame.ts';
import { FrameDecoder } from '../../protocol/frame-decoder.ts';
import { type Hello, parseHello } from '../../protocol/hello.ts';
import { encodeResync, nonceBytes, padding, ResyncHunter, sessionTag } from '../../protocol/resync.ts';
import { plainFrame, type PlainFrame } from './host-frames.ts';

/** A session with an agent whose every frame a test sends itself. */
export class RawHost {
  readonly socket: Socket;
  readonly hello: Hello;
  readonly frames: Frame[] = [];
  readonly #tag: number;

  private constructor(socket: Socket, tag: number, hello: Hello, rest: Buffer) {
    this.socket = socket;
    this.hello = hello;
    this.#tag = tag;
    const decoder = new FrameDecoder(tag, (frame) => this.frames.push(frame));
    decoder.push(rest);
    socket.on('data', (chunk: Buffer) => decoder.push(chunk));
  }

  static async connect(socketPath: string): Promise<RawHost> {
    const socket = createConnection(socketPath);
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    const nonce = randomBytes(nonceBytes);
    socket.write(Buffer.concat([padding, encodeResync(nonce)]));
    const hunter = new ResyncHunter(nonce);
    return new Promise((resolve) => {
      const onData = (chunk: Buffer): void => {
        const answer = hunter.push(chunk);
        if (answer === undefined) return;
        socket.off('data', onData);
        resolve(new RawHost(socket, sessionTag(nonce), parseHello(answer.fields), answer.rest));
      };
      socket.on('data', onData);
    });
  }

  send(frame: PlainFrame): void {
    this.socket.write(plainFrame(this.#tag, frame));
  }
}
