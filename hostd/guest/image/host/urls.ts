/** A URL without user and password; text that is no URL is given back as it is. */
export function stripCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1');
}

/** True for an address that means another machine inside a sandbox than it does on the host. */
export function isLoopbackUrl(url: string): boolean {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/:?#]*)/i.exec(url)?.[1] ?? url.replace(/:\d+$/, '');
  return host === 'localhost' || host === '[::1]' || host.startsWith('127.');
}
