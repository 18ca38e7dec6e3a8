import { OffshootError } from '../errors/offshoot-error.ts';
import type { ExecHandle } from './exec-handle.ts';

export interface OutputHandlers {
  /** Called with whole characters as they come; a promise it returns holds back more output. */
  onStdout?: ((text: string) => void | Promise<void>) | undefined;
  onStderr?: ((text: string) => void | Promise<void>) | undefined;
  /** What `stdout` and `stderr` together may hold; beyond it they are cut and `truncated` is true. Default 64 MiB. */
  maxOutputBytes?: number | undefined;
}

export interface ExecResult {
  execId: string;
  /** As a shell would say it: 128+n for a signal, 127 not found, 126 not executable. */
  exitCode: number;
  signal: string | null;
  timedOut: boolean;
  oomKilled: boolean;
  stdout: string;
  stderr: string;
  /** True when output is missing here or on the host. */
  truncated: boolean;
}

/** Follows an exec to its end, feeding the handlers and gathering its text. Throws `sandbox-gone` when the sandbox ended under it. */
export async function collectOutput(handle: ExecHandle, handlers: OutputHandlers): Promise<ExecResult> {
  const limit = handlers.maxOutputBytes ?? 64 * 1024 * 1024;
  const gather = { stdout: newStream(handlers.onStdout), stderr: newStream(handlers.onStderr) };
  let kept = 0;
  let cut = false;
  const chunks = handle.output();
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) {
      const info = next.value ?? (await handle.info());
      for (const stream of Object.values(gather)) await stream.take(stream.decoder.decode(), true);
      if (info.exitCode === null) throw execLost(info.failure);
      return {
        execId: handle.id,
        exitCode: info.exitCode,
        signal: info.signal,
        timedOut: info.timedOut,
        oomKilled: info.oomKilled,
        stdout: gather.stdout.text(),
        stderr: gather.stderr.text(),
        truncated: cut || info.truncated,
      };
    }
    const { stream, bytes } = next.value;
    const text = gather[stream].decoder.decode(bytes, { stream: true });
    const fits = kept + bytes.length <= limit;
    cut ||= !fits;
    if (fits) kept += bytes.length;
    await gather[stream].take(text, fits);
  }
}

interface Gathered {
  decoder: InstanceType<typeof TextDecoder>;
  take: (text: string, keep: boolean) => Promise<void>;
  text: () => string;
}

function newStream(handler: OutputHandlers['onStdout']): Gathered {
  const parts: string[] = [];
  return {
    decoder: new TextDecoder('utf-8', { ignoreBOM: true }),
    take: async (text, keep) => {
      if (text === '') return;
      if (keep) parts.push(text);
      await handler?.(text);
    },
    text: () => parts.join(''),
  };
}

function execLost(failure: { code: string; message: string } | null): OffshootError {
  const code = failure?.code === 'sandbox-ended' ? 'sandbox-gone' : 'guest-unresponsive';
  return new OffshootError(code, {
    message: failure?.message ?? 'The result of the exec is not known.',
    details: failure === null ? {} : { failure },
  });
}
