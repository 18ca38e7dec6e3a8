import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilAborted } from '../../../platform/until-aborted.ts';
import type { ProxyLimits, ProxyOptions } from './options.ts';

/**
 * Dials addresses, as many as the limit says, in their order and takes the first that answers: the next one is tried when one fails, or beside one that is slow
 * (as in RFC 8305, so that an IPv6 route that leads nowhere costs little). The others are given up. undefined when none answers, or `signal` ends it.
 */
export async function dialFirst(
  dial: ProxyOptions['dial'],
  addresses: readonly string[],
  port: number,
  limits: Pick<ProxyLimits, 'dialTimeoutMs' | 'dialStaggerMs' | 'dialledAddresses'>,
  signal: AbortSignal,
): Promise<{ socket: Socket; address: string } | undefined> {
  const race = new AbortController();
  const ended = AbortSignal.any([race.signal, signal]);
  const attempts = new Set<Promise<unknown>>();
  let winner: { socket: Socket; address: string } | undefined;
  const attempt = async (address: string): Promise<void> => {
    const deadline = AbortSignal.any([ended, AbortSignal.timeout(limits.dialTimeoutMs)]);
    const dialling = (async () => await dial(address, port, deadline))();
    const socket = await untilAborted(deadline, dialling, (late) => late.destroy()).catch(() => undefined);
    if (socket === undefined) return;
    // Else a socket that breaks in this very moment would end the process.
    socket.on('error', () => undefined);
    if (winner !== undefined || ended.aborted || socket.destroyed) {
      socket.destroy();
      return;
    }
    winner = { socket, address };
    race.abort();
  };
  for (const address of addresses.slice(0, limits.dialledAddresses)) {
    if (ended.aborted) break;
    const running = attempt(address).finally(() => attempts.delete(running));
    attempts.add(running);
    await Promise.race([running, sleep(limits.dialStaggerMs, undefined, { signal: ended }).catch(() => undefined)]);
  }
  await Promise.all(attempts);
  return winner;
}
