import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { OffshootError } from '../errors/offshoot-error.ts';
import { problemMediaType, toProblem } from './problem.ts';
import { requestIdOf } from './request-id.ts';

/** Node's http server keeps the response that is being written at its socket; its own handler of this event looks at it too. */
type AnsweringSocket = Socket & { _httpMessage?: { headersSent: boolean } | null };

/** Answers with a problem what never became a request: broken HTTP, headers too large or too slow. */
export function answerClientErrors(server: Server, log: Logger): void {
  server.on('clientError', (failure: NodeJS.ErrnoException, socket: AnsweringSocket) => {
    // A socket in the middle of a response can't take another one.
    if (!socket.writable || failure.code === 'ECONNRESET' || socket._httpMessage?.headersSent === true) {
      socket.destroy();
      return;
    }
    const requestId = requestIdOf(undefined);
    const error = toError(failure.code);
    log.info({ requestId, code: error.code, reason: failure.code }, 'refused before it was a request');
    socket.end(rawProblem(error, requestId));
  });
}

function toError(code: string | undefined): OffshootError {
  if (code === 'HPE_HEADER_OVERFLOW') return new OffshootError('headers-too-large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new OffshootError('request-too-slow', { message: 'The headers of the request did not arrive in time.' });
  return new OffshootError('invalid-request', {
    message: 'This is not a valid HTTP/1.1 request.',
    details: { issues: [{ path: '', message: 'is not HTTP/1.1' }], reason: code ?? 'unknown' },
  });
}

function rawProblem(error: OffshootError, requestId: string): string {
  const body = JSON.stringify(toProblem(error, requestId));
  return [
    `HTTP/1.1 ${String(error.status)} ${STATUS_CODES[error.status] ?? 'Error'}`,
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
