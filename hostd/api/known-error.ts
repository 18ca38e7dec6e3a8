import { catalogue } from '../errors/catalogue.ts';
import { isOffshootError, OffshootError } from '../errors/offshoot-error.ts';

/** Any thrown value as an error of the catalogue: the http stack's own refusals get their codes, everything unforeseen is `internal`. */
export function toKnownError(thrown: unknown): OffshootError {
  if (isOffshootError(thrown) && Object.hasOwn(catalogue, thrown.code)) return thrown;
  const { type, status } = facts(thrown);
  switch (type) {
    case 'entity.parse.failed':
      return invalid('The body of the request is not valid JSON.', 'is not valid JSON', thrown);
    case 'entity.too.deep':
      return invalid('The body of the request is nested too deeply.', 'is nested too deeply', thrown);
    case 'request.aborted':
    case 'request.size.invalid':
      return invalid('The body of the request is not complete.', 'is not complete', thrown);
    case 'entity.too.large':
      return new OffshootError('payload-too-large', { cause: thrown });
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new OffshootError('unsupported-media-type', { cause: thrown });
    default:
  }
  // express answers broken percent-encoding in a path with a plain error of status 400
  if (status === 400) return invalid('The path of the request has broken percent-encoding.', 'is not valid', thrown);
  return new OffshootError('internal', { cause: thrown });
}

function invalid(message: string, issue: string, cause: unknown): OffshootError {
  return new OffshootError('invalid-request', {
    message,
    details: { issues: [{ path: '', message: issue }] },
    cause,
  });
}

function facts(thrown: unknown): { type?: unknown; status?: unknown } {
  return typeof thrown === 'object' && thrown !== null ? thrown : {};
}
