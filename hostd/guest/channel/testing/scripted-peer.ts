import type { Socket } from 'node:net';
import { encodeFields, type Field } from '../../protocol/fields.ts';
import { frameType } from '../../protocol/frame.ts';
import { CarrierServer } from './carriers.ts';
import { HostFrameDecoder, plainFrame, type PlainFrame, resyncAnswer } from './host-frames.ts';

export const plainHello: Field[] = [
  ['version', 1],
  ['agent', 'scripted'],
  ...['exec', 'read-file', 'write-file', 'list', 'stat', 'metrics', 'sync', 'prepare-resume'].map((name): Field => [
    'capability',
    name,
  ]),
];

export interface PeerSession {
  socket: Socket;
  /** The nth session of this peer, from 0. */
  index: number;
  tag: number;
  send(frame: PlainFrame): void;
  raw(bytes: Buffer): void;
}

/** A guest whose every byte a test decides: it answers RESYNC with `hello` and hands each later frame to `onFrame`. */
export class ScriptedPeer {
  hello: (index: number) => readonly Field[] = () => plainHello;
  onHello: (session: PeerSession) => void = () => undefined;
  onFrame: (session: PeerSession, frame: PlainFrame) => void = () => undefined;
  /** Instead of all of the above. */
  onConnection: ((socket: Socket) => void) | undefined;
  readonly frames: PlainFrame[] = [];
  sessions = 0;
  readonly server: CarrierServer;

  constructor() {
    this.server = new CarrierServer((socket) => {
      if (this.onConnection === undefined) this.#serve(socket);
      else this.onConnection(socket);
    });
  }

  #serve(socket: Socket): void {
    const decoder = new HostFrameDecoder();
    const raw = (bytes: Buffer): void => {
      if (!socket.destroyed) socket.write(bytes);
    };
    let session: PeerSession | undefined;
    socket.on('data', (chunk) =>
      decoder.push(chunk, (frame) => {
        if (frame.type === frameType.resync) {
          const tag = decoder.tag ?? 0;
          session = { socket, index: this.sessions, tag, raw, send: (reply) => raw(plainFrame(tag, reply)) };
          this.sessions += 1;
          raw(resyncAnswer(frame.payload, encodeFields(this.hello(session.index))));
          this.onHello(session);
          return;
        }
        const kept = { ...frame, payload: Buffer.from(frame.payload) };
        this.frames.push(kept);
        if (session !== undefined) this.onFrame(session, kept);
      }),
    );
  }
}

export const dataFrame = (streamId: number, offset: number, payload: Buffer): PlainFrame => ({
  type: frameType.data,
  streamId,
  offset,
  channel: 1,
  payload,
});

export const endFrame = (streamId: number, offset: number, fields: readonly Field[]): PlainFrame => ({
  type: frameType.end,
  streamId,
  offset,
  payload: encodeFields(fields),
});

/** A stream of the agent's list in the hello. */
export function listedStream(id: number, state: Record<string, string | number> = {}): Field {
  const fields = { id, kind: 'exec', received: 0, limit: 65536, base: 0, length: 0, ended: 0, ...state };
  return ['stream', encodeFields(Object.entries(fields))];
}
