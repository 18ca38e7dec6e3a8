import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const bytes = 4 * 1024 * 1024;

test('a reader that is slow gets everything', async () => {
  const program = `
    import { leave } from ${JSON.stringify(join(import.meta.dirname, 'leave.ts'))};
    setInterval(() => undefined, 1000); // something that would keep the process
    process.stdout.write('x'.repeat(${String(bytes)}));
    process.exitCode = 3;
    await leave();`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], { stdio: 'pipe' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await new Promise((resolve) => setTimeout(resolve, 500));
  let received = 0;
  child.stdout.on('data', (chunk: Buffer) => (received += chunk.length));
  expect(await ended).toBe(3);
  expect(received).toBe(bytes);
});
