import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBundle } from '../../action/bundle/make-bundle.ts';
import { Sandbox } from '../../hostd/client/index.ts';
import { ending } from './endings.ts';
import { figure, type Figure } from './figures.ts';

const checkout = path.resolve(import.meta.dirname, '..', '..');
const sentinel = 'the script has begun';

/** The committed inputs' defaults, with a workspace of 100 files. */
const inputs = {
  shell: 'bash',
  'timeout-minutes': '5',
  sync: 'true',
  'artifacts-dir': 'offshoot-artifacts',
  'keep-on-failure': '0',
  'allow-unsafe-fork-code': 'false',
  'fail-on-egress-denied': 'false',
};

/** On a hostd with a spare machine, the default. From the start of the action's process to the first line of its script, and from the runner's signal to the end of everything. */
export async function measureAction(host: string, n: number, report: (figure: Figure) => void): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'offshoot-bench-'));
  const started = new Set<ChildProcess>();
  const measure = async (): Promise<void> => {
    const bundle = path.join(folder, 'dist');
    await makeBundle(checkout, bundle);
    const workspace = path.join(folder, 'workspace');
    await mkdir(path.join(workspace, 'src'), { recursive: true });
    for (let i = 0; i < 100; i += 1)
      await writeFile(
        path.join(workspace, 'src', `file-${String(i)}.ts`),
        `export const n = ${String(i)};\n`.repeat(100),
      );
    const start = async (run: string) => {
      const child = await startAction(bundle, folder, workspace, host, run);
      started.add(child);
      child.once('exit', () => started.delete(child));
      return child;
    };

    for (const { pauseMs, name } of [
      { pauseMs: 3_000, name: "action's start to the script's first line, 100 files" },
      { pauseMs: 0, name: 'the same, jobs so close that no spare machine is ready' },
    ]) {
      const firstLines: number[] = [];
      for (let i = 0; i <= n; i += 1) {
        await sleep(pauseMs);
        const startedMs = performance.now();
        const child = await start(`echo "${sentinel}"`);
        await printed(child, sentinel);
        if (i > 0) firstLines.push(performance.now() - startedMs);
        await once(child, 'exit');
      }
      report(figure(name, 'ms', '<= 1000 ms', firstLines));
    }

    const cancels: number[] = [];
    for (let i = 0; i <= n; i += 1) {
      const child = await start(`echo "${sentinel}"; sleep 600`);
      await printed(child, sentinel);
      const cancelledMs = performance.now();
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      while ((await Sandbox.list({ connection: { host } })).length > 0) await sleep(5);
      await ended;
      if (i > 0) cancels.push(performance.now() - cancelledMs);
    }
    report(figure('cancel to all gone', 'ms', '<= 1500 ms', cancels));
  };
  await ending(measure, async () => {
    for (const child of started) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
}

async function startAction(
  bundle: string,
  folder: string,
  workspace: string,
  host: string,
  run: string,
): Promise<ChildProcess> {
  const files = Object.fromEntries(
    ['STATE', 'OUTPUT', 'ENV', 'PATH', 'STEP_SUMMARY'].map((name) => [`GITHUB_${name}`, path.join(folder, name)]),
  );
  for (const file of Object.values(files)) await writeFile(file, '');
  const given = Object.entries({ ...inputs, host, run }).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]);
  return spawn(process.execPath, [path.join(bundle, 'action.mjs')], {
    env: { ...process.env, ...files, ...Object.fromEntries(given), GITHUB_WORKSPACE: workspace, RUNNER_TEMP: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Resolves when the process prints the text as a line; rejects with its output when it ends without. Reads on after it. */
function printed(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.split('\n').includes(text)) resolve();
    });
    child.once('exit', () => {
      reject(new Error(`the action ended early:\n${output}`));
    });
  });
}
