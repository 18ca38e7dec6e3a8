import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { OutsideWorld } from '../../../test/doubles/outside-world.ts';
import type { GuestLink, NetworkSlot } from '../network.ts';
import type { Call, PolicyOfSlot } from './network-driver.ts';

const replySchema = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string() }).optional(),
  tookMs: z.number(),
});

const slotSchema = z.object({
  slot: z.number(),
  netnsName: z.string(),
  netnsPath: z.string(),
  tapName: z.string(),
  hostSideAddress: z.string(),
});

const factsSchema = z.object({
  link: z.object({
    address: z.string(),
    prefixLength: z.number(),
    gateway: z.string(),
    guestMac: z.string(),
    mtu: z.number(),
  }),
  capacity: z.number(),
  findings: z.array(z.string()),
});

/** What a call failed with, as far as it crosses the process border. */
export class RemoteError extends Error {
  readonly code: string;
  readonly hint: string;

  constructor(error: { code: string; message: string; hint: string }) {
    super(error.message);
    this.code = error.code;
    this.hint = error.hint;
  }
}

/** The variable that a driver and all that it starts have in their environment. */
const markName = 'OFFSHOOT_NETWORK_DRIVER';

type Reply = z.output<typeof replySchema>;
type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;

/** A real Network in a process of its own inside the pretended host. */
export class RemoteNetwork {
  readonly #child: ChildProcess;
  readonly #mark = randomUUID();
  readonly #waiting = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  #lastId = 0;
  /** How long the last call to end took, in the other process. */
  lastTookMs = 0;

  /** With `policies` it takes all modes, without resolver and proxy; with a folder for these it has both. */
  constructor(world: OutsideWorld, config: object, kind: 'policies' | 'bare' | { helpersIn: string } = 'bare') {
    const program = fileURLToPath(new URL('network-driver.ts', import.meta.url));
    const kindWord = typeof kind === 'string' ? kind : kind.helpersIn;
    this.#child = world.spawn(process.execPath, [program, JSON.stringify(config), kindWord], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, [markName]: this.#mark },
    });
    if (this.#child.stdout === null) throw new Error('no standard output');
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const reply = replySchema.parse(JSON.parse(line));
      this.#waiting.get(reply.id)?.resolve(reply);
      this.#waiting.delete(reply.id);
    });
    this.#child.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the network driver ended'));
    });
  }

  async start(living: { slot: number; policy: PolicyOfSlot }[] = []): Promise<void> {
    await this.#call({ method: 'start', living });
  }

  async create(
    slot: number,
    uid: number,
    mode: PolicyOfSlot['mode'],
    allow: readonly string[] = [],
  ): Promise<NetworkSlot> {
    const policy = { mode, allow: [...allow] };
    return slotSchema.parse(await this.#call({ method: 'create', slot, uid, policy }));
  }

  async setEgress(slot: number, mode: PolicyOfSlot['mode'], allow: readonly string[] = []): Promise<void> {
    await this.#call({ method: 'setEgress', slot, policy: { mode, allow: [...allow] } });
  }

  async remove(slot: number): Promise<void> {
    await this.#call({ method: 'remove', slot });
  }

  async existing(): Promise<number[]> {
    return z.array(z.number()).parse(await this.#call({ method: 'existing' }));
  }

  async stop(keep: boolean): Promise<void> {
    await this.#call({ method: 'stop', keep });
  }

  async facts(): Promise<{ link: GuestLink; capacity: number; findings: string[] }> {
    return factsSchema.parse(await this.#call({ method: 'facts' }));
  }

  /** As a crash would. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Resolves when all programs that it had started when it was killed have come to their end. */
  async programsEnded(): Promise<void> {
    while (await this.#hasPrograms()) await sleep(20);
  }

  async #hasPrograms(): Promise<boolean> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    // Those that end meanwhile have none any more.
    const read = (pid: string) => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    return (await Promise.all(pids.map(read))).some((text) => text.includes(`${markName}=${this.#mark}`));
  }

  async #call(call: Unnumbered<Call>): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const reply = await new Promise<Reply>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.stdin?.write(`${JSON.stringify({ id, ...call })}\n`);
    });
    this.lastTookMs = reply.tookMs;
    if (reply.error !== undefined) throw new RemoteError(reply.error);
    return reply.result;
  }
}
