import type { ServerResponse } from 'node:http';

/** Resolves when the client has taken what was written, or is gone; never rejects. */
export function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    signal.addEventListener('abort', done);
  });
}

/** Calls `beat` after each span of silence in which the client took all that was written; the result stops it. */
export function keepAlive(
  response: ServerResponse,
  intervalMs: number,
  beat: () => void,
): { heard(): void; stop(): void } {
  let silent = true;
  const timer = setInterval(() => {
    if (silent && !response.writableNeedDrain && !response.destroyed) beat();
    silent = true;
  }, intervalMs);
  return {
    heard: () => {
      silent = false;
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}
