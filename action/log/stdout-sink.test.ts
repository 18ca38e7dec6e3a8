import { spawn } from 'node:child_process';
import path from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { streamSink } from './stdout-sink.ts';

test('a write resolves when the stream has taken it', async () => {
  const waiting: (() => void)[] = [];
  const stream = new Writable({ write: (_chunk, _encoding, done) => waiting.push(done) });
  let taken = false;
  const writing = streamSink(stream)
    .write(Buffer.from('x'))
    .then(() => (taken = true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(taken).toBe(false);
  waiting[0]?.();
  await writing;
});

test('other failures reach the writer', async () => {
  const stream = new Writable({
    write: (_chunk, _encoding, done) => {
      done(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    },
  });
  await expect(streamSink(stream).write(Buffer.from('x'))).rejects.toThrow('no space');
});

test('a reader of stdout that goes away is no error, and what follows is dropped', async () => {
  const program = `
    import { GuestLog } from ${JSON.stringify(path.join(import.meta.dirname, 'guest-log.ts'))};
    import { stdoutSink } from ${JSON.stringify(path.join(import.meta.dirname, 'stdout-sink.ts'))};
    const log = await GuestLog.open(stdoutSink());
    for (let round = 0; round < 100; round++) await log.write('stdout', Buffer.from('line\\n'.repeat(20_000)));
    await log.close();
    process.stderr.write('ended well');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([complaints, code]).toEqual(['ended well', 0]);
});
