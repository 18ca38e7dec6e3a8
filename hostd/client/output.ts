import { setTimeout as sleep } from 'node:timers/promises';
import { execSchema, outputFrameMediaType, type ExecInfo } from '../contract/exec.ts';
import { OffshootError } from '../errors/offshoot-error.ts';
import { OutputFrameParser } from './output-frames.ts';
import { isConnectionLoss, type Transport } from './transport.ts';

export interface OutputChunk {
  stream: 'stdout' | 'stderr';
  /** Of the first byte, counting both streams together. */
  offset: number;
  bytes: Buffer;
}

export interface FollowOptions {
  /** Default 0. */
  from?: number;
  /** Wait for more until the exec ends; default true. */
  follow?: boolean;
  signal?: AbortSignal | undefined;
}

/** Without a byte or keep-alive for this long the connection counts as dead; hostd sends a keep-alive every 10 s. */
const silenceMs = 45_000;

/**
 * Yields an exec's output from an offset and returns the exec's last state. Lost connections and restarts of hostd are bridged: it goes on at
 * the byte where it stood. Bytes that the host lost show as a jump of the offset.
 */
export async function* followOutput(
  transport: Transport,
  execPath: string,
  options: FollowOptions = {},
): AsyncGenerator<OutputChunk, ExecInfo | undefined> {
  let offset = options.from ?? 0;
  const follow = options.follow ?? true;
  for (let fruitless = 0; ; fruitless += 1) {
    const silence = new AbortController();
    const timer = setTimeout(() => {
      silence.abort();
    }, silenceMs);
    try {
      const answer = await transport.send({
        method: 'GET',
        path: `${execPath}/output`,
        query: { from: offset, follow },
        headers: { accept: outputFrameMediaType },
        signal: options.signal === undefined ? silence.signal : AbortSignal.any([options.signal, silence.signal]),
      });
      const parser = new OutputFrameParser();
      for await (const chunk of answer.body) {
        timer.refresh();
        for (const frame of parser.push(chunk as Buffer)) {
          if (frame.kind === 'keep-alive') continue;
          if (frame.kind === 'end') return execSchema.parse(JSON.parse(frame.bytes.toString('utf8')));
          if (frame.kind === 'gap') {
            offset = frame.nextOffset;
            continue;
          }
          yield { stream: frame.kind, offset, bytes: frame.bytes };
          offset += frame.bytes.length;
          fruitless = 0;
        }
        timer.refresh(); // the consumer's own time does not count as silence
      }
      if (!follow) return undefined;
    } catch (error) {
      if (options.signal?.aborted === true) throw new OffshootError('aborted', { cause: error });
      if (!silence.signal.aborted && !isConnectionLoss(error)) throw error;
      if (error instanceof OffshootError && error.code === 'host-unreachable') throw error; // the transport has tried long enough
    } finally {
      clearTimeout(timer);
    }
    if (fruitless > 200)
      throw new OffshootError('host-unreachable', { message: 'The output of the exec keeps breaking off.' });
    await sleep(Math.min(20 * (fruitless + 1), 500), undefined, { signal: options.signal }).catch(() => undefined);
  }
}
