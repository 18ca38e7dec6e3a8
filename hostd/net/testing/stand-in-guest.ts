import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { inNetns } from '../../../test/doubles/outside-world.ts';
import { runChecked, systemRunner, type RunResult } from '../../platform/run.ts';
import type { GuestLink, NetworkSlot } from '../network.ts';
import { resultSchema, type Probe, type ProbeResult } from './probe.ts';

let guests = 0;

/** A network namespace behind a sandbox's tap, set up as a guest would be: what runs in it meets the real tap, netns and rules. */
export class StandInGuest {
  readonly netns: string;
  readonly #relay: ChildProcess;

  private constructor(netns: string, relay: ChildProcess) {
    this.netns = netns;
    this.#relay = relay;
  }

  /** Attaches to the slot's tap as the user `uid`; rejects when that user may not. */
  static async plugIn(slot: NetworkSlot, link: GuestLink, uid: number): Promise<StandInGuest> {
    guests += 1;
    const netns = `ow${String(process.pid)}-guest${String(guests)}`;
    await runChecked(systemRunner, 'ip', ['netns', 'add', netns]);
    const guestPath = `/run/netns/${netns}`;
    const args = [slot.netnsPath, slot.tapName, String(uid), guestPath, 'eth0', link.guestMac];
    const relay = spawn(await relayProgram(), args, { stdio: ['pipe', 'pipe', 'pipe'] });
    const guest = new StandInGuest(netns, relay);
    const stderr: string[] = [];
    relay.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString()));
    const isReady = await Promise.race([
      once(relay.stdout, 'data').then(() => true),
      // With all that it said.
      once(relay, 'close').then(() => false),
    ]);
    if (!isReady) {
      await guest.unplug();
      throw new Error(stderr.join(''));
    }
    const batch = [
      'link set dev lo up',
      `link set dev eth0 mtu ${String(link.mtu)} up`,
      `addr add ${link.address}/${String(link.prefixLength)} dev eth0`,
      `route add default via ${link.gateway}`,
    ];
    await runChecked(systemRunner, 'ip', ['-n', netns, '-batch', '-'], { input: `${batch.join('\n')}\n` });
    return guest;
  }

  /** Tries all of them at once. */
  async probe(probes: readonly Probe[]): Promise<ProbeResult[]> {
    const program = fileURLToPath(new URL('probe.ts', import.meta.url));
    const { stdout } = await this.run(process.execPath, [program, JSON.stringify(probes)]);
    return z.array(resultSchema).parse(JSON.parse(stdout));
  }

  /** Runs a program in the guest's place; rejects when it fails. */
  run(command: string, args: readonly string[]): Promise<RunResult> {
    const inside = inNetns(this.netns, command, args);
    return runChecked(systemRunner, inside.command, inside.args);
  }

  async unplug(): Promise<void> {
    if (this.#relay.exitCode === null && this.#relay.signalCode === null) {
      const ended = once(this.#relay, 'exit');
      this.#relay.kill('SIGKILL');
      await ended;
    }
    await systemRunner.run('ip', ['netns', 'del', this.netns]);
  }
}

let compiled: Promise<string> | undefined;

function relayProgram(): Promise<string> {
  compiled ??= compileRelay();
  return compiled;
}

/** Into build/, by way of a name of its own: other test processes may be starting the program just now. */
async function compileRelay(): Promise<string> {
  const source = fileURLToPath(new URL('tap-relay.c', import.meta.url));
  const directory = fileURLToPath(new URL('../../../build/net-testing/', import.meta.url));
  await mkdir(directory, { recursive: true });
  const program = join(directory, 'tap-relay');
  const fresh = `${program}-${String(process.pid)}`;
  const compiler =
    (await systemRunner.run('cc', ['--version']).catch(() => undefined)) === undefined ? 'musl-gcc' : 'cc';
  await runChecked(systemRunner, compiler, ['-O1', '-Wall', '-Wextra', '-Werror', '-o', fresh, source]);
  await rename(fresh, program);
  return program;
}
