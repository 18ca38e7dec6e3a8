import { rm } from 'node:fs/promises';
import path from 'node:path';
import { progressPrinter } from '../../hostd/cli/commands/image.ts';
import { milliseconds, table } from '../../hostd/cli/print.ts';
import { Stopwatch } from '../../hostd/platform/stopwatch.ts';
import { HostClient, Sandbox } from '../../hostd/client/index.ts';
import { comparePictures, ofHostd, takeHostPicture } from '../../test/support/host-picture.ts';
import { HostdProcess } from '../../test/support/hostd-process.ts';
import { fetchProject } from './project.ts';

/** npm run demo: a real project's own tests in a fresh microVM, from nothing to nothing. */

const build = path.resolve(import.meta.dirname, '..', '..', 'build');
const stateDirectory = path.join(build, 'demo-state');
/** Apart from those of a hostd that may serve this machine. */
const network = { instance: 'demo', subnet: '10.82.0.0/16' };
const resultFile = path.join(build, 'demo-results.tap');

async function main(): Promise<number> {
  const before = await takeHostPicture();
  say('starting hostd');
  const exitCode = await withHostd(async (host) => {
    await using client = new HostClient({ host });
    say('image "default": built once, then kept');
    const image = await client.images.build(
      { name: 'default', hostCaBundle: true, hostPackageConfig: true },
      progressPrinter(),
    );
    say(
      `image ${image.name}: ${image.suite}, kernel ${image.kernelVersion}, ${image.storedMiB.toFixed(0)} MiB on disk`,
    );
    const { isolation } = await client.info();
    say(`isolation tier: ${isolation.tier} (${isolation.reason})`);
    return runProjectTests(host);
  });
  const { instance } = network;
  const left = ofHostd(comparePictures(before, await takeHostPicture()), { instance, folders: [stateDirectory] });
  for (const leftover of left) console.error(`left behind: ${leftover}`);
  if (left.length === 0) say('nothing is left: no process, tap, network namespace, rule, mount or cgroup');
  return left.length === 0 ? exitCode : 1;
}

async function withHostd(use: (host: string) => Promise<number>): Promise<number> {
  await using hostd = await HostdProcess.start({ stateDirectory, config: { network } });
  return await use(hostd.host);
}

async function runProjectTests(host: string): Promise<number> {
  const project = await fetchProject(path.join(build, 'demo-project'));
  say(`project: ${project.name} ${project.version} with its own test suite`);
  await rm(resultFile, { force: true });

  const watch = new Stopwatch();
  const sandbox = await Sandbox.create({ labels: { demo: project.name }, connection: { host } });
  const { queuedMs, readyMs } = sandbox.info.timings;
  watch.add('queued', queuedMs);
  watch.add('restored', (readyMs ?? 0) - queuedMs);
  try {
    watch.lap();
    await sandbox.files.upload(project.folder, '/workspace', { owner: '0:0' });
    watch.lap('sent in');
    let first = true;
    const result = await sandbox.exec(['bash', '-c', `set -o pipefail; ${project.testCommand} | tee results.tap`], {
      timeoutMs: 300_000,
      onStdout: (text) => {
        if (first) watch.lap('first output');
        first = false;
        process.stdout.write(text);
      },
      onStderr: (text) => void process.stderr.write(text),
    });
    watch.lap('done');
    await sandbox.files.download('/workspace/results.tap', resultFile);
    watch.lap('brought back');
    say(`exit code ${String(result.exitCode)}; results in ${path.relative(process.cwd(), resultFile)}`);
    return result.exitCode;
  } finally {
    watch.lap();
    const { usage } = await sandbox.stop();
    watch.lap('destroyed');
    const rows = watch.entries().map(([name, ms]) => [name, milliseconds(ms)]);
    process.stdout.write(`\n${table(['step', 'took'], rows)}\n`);
    say(`used ${usage.cpuSeconds.toFixed(1)} CPU seconds, at most ${usage.peakMemoryMiB.toFixed(0)} MiB`);
    await sandbox.disconnect();
  }
}

function say(text: string): void {
  console.log(`demo: ${text}`);
}

process.exitCode = await main();
