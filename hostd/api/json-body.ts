import express from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OffshootError } from '../errors/offshoot-error.ts';
import { Patience } from '../platform/patience.ts';
import type { ApiLimits } from './limits.ts';

const jsonType = /^application\/json\s*(;|$)/i;

/** Reads JSON bodies within the limits; an empty body is an empty object. */
export function jsonBodyReader(
  limits: ApiLimits,
): (request: IncomingMessage, response: ServerResponse) => Promise<unknown> {
  const parse = express.json({ limit: limits.jsonBodyBytes, strict: false, inflate: false, type: () => true, verify });
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
      const patience = new Patience(limits.jsonBodyTimeoutMs, () => {
        reject(
          new OffshootError('request-too-slow', {
            message: `The body did not arrive within ${String(limits.jsonBodyTimeoutMs)} ms.`,
          }),
        );
      });
      parse(request, response, (error?: unknown) => {
        patience.end();
        if (error === undefined) resolve((request as IncomingMessage & { body?: unknown }).body);
        else reject(error as Error);
      });
    });
}

const maxDepth = 64;
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\{}[]');

/** Refuses nesting that no request needs and that would keep the parser, and everybody else, busy for a second. */
function verify(_request: IncomingMessage, _response: ServerResponse, body: Buffer): void {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index];
    if (inString) {
      if (byte === backslash) index += 1;
      else if (byte === quote) inString = false;
      continue;
    }
    if (byte === quote) inString = true;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    if (depth > maxDepth) throw Object.assign(new Error('nested too deeply'), { type: 'entity.too.deep' });
  }
}

function isEmpty(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0;
}
