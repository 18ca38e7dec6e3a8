import type { Buffer } from 'node:buffer';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import type { Upstream } from '../config.ts';
import { FrameReader, framed, responseCode, withId, type DnsQuery } from './message.ts';

export interface DnsAnswer {
  /** Under the client's id again. */
  bytes: Buffer;
  code: number;
}

/** One question to one server; undefined when it does not answer in time or can't be reached. Never rejects. */
export type Exchange = (upstream: Upstream, query: DnsQuery, timeoutMs: number) => Promise<DnsAnswer | undefined>;

/** By UDP from a socket of its own: the kernel picks a random port, and takes answers from that server only. */
export const exchangeOverUdp: Exchange = (upstream, query, timeoutMs) =>
  new Promise((resolve) => {
    const sentId = randomInt(0x1_0000);
    const socket = createSocket(isIPv6(bare(upstream.address)) ? 'udp6' : 'udp4');
    const finish = (answer?: DnsAnswer): void => {
      clearTimeout(timer);
      socket.removeAllListeners('message');
      try {
        socket.close();
      } catch {
        // closed already by an earlier error
      }
      resolve(answer);
    };
    const timer = setTimeout(finish, timeoutMs);
    socket.on('error', () => {
      finish();
    });
    socket.on('message', (response) => {
      const answer = accept(query, sentId, response);
      if (answer !== undefined) finish(answer);
    });
    socket.connect(upstream.port, upstream.address, () => {
      socket.send(withId(query.bytes, sentId));
    });
  });

/** By TCP, over a connection of its own. */
export const exchangeOverTcp: Exchange = (upstream, query, timeoutMs) =>
  new Promise((resolve) => {
    const sentId = randomInt(0x1_0000);
    const reader = new FrameReader();
    const socket = connect({ host: upstream.address, port: upstream.port });
    const finish = (answer?: DnsAnswer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(finish, timeoutMs);
    socket.on('error', () => {
      finish();
    });
    socket.on('close', () => {
      finish();
    });
    socket.on('data', (chunk) => {
      for (const response of reader.push(chunk)) {
        const answer = accept(query, sentId, response);
        if (answer !== undefined) finish(answer);
      }
    });
    socket.write(framed(withId(query.bytes, sentId)));
  });

function accept(query: DnsQuery, sentId: number, response: Buffer): DnsAnswer | undefined {
  const code = responseCode(query, sentId, response);
  return code === undefined ? undefined : { bytes: withId(response, query.id), code };
}

/** The address without the interface it belongs to (`fe80::1%eth0`). */
function bare(address: string): string {
  return address.split('%')[0] ?? address;
}
