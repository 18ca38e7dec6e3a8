import type { Writable } from 'node:stream';

/** Where the log goes. */
export interface LogSink {
  /** Resolves when the stream has taken the text, so that a slow reader holds back the writer. */
  write(text: Buffer): Promise<void>;
}

const quietened = new WeakSet<Writable>();

/** The process's standard output. Nobody reading it any more (EPIPE) is no error: what follows is dropped. */
export function stdoutSink(): LogSink {
  return streamSink(process.stdout);
}

/** A sink over a stream; a write's callback comes when the stream's own buffer is empty again, so at most one write is ever in memory. */
export function streamSink(stream: Writable): LogSink {
  if (!quietened.has(stream)) {
    quietened.add(stream);
    stream.on('error', () => undefined); // each write learns of it by its own callback
  }
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (error == null || nobodyReads(error)) resolve();
          else reject(error);
        });
      }),
  };
}

function nobodyReads(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' || code === 'ERR_STREAM_WRITE_AFTER_END';
}
