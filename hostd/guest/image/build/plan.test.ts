import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { plainHost } from '../fake-root-builder.ts';
import type { ImageBuildRequest } from '../image.ts';
import { planBuild, recipeDigestOf } from './plan.ts';

const request: ImageBuildRequest = {
  name: 'x',
  recipe: 'default',
  include: [],
  extraCaCertificates: [],
  hostCaBundle: false,
  hostPackageConfig: false,
  rebuild: false,
};
const host = {
  ...plainHost,
  aptSources: [{ uris: ['http://u:secret@mirror.example/debian'], suites: ['bookworm'], components: ['main'] }],
  aptSettings: [{ key: 'Acquire::http::Proxy', value: 'http://u:secret@proxy.example:1' }],
  pip: { settings: { 'index-url': 'https://pip.example/simple' } },
  npm: { settings: { registry: 'https://npm.example/' } },
  proxies: { https_proxy: 'http://proxy.example:1' },
};

describe('what goes into a root disk', () => {
  it('is the same for the same inputs, whatever the name and order', async () => {
    const [one, two] = [
      await planBuild({ ...request, include: ['rsync', 'tree'] }, host),
      await planBuild({ ...request, name: 'y', include: ['tree', 'rsync'] }, host),
    ];
    expect([one.rootDigest, one.requestDigest]).toEqual([two.rootDigest, two.requestDigest]);
  });

  it.each<[string, Partial<ImageBuildRequest>]>([
    ['packages', { include: ['rsync'] }],
    ['suite', { suite: 'bookworm' }],
    ['certificates', { extraCaCertificates: [rootCertificates[0] ?? ''] }],
    ['configuration', { hostPackageConfig: true }],
  ])('changes with the %s', async (_, change) => {
    const [plain, changed] = [await planBuild(request, host), await planBuild({ ...request, ...change }, host)];
    expect(changed.rootDigest).not.toBe(plain.rootDigest);
    expect(changed.requestDigest).not.toBe(plain.requestDigest);
  });

  it('changes with the host, though the request is the same', async () => {
    const like = { ...request, hostPackageConfig: true };
    const [before, proxy, pip] = [
      await planBuild(like, host),
      await planBuild(like, { ...host, proxies: {} }),
      await planBuild(like, { ...host, pip: { settings: {} } }),
    ];
    expect(new Set([before, proxy, pip].map(({ rootDigest }) => rootDigest)).size).toBe(3);
    expect(new Set([before, proxy, pip].map(({ requestDigest }) => requestDigest)).size).toBe(1);
  });

  it('is not touched by what only the manifest says, which makes the image another all the same', async () => {
    const plan = await planBuild(request, host);
    const quieter = { ...plan, recipe: { ...plan.recipe, kernelArguments: ['quiet'] } };
    expect(recipeDigestOf(quieter, 'agent')).not.toBe(recipeDigestOf(plan, 'agent'));
    expect(recipeDigestOf(plan, 'other agent')).not.toBe(recipeDigestOf(plan, 'agent'));
    expect(recipeDigestOf(plan, 'agent')).toBe(recipeDigestOf(await planBuild(request, host), 'agent'));
  });

  it('holds the host’s configuration only when asked, and never a credential', async () => {
    expect((await planBuild(request, host)).guestFiles).toEqual({});
    const plan = await planBuild({ ...request, hostPackageConfig: true }, host);
    expect(plan.guestFiles).toEqual({
      '/etc/apt/apt.conf.d/90offshoot-host': 'Acquire::http::Proxy "http://proxy.example:1";\n',
      '/etc/pip.conf': '[global]\nindex-url = https://pip.example/simple\n',
      '/usr/local/etc/npmrc': 'registry=https://npm.example/\n',
    });
    expect(plan.environment).toMatchObject({ https_proxy: 'http://proxy.example:1' });
    expect(JSON.stringify([plan.guestFiles, plan.environment])).not.toContain('secret');
  });

  it('points programs to the certificates only when there are some', async () => {
    expect((await planBuild(request, host)).environment).not.toHaveProperty('SSL_CERT_FILE');
    const plan = await planBuild({ ...request, extraCaCertificates: [rootCertificates[0] ?? ''] }, host);
    expect(plan.environment).toMatchObject({ PIP_CERT: '/etc/ssl/certs/ca-certificates.crt' });
  });

  it.each<[string, Partial<ImageBuildRequest>]>([
    ['suite', { suite: 'sid' }],
    ['package', { include: ['-o', 'x=y'] }],
    ['certificate', { extraCaCertificates: ['nothing'] }],
    ['recipe', { recipe: '../default' }],
  ])('is refused for a %s that is none', async (_, change) => {
    await expect(planBuild({ ...request, ...change }, host)).rejects.toMatchObject({ code: 'invalid-request' });
  });
});
