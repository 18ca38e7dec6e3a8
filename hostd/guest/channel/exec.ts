import { OffshootError } from '../../errors/offshoot-error.ts';
import type { ExecSink, GuestExec, GuestExecResult, GuestExecSpec, OutputChannel } from '../guest.ts';
import { channels, ProtocolViolation } from '../protocol/frame.ts';
import { parseExecResult } from '../protocol/results.ts';
import type { GuestChannel } from './channel.ts';
import { aborted, protocolError, tooManyStreams } from './errors.ts';
import type { GuestStream } from './guest-stream.ts';
import { StreamLostError } from './stream-setup.ts';
import { execParameters, openFields } from './open-fields.ts';
import type { OutputConsumer } from './output-window.ts';

/** Starts an exec. Throws as Guest.exec does. */
export function startExec(channel: GuestChannel, spec: GuestExecSpec, sink: ExecSink, streamId?: number): GuestExec {
  const fields = openFields('exec', execParameters(spec));
  const id = streamId ?? channel.reserveStreamId();
  return new ChannelExec(channel.openStream({ id, fields: () => fields, consume: toSink(sink) }), spec.stdin);
}

/** Takes up a running exec of an earlier host; undefined when the agent has no such exec. */
export function adoptExec(
  channel: GuestChannel,
  streamId: number,
  receivedBytes: number,
  sink: ExecSink,
): GuestExec | undefined {
  const stream = channel.adoptStream(streamId, 'exec', receivedBytes, toSink(sink));
  return stream === undefined ? undefined : new ChannelExec(stream, true);
}

function toSink(sink: ExecSink): OutputConsumer {
  return (channel, offset, bytes) => {
    const name: OutputChannel = channel === channels.stderr ? 'stderr' : 'stdout';
    return sink.write(name, offset, bytes);
  };
}

const lostResult: GuestExecResult = {
  exitCode: null,
  signalNumber: null,
  timedOut: false,
  oomKilled: false,
  failure: { code: 'stream-lost', message: 'The agent has lost the exec.' },
  userCpuMs: 0,
  systemCpuMs: 0,
  maxRssKiB: 0,
};

class ChannelExec implements GuestExec {
  readonly streamId: number;
  readonly result: Promise<GuestExecResult>;
  readonly #stream: GuestStream;
  readonly #takesInput: boolean;
  #closed = false;

  constructor(stream: GuestStream, takesInput: boolean) {
    this.streamId = stream.id;
    this.#stream = stream;
    this.#takesInput = takesInput;
    this.result = this.#settle();
    this.result.catch(() => undefined);
  }

  get inputConsumedBytes(): number {
    return this.#stream.input.consumedBytes;
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.#stream.over) throw new OffshootError('exec-ended');
    if (!this.#takesInput || this.#stream.input.closed) throw new OffshootError('exec-input-closed');
    try {
      await this.#stream.write(bytes);
    } catch (error) {
      throw error instanceof StreamLostError ? new OffshootError('exec-ended') : error;
    }
  }

  endInput(): void {
    if (this.#takesInput) this.#stream.endInput();
  }

  resize(rows: number, cols: number): void {
    this.#stream.control('resize', [
      ['rows', rows],
      ['cols', cols],
    ]);
  }

  signal(signalNumber: number): void {
    this.#stream.control(`signal-${String(signalNumber)}`, [['signal', signalNumber]]);
  }

  close(): void {
    this.#closed = true;
    this.#stream.close();
  }

  async #settle(): Promise<GuestExecResult> {
    try {
      const end = await this.#stream.ended;
      if (!end.ok && end.error === 'too-many-streams') throw tooManyStreams();
      return parseExecResult(end);
    } catch (error) {
      if (error instanceof ProtocolViolation) throw protocolError(error);
      if (!(error instanceof StreamLostError)) throw error;
      if (this.#closed) throw aborted();
      return lostResult;
    }
  }
}
