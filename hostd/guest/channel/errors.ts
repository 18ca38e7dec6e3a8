import type { ErrorCode } from '../../errors/catalogue.ts';
import { OffshootError } from '../../errors/offshoot-error.ts';
import { maxStreams, ProtocolViolation } from '../protocol/frame.ts';
import type { EndResult } from '../protocol/results.ts';
import { StreamLostError } from './stream-setup.ts';

export type CloseReason = 'carrier-gone' | 'protocol' | 'disconnected';

/** What everything that waits on a channel fails with when it closes for good. */
export function closedError(reason: CloseReason, violation?: ProtocolViolation): OffshootError {
  const details = { reason };
  switch (reason) {
    case 'carrier-gone':
      return new OffshootError('guest-unresponsive', { message: 'The sandbox is gone.', details });
    case 'disconnected':
      return new OffshootError('shutting-down', { message: 'hostd has let go of the sandbox.', details });
    case 'protocol':
      return protocolError(violation ?? new ProtocolViolation('unknown'));
  }
}

export function protocolError(violation: ProtocolViolation): OffshootError {
  return new OffshootError('guest-protocol', {
    message: `The agent in the sandbox broke the protocol: ${violation.message}.`,
    details: { reason: 'protocol' },
    cause: violation,
  });
}

export function tooManyStreams(): OffshootError {
  return new OffshootError('too-many-streams', {
    message: `The sandbox has ${String(maxStreams)} execs and transfers open, as many as its agent takes.`,
    details: { reason: 'too-many-streams' },
  });
}

export function unresponsive(operation: string, timeoutMs: number): OffshootError {
  return new OffshootError('guest-unresponsive', {
    message: `The sandbox did not answer ${operation} within ${String(timeoutMs)} ms.`,
    details: { reason: 'timeout', operation, timeoutMs },
  });
}

export function aborted(cause?: unknown): OffshootError {
  return new OffshootError('aborted', cause === undefined ? {} : { cause });
}

/** Turns what a stream can fail with into the error of the operation; OffshootErrors pass. */
export function streamError(error: unknown, path?: string): unknown {
  const details = path === undefined ? {} : { path };
  if (error instanceof ProtocolViolation) return protocolError(error);
  if (error instanceof StreamLostError)
    return new OffshootError('guest-file-error', {
      message: 'The agent has lost the transfer.',
      details: { reason: 'stream-lost', ...details },
    });
  return error;
}

const fileCodes = new Map<string, ErrorCode>([
  ['not-found', 'guest-file-not-found'],
  ['no-space', 'guest-disk-full'],
  ['unsafe-path', 'unsafe-archive'],
  ['too-many-streams', 'too-many-streams'],
  ['invalid', 'invalid-request'],
]);

/** The error of a file operation that the agent refused. */
export function fileError(end: Extract<EndResult, { ok: false }>, path: string): OffshootError {
  return new OffshootError(fileCodes.get(end.error) ?? 'guest-file-error', {
    message: end.message === '' ? `${path}: ${end.error}` : end.message,
    details: { reason: end.error, path },
  });
}
