import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { OffshootError } from '../../errors/offshoot-error.ts';

/** Where distributions keep the bundle of trusted authorities; the first that exists counts. */
const hostBundles = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/cert.pem'];

/** The bundle's path inside a Debian or Ubuntu guest. */
export const guestBundle = '/etc/ssl/certs/ca-certificates.crt';

/** Only the authorities that this image adds: Node brings the usual ones itself, and would parse all of the bundle at every start. */
export const extraBundle = '/etc/offshoot/extra-ca.crt';

/** Variables that make the usual programs, which else bring their own list, trust what the guest trusts. */
export const certificateEnvironment: Readonly<Record<string, string>> = {
  SSL_CERT_FILE: guestBundle,
  PIP_CERT: guestBundle,
  REQUESTS_CA_BUNDLE: guestBundle,
  GIT_SSL_CAINFO: guestBundle,
  CURL_CA_BUNDLE: guestBundle,
  AWS_CA_BUNDLE: guestBundle,
  CARGO_HTTP_CAINFO: guestBundle,
  NODE_EXTRA_CA_CERTS: extraBundle,
};

export interface TrustedCertificate {
  pem: string;
  /** SHA-256 of the DER form, lower-case hex. */
  fingerprint: string;
}

/** The certificates in PEM text, in order. Throws `invalid-request` when there is none or one does not parse. */
export function parsePem(text: string, origin: string): TrustedCertificate[] {
  const blocks =
    text.match(/-----BEGIN (?:TRUSTED )?CERTIFICATE-----[\s\S]*?-----END (?:TRUSTED )?CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0)
    throw new OffshootError('invalid-request', { message: `${origin} holds no PEM certificate.` });
  return blocks.map((block) => {
    try {
      const certificate = new X509Certificate(block);
      return { pem: certificate.toString(), fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase() };
    } catch (error) {
      throw new OffshootError('invalid-request', {
        message: `${origin} holds a certificate that does not parse.`,
        cause: error,
      });
    }
  });
}

/** The host's own bundle; empty when it has none. One damaged entry of it costs only that entry. */
export async function readHostBundle(paths: readonly string[] = hostBundles): Promise<TrustedCertificate[]> {
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return parseLenient(text);
  }
  return [];
}

/** Those of `wanted` that `present` lacks, each once. */
export function missingCertificates(
  wanted: readonly TrustedCertificate[],
  present: readonly TrustedCertificate[],
): TrustedCertificate[] {
  const seen = new Set(present.map((certificate) => certificate.fingerprint));
  return wanted.filter((certificate) => {
    if (seen.has(certificate.fingerprint)) return false;
    seen.add(certificate.fingerprint);
    return true;
  });
}

export function parseLenient(text: string): TrustedCertificate[] {
  const blocks = text.split(/(?<=-----END (?:TRUSTED )?CERTIFICATE-----)/);
  return blocks.flatMap((block) => {
    try {
      return parsePem(block, 'bundle');
    } catch {
      return [];
    }
  });
}
