import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Sandbox } from '../../hostd/client/index.ts';

/** A unix socket of this machine whose connections end at one in a sandbox: each is an exec of socat there. */
export class SocketRelay implements AsyncDisposable {
  readonly path: string;
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(folder: string, sandbox: Sandbox, inside: string) {
    this.path = path.join(folder, 'relay.sock');
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#open.add(socket);
      socket.on('close', () => this.#open.delete(socket));
      socket.on('error', () => socket.destroy());
      relay(sandbox, inside, socket).catch(() => socket.destroy());
    });
  }

  static async open(sandbox: Sandbox, inside: string): Promise<SocketRelay> {
    const relay = new SocketRelay(await mkdtemp(path.join(tmpdir(), 'offshoot-relay-')), sandbox, inside);
    await new Promise<void>((resolve) => relay.#server.listen(relay.path, resolve));
    return relay;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(path.dirname(this.path), { recursive: true, force: true });
  }
}

async function relay(sandbox: Sandbox, inside: string, socket: Socket): Promise<void> {
  // -t: how long socat waits for the other direction once one has ended
  const handle = await sandbox.spawn(['socat', '-t', '3600', '-b', '65536', '-', `UNIX-CONNECT:${inside}`], {
    stdin: true,
  });
  const sending = handle.pipeInput(socket).catch(() => socket.destroy());
  socket.once('close', () => void handle.kill('SIGKILL').catch(() => undefined));
  for await (const { stream, bytes } of handle.output()) {
    if (stream === 'stdout' && !socket.destroyed) socket.write(bytes);
  }
  socket.end();
  await sending;
}
