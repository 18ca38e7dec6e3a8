import express from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OffshootError } from '../errors/offshoot-error.ts';
import type { ApiLimits } from './limits.ts';

const jsonType = /^application\/json\s*(;|$)/i;

/** Reads JSON bodies within the limits; an empty body is an empty object. */
export function jsonBodyReader(
  limits: ApiLimits,
): (request: IncomingMessage, response: ServerResponse) => Promise<unknown> {
  const parse = express.json({ limit: limits.jsonBodyBytes, strict: false, inflate: false, type: () => true });
  return (request, response) =>
    new Promise((resolve, reject) => {
      if (isEmpty(request)) {
        resolve({});
        return;
      }
      const contentType = request.headers['content-type'];
      if (contentType === undefined || !jsonType.test(contentType)) {
        reject(
          new OffshootError('unsupported-media-type', {
            message: contentType === undefined ? 'The body has no Content-Type.' : 'The body is not application/json.',
          }),
        );
        return;
      }
      const timer = setTimeout(() => {
        reject(
          new OffshootError('request-too-slow', {
            message: `The body did not arrive within ${String(limits.jsonBodyTimeoutMs)} ms.`,
          }),
        );
      }, limits.jsonBodyTimeoutMs);
      parse(request, response, (error?: unknown) => {
        clearTimeout(timer);
        if (error === undefined) resolve((request as IncomingMessage & { body?: unknown }).body);
        else reject(error as Error);
      });
    });
}

function isEmpty(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0;
}
