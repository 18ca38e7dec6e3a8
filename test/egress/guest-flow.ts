import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecHandle, Sandbox } from '../../hostd/client/index.ts';

/** A download that a program in the guest has under way and prints as it comes. */
export class GuestFlow {
  readonly #handle: ExecHandle;
  /** The program's exit code, and when it was known here (`performance.now()`). */
  readonly ended: Promise<{ exitCode: number | null; atMs: number }>;
  bytes = 0;
  isOver = false;

  private constructor(handle: ExecHandle) {
    this.#handle = handle;
    this.ended = this.#follow();
  }

  /** `times` 64 bytes of `https://NAME/drip`, one after the other. */
  static async https(sandbox: Sandbox, name: string, times = 1_000_000): Promise<GuestFlow> {
    const url = `https://${name}/drip/${String(times)}`;
    const options = ['-sSN', '--http1.1', '--cacert', '/opt/egress/ca.pem'];
    return GuestFlow.#start(sandbox, ['curl', ...options, url]);
  }

  /** What a port without a proxy sends. */
  static async tcp(sandbox: Sandbox, name: string, port: number): Promise<GuestFlow> {
    return GuestFlow.#start(sandbox, ['bash', '-c', `exec 3<>/dev/tcp/${name}/${String(port)} && exec cat <&3`]);
  }

  static async #start(sandbox: Sandbox, argv: readonly string[]): Promise<GuestFlow> {
    const flow = new GuestFlow(await sandbox.spawn(argv));
    await flow.moves();
    return flow;
  }

  /** Resolves when more has come; rejects when nothing does for 20 seconds, or it has ended. */
  async moves(): Promise<void> {
    const before = this.bytes;
    const deadlineMs = performance.now() + 20_000;
    while (this.bytes === before) {
      if (this.isOver) throw new Error('the flow has ended');
      if (performance.now() > deadlineMs) throw new Error('the flow stands still');
      await sleep(5);
    }
  }

  async kill(): Promise<void> {
    await this.#handle.kill('SIGKILL');
  }

  async #follow(): Promise<{ exitCode: number | null; atMs: number }> {
    for await (const { stream, bytes } of this.#handle.output()) if (stream === 'stdout') this.bytes += bytes.length;
    this.isOver = true;
    const atMs = performance.now();
    return { exitCode: (await this.#handle.info()).exitCode, atMs };
  }
}
