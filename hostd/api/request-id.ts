import { ulid } from 'ulid';

const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The client's X-Request-Id when it is fit for headers and logs, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) ? header : `req_${ulid()}`;
}
