import { open } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';

/** The kernel takes 107 bytes of path in a socket address. */
const maxSocketPathBytes = 107;

/** Connects to a unix socket; a path too long for an address goes through a descriptor of its folder. Rejects when nobody listens. */
export async function connectUnix(path: string): Promise<Socket> {
  if (Buffer.byteLength(path) <= maxSocketPathBytes) return connected(path);
  const folder = await open(dirname(path), 'r');
  try {
    return await connected(`/proc/self/fd/${String(folder.fd)}/${basename(path)}`);
  } finally {
    await folder.close();
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
