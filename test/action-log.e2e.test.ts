import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { JobResult } from './doubles/runner/job.ts';
import { Runner } from './doubles/runner/runner.ts';
import { guestLines, useAction } from './support/action-suite.ts';
import { useHostd } from './support/suite.ts';

/** What a guest prints arrives whole and commands nothing. */

const suite = useHostd();
const action = useAction(suite);

type Look<T> = (result: JobResult) => T | Promise<T>;

/** Runs a script; `look` reads the result while the runner's folder is there. */
async function run<T>(script: string, look: Look<T>, onPid?: (pid: number) => void): Promise<T> {
  await using runner = await Runner.start();
  return await runOn(runner, script, look, onPid);
}

async function runOn<T>(runner: Runner, script: string, look: Look<T>, onPid?: (pid: number) => void): Promise<T> {
  const after = { id: 'after', run: 'env; echo done', if: 'always()' } as const;
  const result = await runner.run(
    { steps: [action.step({ run: script, memory: '512' }), after] },
    {
      onStarted: (step, pid) => {
        if (step.id === 'box') onPid?.(pid);
      },
    },
  );
  expect(result.status, result.step('box').log.slice(-5).join('\n')).toBe('success');
  return look(result);
}

test('200 MB of log, in memory that does not grow with it', { timeout: 300_000 }, async () => {
  const peaksKiB: number[] = [];
  let timer: NodeJS.Timeout | undefined;
  const line = 'x'.repeat(99);
  const lines = await run(
    `python3 -c 'import os
block = (b"x" * 99 + b"\\n") * 600
for _ in range(3400): os.write(1, block)'`,
    async (result) => {
      let whole = 0;
      const input = createReadStream(result.step('box').logFile);
      for await (const text of createInterface({ input })) if (text === line) whole += 1;
      return whole;
    },
    (pid) => {
      timer ??= setInterval(() => {
        void readFile(`/proc/${String(pid)}/status`, 'utf8').then(
          (status) => peaksKiB.push(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0)),
          () => undefined,
        );
      }, 200);
    },
  );
  clearInterval(timer);
  expect(lines).toBe(2_040_000);
  expect(Math.max(...peaksKiB)).toBeLessThan(300 * 1024);
});

test('a million short lines on both streams, each stream in order', { timeout: 300_000 }, async () => {
  const script = `python3 -c '
import os
for i in range(0, 500000, 50):
  os.write(1, b"".join(b"o%d\\n" % n for n in range(i, i + 50)))
  os.write(2, b"".join(b"e%d\\n" % n for n in range(i, i + 50)))
'`;
  const seen = await run(script, async (result) => {
    const next = { o: 0, e: 0 };
    for await (const text of createInterface({ input: createReadStream(result.step('box').logFile) })) {
      const [, stream, number] = /^([oe])(\d+)$/.exec(text) ?? [];
      if (stream !== 'o' && stream !== 'e') continue;
      if (Number(number) !== next[stream])
        throw new Error(`${text} came where ${stream}${String(next[stream])} belongs`);
      next[stream] += 1;
    }
    return next;
  });
  expect(seen).toEqual({ o: 500_000, e: 500_000 });
});

const commands = [
  ...['error', 'warning', 'notice', 'debug', 'group', 'endgroup', 'add-mask', 'add-matcher', 'remove-matcher'],
  ...['set-output name=forged', 'save-state name=forged', 'set-env name=FORGED', 'add-path', 'echo', 'stop-commands'],
];

test('a guest that prints every command in every way commands nothing', { timeout: 120_000 }, async () => {
  const forged = commands.flatMap((command) => {
    const brackets = `##[${command}]forged-data`;
    const colons = `::${command}::forged-data`;
    return [
      ...[colons, `  ${colons}`, `\t${colons}`, `\u0085${colons}`, `\u200b${colons}`, colons.toUpperCase(), brackets],
      ...[
        `text ${brackets}`,
        `a\r${colons}`,
        `a\r${brackets}`,
        `\x1b[31m${colons}`,
        `##\x1b[m[${command}]x`,
        `#\x00#[${command}]x`,
      ],
      ...[`\x00${colons}`, `#\u200b#[${command}]x`, `::${command}:\u200b:x`, `${'y'.repeat(200_000)}${brackets}`],
      ...[`${'z'.repeat(1023)}\r${colons}`, '::', ':', '##', '##['],
    ];
  });
  const bytes = Buffer.concat([Buffer.from(forged.join('\n')), Buffer.from('\n\xff\xfe::error::x\n\xc3', 'latin1')]);
  await using runner = await Runner.start();
  await writeFile(path.join(runner.workspace, 'forged'), bytes);
  const script = 'cat forged; cat forged >&2; echo; echo forged-data ordinary';
  await runOn(runner, script, (result) => {
    const box = result.step('box');
    expect(box.annotations).toEqual([]);
    expect(box.commands.map(({ name }) => name)).toEqual(['stop-commands', expect.stringMatching(/^[0-9a-f]{32,}$/)]);
    // they were there to be obeyed
    expect(box.stoppedCommands).toBeGreaterThan(commands.length * 5);
    const ownOutputs = ['egress-denied-count', 'egress-report', 'exit-code', 'sandbox-id', 'timings'];
    expect(Object.keys(box.outputs).sort()).toEqual(ownOutputs);
    expect(box.env).toEqual({});
    expect(box.path).toEqual([]);
    expect(Object.keys(box.state)).not.toContain('forged');
    // nothing was masked
    expect(guestLines(box)).toContain('forged-data ordinary');
    expect(result.step('after').log.join('\n')).not.toContain('FORGED');
    expect(result.post('box').outcome).toBe('success');
  });
});
