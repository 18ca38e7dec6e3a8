import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Reads are as large as ever; what waits for a slow side is less: with 200 connections it decides over the memory of the process. */
export const bufferBytes = 16 * 1024;

/** A TCP connection for `ProxyOptions.dial`, from wherever this process is. Rejects with the system's error, or with an AbortError. */
export async function dial(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  // node passes highWaterMark on to the stream; its types do not know.
  const options = {
    host: address,
    port,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    highWaterMark: bufferBytes,
  };
  const socket = connect(options);
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    throw error;
  }
}
