import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAptConfig, renderAptForGuest, renderAptForHost } from './apt.ts';
import { hostNpmFrom, readHostNpm, renderNpmrc } from './npm.ts';
import { readHostPip, renderPipConfig } from './pip.ts';
import { proxyEnvironment } from './proxy.ts';
import { isLoopbackUrl, stripCredentials } from './urls.ts';

describe('credentials', () => {
  it.each([
    ['https://user:secret@mirror.example/simple/', 'https://mirror.example/simple/'],
    ['https://token@mirror.example', 'https://mirror.example'],
    ['http://a:p@ss@mirror.example/x@y', 'http://mirror.example/x@y'],
    ['https://mirror.example/a@b', 'https://mirror.example/a@b'],
    ['mirror.example', 'mirror.example'],
  ])('leave %s', (url, stripped) => {
    expect(stripCredentials(url)).toBe(stripped);
  });

  it('tells what only the host can reach', () => {
    const local = ['http://127.0.0.1:3128', 'http://u:p@localhost:1/', 'https://[::1]:8080', 'localhost:3128'];
    const far = ['http://proxy.example:3128', 'http://10.0.0.1', 'http://[::2]'];
    expect(local.map(isLoopbackUrl)).toEqual(local.map(() => true));
    expect(far.map(isLoopbackUrl)).toEqual(far.map(() => false));
  });
});

describe('pip of the host', () => {
  it('is its files in order, then the environment; find-links and the like stay behind', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'offshoot-pip-'));
    const [first, second] = [path.join(directory, 'a.conf'), path.join(directory, 'b.conf')];
    await writeFile(
      first,
      '[global]\nindex-url = https://old.example/simple\ncert=/host/ca.pem\nfind-links = /host/wheels\n',
    );
    await writeFile(
      second,
      '# c\n[global]\nindex_url: https://u:secret@new.example/simple\nextra-index-url =\n  https://t@x.example/s\n  https://y.example/s\n[freeze]\ntimeout = 1\n',
    );
    const env = { PIP_DEFAULT_TIMEOUT: '180', PIP_PASSWORD: 'secret', OTHER: 'x' };
    const pip = await readHostPip(env, [first, second, path.join(directory, 'none')]);
    expect(pip.certificateFile).toBe('/host/ca.pem');
    const text = renderPipConfig(pip);
    expect(text).toBe(
      '[global]\nindex-url = https://new.example/simple\nextra-index-url = https://x.example/s\n    https://y.example/s\ntimeout = 180\n',
    );
    expect(text).not.toContain('secret');
  });

  it('says nothing when nothing is set', async () => {
    expect(renderPipConfig(await readHostPip({}, []))).toBeUndefined();
  });
});

describe('npm of the host', () => {
  it('has the registry that npm leaves out of its JSON, as its URL has a password', async () => {
    const run = (_command: string, args: readonly string[]) => {
      const stdout = args.includes('--json')
        ? '{"@team:registry":"https://team.example/"}'
        : '; "user" config\n\nregistry = "https://ci:***@npm.example/"\n@team:registry = "https://team.example/"\n';
      return Promise.resolve({ code: 0, signal: null, stdout, stderr: '' });
    };
    const npm = await readHostNpm({ run }, '/');
    expect(npm.settings).toEqual({ registry: 'https://npm.example/', '@team:registry': 'https://team.example/' });
  });

  it('gives registries and proxies, never tokens, passwords or defaults', () => {
    const npm = hostNpmFrom({
      registry: 'https://user:secret@npm.example/',
      '@team:registry': 'https://team.example/',
      '//npm.example/:_authToken': 'secret',
      _auth: 'secret',
      'https-proxy': 'http://127.0.0.1:3128',
      proxy: 'http://proxy.example:3128',
      'strict-ssl': true,
      noproxy: ['a.example', 'b.example'],
      cafile: '/host/ca.pem',
      cache: '/root/.npm',
    });
    expect(renderNpmrc(npm)).toBe(
      'registry=https://npm.example/\n@team:registry=https://team.example/\nproxy=http://proxy.example:3128\nnoproxy=a.example,b.example\n',
    );
    expect(npm.certificateFile).toBe('/host/ca.pem');
  });
});

describe('apt of the host', () => {
  it('gives proxies and checks; the guest gets no credentials and no proxy on loopback', () => {
    const settings = parseAptConfig(
      'APT::Architecture "amd64";\nAcquire::http::Proxy "http://u:secret@proxy.example:3142";\nAcquire::https::Proxy "http://127.0.0.1:3142";\n' +
        'Acquire::Check-Valid-Until "false";\nAcquire::Languages:: "none";\nAcquire::http::Proxy::mirror.example "DIRECT";\n',
    );
    expect(renderAptForHost(settings)).toContain('secret');
    expect(renderAptForGuest(settings)).toBe(
      'Acquire::http::Proxy "http://proxy.example:3142";\nAcquire::Check-Valid-Until "false";\nAcquire::http::Proxy::mirror.example "DIRECT";\n',
    );
  });
});

it('proxy variables come in both spellings without credentials', () => {
  const env = {
    HTTPS_PROXY: 'http://u:secret@proxy.example:1',
    http_proxy: 'http://localhost:1',
    no_proxy: 'localhost,.example',
  };
  expect(proxyEnvironment(env)).toEqual({
    https_proxy: 'http://proxy.example:1',
    HTTPS_PROXY: 'http://proxy.example:1',
    no_proxy: 'localhost,.example',
    NO_PROXY: 'localhost,.example',
  });
});
