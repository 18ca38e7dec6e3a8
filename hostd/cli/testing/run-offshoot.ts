import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

const main = path.join(import.meta.dirname, '..', 'main.ts');

/** The command line in a process of its own, with `input` as its standard input; `meanwhile` gets it while it runs. */
export async function runOffshoot(
  host: string,
  args: readonly string[],
  meanwhile: (child: ChildProcess) => Promise<void> = () => Promise.resolve(),
  input?: string,
): Promise<Run> {
  const env = { ...process.env, OFFSHOOT_HOST: host, NO_COLOR: '1' };
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined); // it may have gone without reading
  child.stdin.end(input);
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), meanwhile(child)]);
  await closed;
  return { code: child.exitCode, stdout, stderr };
}
