import { closeSync, constants, openSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';

/** `sun_path` holds 108 bytes with its closing NUL (unix(7)). */
const maxSocketPathBytes = 107;

/**
 * Connects to a unix socket. A path that the kernel's address can't hold is reached through the open folder it lies in.
 * Rejects with the system error of connect(2).
 */
export function openCarrier(socketPath: string): Promise<Socket> {
  if (Buffer.byteLength(socketPath) <= maxSocketPathBytes) return connected(createConnection(socketPath));
  let folder: number;
  try {
    folder = openSync(dirname(socketPath), constants.O_RDONLY | constants.O_DIRECTORY);
  } catch (error) {
    return Promise.reject(error as Error);
  }
  const shortPath = `/proc/self/fd/${String(folder)}/${basename(socketPath)}`;
  return connected(createConnection(shortPath)).finally(() => closeSync(folder));
}

function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
