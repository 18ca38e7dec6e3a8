import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isAlive, type ProcessIdentity } from '../../../platform/process-identity.ts';
import { isInNetns } from '../../../platform/process-netns.ts';
import { HelperGone, HelperRefusal, type ControlClient } from './control-client.ts';
import type { HelperFiles } from './helper-files.ts';
import { healthSchema, protocolVersion, type HelperHealth, type HelperRole } from './messages.ts';
import { connectHelper, identityIn, killHelper, startHelper, untilEnded } from './start-helper.ts';

export interface HelperEvent {
  role: HelperRole;
  /** `failed`: it could not be started or told what to do, and is tried again. `hung`: it did not answer, and is killed. */
  kind: 'started' | 'adopted' | 'died' | 'hung' | 'failed';
  pid?: number;
  message?: string;
}

export interface HelperKeeperOptions {
  role: HelperRole;
  files: HelperFiles;
  /** Program and arguments; the folder is added. */
  command: readonly string[];
  /** Tells one that just came what it is to do. It is not ready before. */
  instruct: (client: ControlClient) => Promise<void>;
  onEvent: (event: HelperEvent) => void;
  /** The network namespace to run it in: a helper in another one serves nobody, as one whose namespace was deleted. */
  netnsPath?: string | undefined;
  watch?: HelperWatch | undefined;
}

export interface HelperWatch {
  /** Between two looks whether the helper answers. */
  everyMs: number;
  /** One that took longer to answer is killed. */
  patienceMs: number;
  /** How long a call waits for a helper that is being started. */
  waitMs: number;
}

const defaultWatch: HelperWatch = { everyMs: 5000, patienceMs: 10_000, waitMs: 30_000 };
const healthMs = 10_000;
const callMs = 15_000;
const longestPauseMs = 5000;
const secondChanceMs = 2000;

/** Has one helper running for as long as it is not stopped: takes over the one that lives, starts one where none does. */
export class HelperKeeper {
  readonly #options: HelperKeeperOptions;
  readonly #watched: HelperWatch;
  #ready = Promise.withResolvers<ControlClient>();
  #client: ControlClient | undefined;
  #helper: ProcessIdentity | undefined;
  #isStopped = false;
  readonly #kept: Promise<void>;

  constructor(options: HelperKeeperOptions) {
    this.#options = options;
    this.#watched = options.watch ?? defaultWatch;
    this.#kept = this.#keep();
  }

  /** Waits for the helper when it is being started, and asks again when it died over the question. Rejects with HelperRefusal when it would not, with HelperGone when there was none for half a minute. */
  async call<Result>(
    method: string,
    params: unknown,
    result: z.ZodType<Result>,
    waitMs = this.#watched.waitMs,
  ): Promise<Result> {
    const deadlineMs = performance.now() + waitMs;
    for (;;) {
      const client = await this.#readyBefore(deadlineMs);
      try {
        return await client.call(method, params, result, callMs);
      } catch (error) {
        if (!(error instanceof HelperGone) || performance.now() > deadlineMs || this.#isStopped) throw error;
        // It is told of later that a connection ended than this is known: asked again before, it would refuse without end.
        if (!client.isOpen) this.#lose(client);
      }
    }
  }

  /** undefined when there is none now, or it dies over the question. Rejects with HelperRefusal. */
  async callIfUp<Result>(method: string, params: unknown, result: z.ZodType<Result>): Promise<Result | undefined> {
    try {
      return await this.#client?.call(method, params, result, callMs);
    } catch (error) {
      if (error instanceof HelperGone) return undefined;
      throw error;
    }
  }

  /** `waitMs`: how long one that is being started is waited for. */
  health(waitMs?: number): Promise<HelperHealth> {
    return this.call('health', {}, healthSchema, waitMs);
  }

  /** To be called after its network namespace was mended: one that is in an earlier one is killed, and the next one started in this. */
  async keepInPlace(): Promise<void> {
    const helper = this.#helper;
    if (helper === undefined || (await this.#isInPlace(helper.pid)) || !(await isAlive(helper))) return;
    this.#tell('failed', 'it was in a network namespace that is gone');
    await killHelper(helper);
  }

  /** The helper lives on where `keep`; else resolves when it is gone. */
  async stop(keep: boolean): Promise<void> {
    this.#isStopped = true;
    this.#ready.promise.catch(() => undefined);
    this.#ready.reject(new HelperGone(`the ${this.#options.role} was let go`));
    const helper = this.#helper;
    if (!keep) await this.#client?.call('end', {}, z.null(), healthMs).catch(() => undefined);
    this.#client?.close();
    await this.#kept;
    if (!keep) {
      if (helper !== undefined) await untilEnded(helper);
      await killHelper(await identityIn(this.#options.files));
    }
  }

  async #keep(): Promise<void> {
    let pauseMs = 100;
    while (!this.#isStopped) {
      let client: ControlClient | undefined;
      try {
        client = await this.#obtain();
        if (this.#stopping()) {
          client.close();
          return;
        }
        await this.#options.instruct(client);
        pauseMs = 100;
        this.#client = client;
        this.#ready.resolve(client);
        if (this.#stopping()) client.close();
        await this.#watch(client);
      } catch (error) {
        client?.close();
        if (!this.#stopping()) this.#tell('failed', String(error));
        // It may be in a network that is not the one of now: the next one is not.
        if (error instanceof HelperRefusal && !this.#stopping()) await killHelper(this.#helper);
        await sleep(this.#stopping() ? 0 : pauseMs);
        pauseMs = Math.min(longestPauseMs, pauseMs * 2);
      }
    }
  }

  /** Else it would be taken for a constant within the loop. */
  #stopping(): boolean {
    return this.#isStopped;
  }

  async #obtain(): Promise<ControlClient> {
    const { files, command, netnsPath } = this.#options;
    const living = await connectHelper(files);
    if (living !== undefined && (await this.#isOfUse(living))) {
      this.#tell('adopted');
      return living;
    }
    const entering = netnsPath === undefined ? [] : ['nsenter', `--net=${netnsPath}`, '--'];
    const client = await startHelper(files, [...entering, ...command]);
    if (!(await this.#isOfUse(client))) throw new Error('it is not what was started');
    this.#tell('started');
    return client;
  }

  async #isInPlace(pid: number): Promise<boolean> {
    const { netnsPath } = this.#options;
    return netnsPath === undefined || isInNetns(pid, netnsPath);
  }

  /** One of another version or network, or one that does not answer, is ended. */
  async #isOfUse(client: ControlClient): Promise<boolean> {
    const health = await client.call('health', {}, healthSchema, healthMs).catch(() => undefined);
    const isKnown = health?.protocolVersion === protocolVersion && health.role === this.#options.role;
    if (isKnown && (await this.#isInPlace(health.pid))) {
      this.#helper = { pid: health.pid, startTicks: health.startTicks };
      return true;
    }
    if (health !== undefined) await client.call('end', {}, z.null(), healthMs).catch(() => undefined);
    client.close();
    const helper = health ?? (await identityIn(this.#options.files));
    if (helper !== undefined) await (health === undefined ? killHelper(helper) : untilEnded(helper));
    return false;
  }

  /** Resolves when the connection has ended. */
  async #watch(client: ControlClient): Promise<void> {
    const { everyMs, patienceMs } = this.#watched;
    const answers = (waitMs: number) =>
      client.call('health', {}, healthSchema, waitMs).then(
        () => true,
        () => false,
      );
    const timer = setInterval(() => {
      void (async () => {
        // Twice: the first time it may be this process that stood still, and the answer is there to be read.
        if ((await answers(patienceMs)) || (await answers(Math.min(patienceMs, secondChanceMs)))) return;
        if (this.#isStopped || this.#client !== client || !client.isOpen) return;
        this.#tell('hung');
        await killHelper(this.#helper);
        client.close();
      })();
    }, everyMs);
    await client.closed;
    clearInterval(timer);
    this.#lose(client);
    if (this.#isStopped) return;
    if (await this.#isDead()) this.#tell('died');
  }

  /** From now on calls wait for the next one. */
  #lose(client: ControlClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (!this.#isStopped) this.#ready = Promise.withResolvers();
  }

  /** Its connections end a moment before the process does. */
  async #isDead(): Promise<boolean> {
    const helper = this.#helper;
    for (let looks = 0; helper !== undefined && looks < 15; looks += 1) {
      if (!(await isAlive(helper))) return true;
      await sleep(20);
    }
    return helper === undefined;
  }

  async #readyBefore(deadlineMs: number): Promise<ControlClient> {
    const late = new AbortController();
    const timeout = sleep(Math.max(0, deadlineMs - performance.now()), undefined, { signal: late.signal }).then(() => {
      throw new HelperGone(`there was no ${this.#options.role} for too long`);
    });
    timeout.catch(() => undefined);
    try {
      return await Promise.race([this.#ready.promise, timeout]);
    } finally {
      late.abort();
    }
  }

  #tell(kind: HelperEvent['kind'], message?: string): void {
    const { role, onEvent } = this.#options;
    const pid = this.#helper?.pid;
    onEvent({ role, kind, ...(pid === undefined ? {} : { pid }), ...(message === undefined ? {} : { message }) });
  }
}
