import { destination, pino, type Logger } from 'pino';

/** Whatever else is logged, these never are: values of environments and credentials. */
const secret = [
  'env',
  'authorization',
  'token',
  'headers.authorization',
  '*.env',
  '*.authorization',
  '*.token',
  '*.headers.authorization',
  '*.*.env',
];

export type DaemonLogger = Logger;

/** JSON lines on stderr; `flush` writes out what is still buffered. */
export function createLogger(level: string, write?: (line: string) => void): { log: Logger; flush: () => void } {
  const options = {
    level,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secret, censor: '[hidden]' },
  };
  if (write !== undefined) return { log: pino(options, { write }), flush: () => undefined };
  const stderr = destination({ fd: 2, sync: false });
  let readerGone = false;
  stderr.on('error', () => {
    readerGone = true; // hostd stays
  });
  return {
    log: pino(options, stderr),
    flush: () => {
      if (readerGone) return; // flushSync would try for ever
      try {
        stderr.flushSync();
      } catch {
        // nothing is buffered, or nobody reads
      }
    },
  };
}
