import { Buffer } from 'node:buffer';
import type { DenialReason } from '../policy/policy.ts';
import type { ProxyFailure } from './options.ts';

const failures = {
  resolve: 'its address could not be looked up',
  dial: 'it did not answer',
  upstream: 'its answer broke off or was no HTTP',
  limit: 'there are too many connections or requests',
} as const satisfies Record<ProxyFailure, string>;

/** The policy says no: 403 with the reason word and the name. `name` must be printable. */
export function denialPage(reason: DenialReason, name: string | undefined, withBody: boolean): Buffer {
  const what = name === undefined ? 'this request' : name;
  return page('403 Forbidden', `Offshoot denied ${what}: ${reason}\n`, withBody);
}

/** The policy says yes, but it does not work: 502. */
export function failurePage(failure: ProxyFailure, name: string | undefined, withBody: boolean): Buffer {
  return page('502 Bad Gateway', `Offshoot could not reach ${name ?? 'the server'}: ${failures[failure]}\n`, withBody);
}

function page(status: string, text: string, withBody: boolean): Buffer {
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${String(Buffer.byteLength(text))}`,
    'Connection: close',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${withBody ? text : ''}`);
}
