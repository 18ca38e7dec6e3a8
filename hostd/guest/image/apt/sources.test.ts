import { mkdtemp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseOsRelease, readHostSources, sourcesForSuite } from './mirror.ts';
import { parseDeb822, parseOneLine, renderDeb822 } from './sources.ts';

const debianSources = `Types: deb deb-src
# where a snapshot would be
URIs: http://mirror.example/debian
Suites: bookworm
 bookworm-updates bookworm-backports
Components: main contrib non-free-firmware
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://security.example/debian-security/
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main

Types: deb-src
URIs: http://src.example/debian
Suites: bookworm
Components: main
`;

const host = { id: 'debian', codename: 'bookworm' };

describe('deb822 sources', () => {
  it('reads fields, continuation lines and comments, and leaves disabled and source-only stanzas out', () => {
    expect(parseDeb822(debianSources)).toEqual([
      {
        uris: ['http://mirror.example/debian'],
        suites: ['bookworm', 'bookworm-updates', 'bookworm-backports'],
        components: ['main', 'contrib', 'non-free-firmware'],
        signedBy: '/usr/share/keyrings/debian-archive-keyring.gpg',
      },
      {
        uris: ['http://security.example/debian-security/'],
        suites: ['bookworm-security'],
        components: ['main'],
        signedBy: '/usr/share/keyrings/debian-archive-keyring.gpg',
      },
    ]);
  });

  it('survives a round trip, inline keys included', () => {
    const key = '-----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mDMEY\n -----END PGP PUBLIC KEY BLOCK-----';
    const source = { uris: ['http://a.example/debian'], suites: ['sid'], components: ['main'], signedBy: key };
    expect(parseDeb822(renderDeb822([source, source]))).toEqual([source, source]);
  });
});

describe('one-line sources', () => {
  it('reads options, comments and several components', () => {
    const text = `# deb http://old.example/debian bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/k.gpg] http://a.example/debian bookworm main contrib # trailing
deb-src http://a.example/debian bookworm main
deb http://b.example/debian bookworm-updates main`;
    expect(parseOneLine(text)).toEqual([
      {
        uris: ['http://a.example/debian'],
        suites: ['bookworm'],
        components: ['main', 'contrib'],
        signedBy: '/usr/share/keyrings/k.gpg',
      },
      { uris: ['http://b.example/debian'], suites: ['bookworm-updates'], components: ['main'] },
    ]);
  });
});

describe('mirror of another suite', () => {
  it('keeps release, updates and security of the host, renamed', () => {
    const mapped = sourcesForSuite(parseDeb822(debianSources), host, { distribution: 'debian', suite: 'trixie' });
    expect(mapped?.map((source) => [source.uris[0], ...source.suites])).toEqual([
      ['http://mirror.example/debian', 'trixie', 'trixie-updates'],
      ['http://security.example/debian-security/', 'trixie-security'],
    ]);
    expect(mapped?.[0]?.components).toEqual(['main']);
  });

  it('leaves out repositories of third parties, even with the same suite name', () => {
    const sources = parseOneLine(`deb http://a.example/debian bookworm main
deb http://tool.example/apt bookworm main
deb [signed-by=/etc/apt/keyrings/tool.gpg] http://tool.example/debian bookworm main
deb http://engine.example/linux/debian bookworm stable
deb http://db.example/debian bookworm-db main`);
    const mapped = sourcesForSuite(sources, host, { distribution: 'debian', suite: 'bookworm' });
    expect(mapped?.map((source) => source.uris[0])).toEqual(['http://a.example/debian']);
  });

  it('takes a mirror whose path does not name the distribution when it is the only one', () => {
    const sources = parseOneLine('deb http://cache.example/repository/apt-proxy/ stable main');
    const mapped = sourcesForSuite(sources, host, { distribution: 'debian', suite: 'trixie' });
    expect(mapped?.map((source) => source.suites)).toEqual([['trixie']]);
  });

  it('is unknown on another distribution and without a release entry', () => {
    const ubuntu = { id: 'ubuntu', codename: 'noble' };
    const trixie = { distribution: 'debian', suite: 'trixie' };
    expect(sourcesForSuite(parseOneLine('deb http://a.example/ubuntu noble main'), ubuntu, trixie)).toBeUndefined();
    const securityOnly = parseOneLine('deb http://a.example/debian-security bookworm-security main');
    expect(sourcesForSuite(securityOnly, host, trixie)).toBeUndefined();
  });

  it('reads all files of an apt directory and ignores the disabled ones', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'offshoot-apt-'));
    await mkdir(path.join(directory, 'sources.list.d'));
    await writeFile(path.join(directory, 'sources.list'), 'deb http://one.example/debian bookworm main\n');
    await writeFile(path.join(directory, 'sources.list.d/b.sources'), debianSources);
    await writeFile(
      path.join(directory, 'sources.list.d/c.list.disabled'),
      'deb http://no.example/debian bookworm main',
    );
    const uris = (await readHostSources(directory)).flatMap((source) => source.uris);
    expect(uris).toEqual([
      'http://one.example/debian',
      'http://mirror.example/debian',
      'http://security.example/debian-security/',
    ]);
  });
});

it('reads os-release', () => {
  expect(parseOsRelease('NAME="Debian"\nVERSION_CODENAME=bookworm\nID=debian\nID_LIKE=x\n')).toEqual(host);
});
