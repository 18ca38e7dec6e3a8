import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What the binaries are compiled with, a line each: another version may well make other bytes of the same sources. */
export async function describeToolchain(): Promise<string> {
  const [gcc, ld, musl] = await Promise.all([
    run('gcc', ['--version']).then(({ stdout }) => firstLine(stdout)),
    run('ld', ['--version']).then(({ stdout }) => firstLine(stdout)),
    muslVersion(),
  ]);
  return `${gcc}\n${ld}\nmusl ${musl}\n`;
}

/** musl's loader says its version on stderr when it is run without a program. */
async function muslVersion(): Promise<string> {
  const { stdout } = await run('musl-gcc', ['-print-file-name=libc.so']);
  const said = await run(stdout.trim(), []).then(
    (result) => result.stderr,
    (error: unknown) => (error instanceof Error && 'stderr' in error ? String(error.stderr) : ''),
  );
  return /^Version (\S+)/m.exec(said)?.[1] ?? 'of unknown version';
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
