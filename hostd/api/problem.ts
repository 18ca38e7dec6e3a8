import type { ServerResponse } from 'node:http';
import type { Problem } from '../contract/index.ts';
import { catalogue } from '../errors/catalogue.ts';
import type { OffshootError } from '../errors/offshoot-error.ts';

export const problemMediaType = 'application/problem+json';

/** The RFC 9457 form of an error. Codes without an HTTP status of their own are 500. */
export function toProblem(error: OffshootError, requestId?: string): Problem {
  const entry = catalogue[error.code];
  return {
    type: `urn:offshoot:error:${error.code}`,
    title: entry.title,
    status: entry.status === 0 ? 500 : entry.status,
    detail: error.message,
    code: error.code,
    hint: error.hint,
    retryable: entry.retryable,
    details: error.details,
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Answers with a problem. The headers must not have been sent. */
export function sendProblem(response: ServerResponse, error: OffshootError, requestId: string): void {
  const problem = toProblem(error, requestId);
  const body = Buffer.from(JSON.stringify(problem));
  if (problem.status === 429 || problem.status === 503) {
    if (problem.retryable) response.setHeader('Retry-After', '1');
  }
  if (problem.status === 405 && Array.isArray(error.details.allow)) {
    response.setHeader('Allow', error.details.allow.join(', '));
  }
  response.writeHead(problem.status, { 'Content-Type': problemMediaType, 'Content-Length': body.length });
  response.end(body);
}
