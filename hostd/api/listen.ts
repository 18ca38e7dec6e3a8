import { chownSync, lstatSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { OffshootError } from '../errors/offshoot-error.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { formatAddress, type ListenAddress } from './address.ts';

/** Binds the server. A unix socket is 0660 from its first moment, of group `gid` when given. Throws `socket-taken`. Resolves with the address really used. */
export async function listen(server: Server, address: ListenAddress, gid?: number): Promise<ListenAddress> {
  if (address.kind === 'unix') {
    await clearStaleSocket(address.path);
    await bound(server, address, () => {
      const previous = process.umask(0o117);
      try {
        server.listen(address.path); // binds before it returns
      } finally {
        process.umask(previous);
      }
    });
    if (gid !== undefined) chownSync(address.path, -1, gid);
    return address;
  }
  await bound(server, address, () => server.listen(address.port, address.host));
  const actual = server.address();
  return typeof actual === 'object' && actual !== null ? { ...address, port: actual.port } : address;
}

async function bound(server: Server, address: ListenAddress, start: () => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const onError = (error: NodeJS.ErrnoException) => {
    reject(toListenError(error, address));
  };
  server.once('error', onError);
  server.once('listening', () => resolve(undefined));
  start();
  await promise;
  server.off('error', onError);
}

function toListenError(error: NodeJS.ErrnoException, address: ListenAddress): Error {
  if (error.code !== 'EADDRINUSE') return error;
  return taken(`Something already listens on ${formatAddress(address)}.`, error);
}

/** Removes the socket file of a hostd that is gone. Throws `socket-taken` when somebody answers there, or when it is no socket. */
async function clearStaleSocket(path: string): Promise<void> {
  makeSocketFolder(path);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw taken(`${path} exists and is not a socket.`);
  if (await answers({ path })) throw taken(`Another process listens on ${path}.`);
  unlinkSync(path);
}

function answers(address: { path: string } | { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      resolve(!['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(error.code ?? ''));
    });
  });
}

function taken(message: string, cause?: unknown): OffshootError {
  return new OffshootError('socket-taken', { message, ...(cause === undefined ? {} : { cause }) });
}

/** Throws `socket-taken` when the address is in use now, `config-invalid` when there can be no socket: a start that would fail at its end should fail at once. */
export async function requireFreeAddress(address: ListenAddress): Promise<void> {
  if (address.kind === 'unix') {
    makeSocketFolder(address.path);
    if (await answers({ path: address.path })) throw taken(`Another process listens on ${address.path}.`);
    return;
  }
  if (address.port !== 0 && (await answers(address)))
    throw taken(`Something already listens on ${formatAddress(address)}.`);
}

function makeSocketFolder(path: string): void {
  try {
    makeFolder(dirname(path));
  } catch (error) {
    const message = `its folder can not be made: ${error instanceof Error ? error.message : String(error)}`;
    throw new OffshootError('config-invalid', {
      message: `listen: ${message}.`,
      details: { issues: [{ path: 'listen', message }] },
      cause: error,
    });
  }
}
