import { randomFillSync } from 'node:crypto';
import { ulid } from 'ulid';

const sane = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** The client's X-Request-Id when it is fit for headers and logs, else a new one. */
export function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && sane.test(header) ? header : `req_${ulid(undefined, random)}`;
}

const pool = Buffer.alloc(4096);
let used = pool.length;

/** Random numbers from 0 up to, not including, 1, drawn in bulk: ulid's own source asks the kernel for every letter. */
function random(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return (pool[used++] ?? 0) / 256;
}
