import type {
  ExecSink,
  Guest,
  GuestExec,
  GuestExecSpec,
  GuestFiles,
  GuestHello,
  GuestMetrics,
  ResumeIdentity,
} from '../guest.ts';
import type { GuestChannel } from './channel.ts';
import type { CloseReason } from './errors.ts';
import { adoptExec, startExec } from './exec.ts';
import { ChannelFiles } from './files.ts';
import { freezeWorkload, metrics, ping, prepareResume, shutdown, sync, thawWorkload } from './requests.ts';

/** The Guest over a channel that has had its first hello. */
export class ChannelGuest implements Guest {
  readonly files: GuestFiles;
  readonly closed: Promise<CloseReason>;
  readonly #channel: GuestChannel;
  readonly #firstHello: GuestHello;

  constructor(channel: GuestChannel, firstHello: GuestHello) {
    this.#channel = channel;
    this.#firstHello = firstHello;
    this.files = new ChannelFiles(channel);
    this.closed = channel.closed;
  }

  get hello(): GuestHello {
    return this.#channel.hello ?? this.#firstHello;
  }

  prepareResume(identity: ResumeIdentity, timeoutMs: number): Promise<void> {
    return prepareResume(this.#channel, identity, timeoutMs);
  }

  freezeWorkload(timeoutMs: number): Promise<void> {
    return freezeWorkload(this.#channel, timeoutMs);
  }

  thawWorkload(timeoutMs: number): Promise<void> {
    return thawWorkload(this.#channel, timeoutMs);
  }

  exec(spec: GuestExecSpec, sink: ExecSink, streamId?: number): GuestExec {
    return startExec(this.#channel, spec, sink, streamId);
  }

  adoptExec(streamId: number, receivedBytes: number, sink: ExecSink): GuestExec | undefined {
    return adoptExec(this.#channel, streamId, receivedBytes, sink);
  }

  reserveStreamId(floor?: number): number {
    return this.#channel.reserveStreamId(floor);
  }

  metrics(timeoutMs: number): Promise<GuestMetrics> {
    return metrics(this.#channel, timeoutMs);
  }

  sync(timeoutMs: number): Promise<void> {
    return sync(this.#channel, timeoutMs);
  }

  shutdown(timeoutMs: number): Promise<void> {
    return shutdown(this.#channel, timeoutMs);
  }

  ping(timeoutMs: number): Promise<void> {
    return ping(this.#channel, timeoutMs);
  }

  closeStrays(): void {
    this.#channel.closeStrays();
  }

  disconnect(): void {
    this.#channel.disconnect();
  }
}
