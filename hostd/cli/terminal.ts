import { Sandbox } from '../client/sandbox.ts';
import type { ConnectionOptions } from '../client/transport.ts';
import { exitCodeOf, streamExec } from './stream-exec.ts';

export interface TerminalOptions {
  connection: ConnectionOptions;
  env?: Record<string, string>;
  cwd?: string;
  user?: string;
}

/** Runs a command on a pty of the sandbox, joined to this process's terminal; returns its exit code. */
export async function runInTerminal(
  id: string,
  command: string | readonly string[],
  options: TerminalOptions,
): Promise<number> {
  const sandbox = await Sandbox.connect(id, options.connection);
  const handle = await sandbox.spawn(command, {
    stdin: true,
    pty: terminalSize(),
    env: { TERM: process.env['TERM'] ?? 'xterm', ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.user === undefined ? {} : { user: options.user }),
  });
  const resize = (): void => {
    const { rows, cols } = terminalSize();
    void handle.resize(rows, cols).catch(() => undefined);
  };
  const { stdin, stdout } = process;
  if (stdin.isTTY) stdin.setRawMode(true);
  stdout.on('resize', resize);
  stdin.on('data', (chunk: Buffer) => void handle.write(chunk).catch(() => undefined));
  stdin.on('end', () => void handle.endInput().catch(() => undefined));
  try {
    return exitCodeOf(await streamExec(handle));
  } finally {
    stdout.off('resize', resize);
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.destroy();
  }
}

function terminalSize(): { rows: number; cols: number } {
  return { rows: process.stdout.rows || 24, cols: process.stdout.columns || 80 };
}
