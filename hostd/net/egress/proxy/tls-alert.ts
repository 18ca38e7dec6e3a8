import { Buffer } from 'node:buffer';

/** RFC 8446 section 6.2. */
const descriptions = { accessDenied: 49, decodeError: 50, internalError: 80, unrecognizedName: 112 } as const;

export type TlsAlert = keyof typeof descriptions;

/** A fatal alert as a record of its own; before a ServerHello every version of TLS reads it. */
export function tlsAlert(alert: TlsAlert): Buffer {
  return Buffer.from([21, 3, 3, 0, 2, 2, descriptions[alert]]);
}
