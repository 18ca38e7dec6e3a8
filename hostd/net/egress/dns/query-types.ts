import { types } from './wire.ts';

/**
 * What becomes of a query by its type, once its name may be resolved.
 *
 * - `addresses`: A. Asked for and answered.
 * - `absent`: answered "no such data" in every mode, without asking. AAAA, as sandboxes have no IPv6 and programs then fall back at once;
 *   HTTPS and SVCB, as they would move clients to encrypted names (ECH), QUIC and addresses of their own choice.
 * - `optional`: data that programs look for and do without: a mail or service record, the zone's own records, signatures. Under `enforce`
 *   "no such data", and no denial: package managers look for SRV records before they ask for the address.
 * - `payload`: TXT, NULL and unknown types carry bytes of anyone's choice. Under `enforce` "no such data", and a denial.
 * - `transfer`: a whole zone (AXFR, IXFR). REFUSED, as servers do for strangers.
 * - `unsupported`: ANY (RFC 8482) and the other types that are no data (128 to 255, RFC 6895 section 3.1). NOTIMP.
 */
export type TypeTreatment = 'addresses' | 'absent' | 'optional' | 'payload' | 'transfer' | 'unsupported';

const absent: readonly number[] = [types.aaaa, types.https, types.svcb];
const transfers: readonly number[] = [types.axfr, types.ixfr];
const optional: readonly number[] = [
  types.ns,
  types.cname,
  types.soa,
  types.ptr,
  types.mx,
  types.srv,
  types.naptr,
  types.ds,
  types.dnskey,
  types.tlsa,
  types.caa,
];

export function treatmentOf(type: number): TypeTreatment {
  if (type === types.a) return 'addresses';
  if (absent.includes(type)) return 'absent';
  if (transfers.includes(type)) return 'transfer';
  if (type === types.opt || (type >= 128 && type <= 255)) return 'unsupported';
  return optional.includes(type) ? 'optional' : 'payload';
}

/** The name that rules are asked about: services are looked for under labels in front of a host's name (`_https._tcp.example.org`), which no rule names. */
export function judgedName(name: string, type: number): string {
  const treatment = treatmentOf(type);
  if (treatment !== 'absent' && treatment !== 'optional') return name;
  const labels = name.split('.');
  const host = labels.findIndex((label) => !label.startsWith('_'));
  return host <= 0 ? name : labels.slice(host).join('.');
}

/** Reverse names and those of discovery: no rule can name them and no program needs them, so their denial is no news. */
export function isInfrastructureName(name: string): boolean {
  return name === 'arpa' || name.endsWith('.arpa');
}
