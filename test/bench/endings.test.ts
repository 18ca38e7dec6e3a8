import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const endings = new URL('endings.ts', import.meta.url).href;

/** Runs a bench that is sent the signal when it says `ready`. What it printed, and its exit code. */
async function run(bench: string, signal: NodeJS.Signals): Promise<{ printed: string[]; code: unknown }> {
  const program = `
    import { setTimeout as sleep } from 'node:timers/promises';
    import { endedBySignals, ending } from '${endings}';
    const says = (word) => async () => console.log(word);
    await endedBySignals(async () => { ${bench} });
    console.log('done');
  `;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  child.stdout.on('data', (chunk) => {
    if (String(chunk).includes('ready')) child.kill(signal);
  });
  const printed = await text(child.stdout);
  const [code] = (await exited) as [unknown];
  return { printed: printed.trim().split('\n'), code };
}

test('a bench that is let be ends each thing when it has been used', async () => {
  const bench = `
    await ending(() => ending(says('used'), says('inner ended'), says('cut off')), says('outer ended'));
    await ending(async () => { throw new Error('no') }, says('ended all the same')).catch(says('failed'));
  `;
  const words = ['used', 'inner ended', 'outer ended', 'ended all the same', 'failed', 'done'];
  expect(await run(bench, 'SIGTERM')).toEqual({ printed: words, code: 0 });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s ends what is in use, each once, the newest first, though its user goes on or fails',
  async (signal, code) => {
    const bench = `
    await ending(says('over'), says('ended'));
    const gone = Promise.withResolvers();
    await ending(
      () => ending(
        async () => { console.log('ready'); await Promise.race([gone.promise, sleep(20_000)]); },
        says('not this one'),
        async () => { console.log('inner cut off'); gone.reject(new Error('it is gone')); await sleep(50); },
      ),
      says('outer ended'),
    );
  `;
    expect(await run(bench, signal)).toEqual({
      printed: ['over', 'ended', 'ready', 'inner cut off', 'outer ended'],
      code,
    });
  },
);
