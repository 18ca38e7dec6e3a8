import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { missingCertificates, parsePem, readHostBundle } from './certificates.ts';

const [one = '', two = '', three = ''] = rootCertificates;
const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';

describe('certificates', () => {
  it('are read from PEM text with comments between them', () => {
    const parsed = parsePem(`# one\n${one}\nText: two\n${two}\n`, 'extra.pem');
    expect(parsed).toHaveLength(2);
    expect(parsed[0]?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ['nothing', '', /holds no PEM/],
    ['a private key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----', /holds no PEM/],
    ['a damaged one', damaged, /does not parse/],
  ])('are refused from a file that holds %s', (_, text, message) => {
    expect(() => parsePem(text, 'extra.pem')).toThrow(message);
  });

  it('that the guest has already are not added, nor one twice', () => {
    const present = parsePem(one, 'a');
    const wanted = parsePem([one, two, three, two].join('\n'), 'b');
    expect(missingCertificates(wanted, present)).toEqual(parsePem(`${two}\n${three}`, 'c'));
  });

  it('of the host survive one damaged entry and a missing bundle', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'offshoot-ca-'));
    const bundle = path.join(directory, 'bundle.crt');
    await writeFile(bundle, `${one}\n${damaged}\n${two}\n`);
    expect(await readHostBundle([path.join(directory, 'none'), bundle])).toHaveLength(2);
    expect(await readHostBundle([path.join(directory, 'none')])).toEqual([]);
  });
});
