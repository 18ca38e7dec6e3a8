import { isLoopbackUrl, stripCredentials } from './urls.ts';

const names = ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'];

/** The proxy variables of the host in both spellings, without credentials and without proxies on the host's own loopback. */
export function proxyEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const carried: Record<string, string> = {};
  for (const name of names) {
    const value = env[name] ?? env[name.toUpperCase()];
    if (value === undefined || value === '' || /[\n\0]/.test(value)) continue;
    if (name !== 'no_proxy' && isLoopbackUrl(value)) continue;
    carried[name] = carried[name.toUpperCase()] = stripCredentials(value);
  }
  return carried;
}
