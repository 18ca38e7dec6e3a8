import { OffshootError } from '../errors/offshoot-error.ts';

/** Where a hostd listens. */
export type HostAddress = { kind: 'unix'; path: string } | { kind: 'tcp'; origin: string };

export const defaultHost = 'unix:/run/offshoot/hostd.sock';

/** Parses `unix:PATH`, `tcp:HOST:PORT`, `http://HOST:PORT` or `https://HOST:PORT`. Throws `usage`. */
export function parseHostAddress(text: string): HostAddress {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    if (path === '') throw unusable(text);
    return { kind: 'unix', path };
  }
  if (!URL.canParse(text.replace(/^tcp:(\/\/)?/, 'http://'))) throw unusable(text);
  const url = new URL(text.replace(/^tcp:(\/\/)?/, 'http://'));
  if (!['http:', 'https:'].includes(url.protocol) || url.hostname === '' || url.pathname !== '/') throw unusable(text);
  return { kind: 'tcp', origin: url.origin };
}

function unusable(text: string): OffshootError {
  return new OffshootError('usage', {
    message: `${JSON.stringify(text)} is not the address of a hostd.`,
    hint: 'Use unix:PATH, tcp:HOST:PORT or an http(s) URL without a path.',
  });
}
