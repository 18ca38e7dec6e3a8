import { Sandbox } from 'offshoot';

/** One program starts a job and ends; another takes it up by its ids, reads all of its output from the start and stops the sandbox. */

async function start(): Promise<{ sandboxId: string; execId: string }> {
  const sandbox = await Sandbox.create({ timeoutSeconds: 300 });
  const job = await sandbox.spawn('for i in 1 2 3 4 5; do echo "step $i"; sleep 0.3; done; exit 7');
  await sandbox.disconnect();
  return { sandboxId: sandbox.id, execId: job.id };
}

async function takeUp({ sandboxId, execId }: { sandboxId: string; execId: string }): Promise<void> {
  await using sandbox = await Sandbox.connect(sandboxId);
  const job = sandbox.execHandle(execId);
  for await (const { stream, offset, bytes } of job.output()) {
    console.log(`${stream} at byte ${String(offset)}: ${bytes.toString().trimEnd()}`);
  }
  const { exitCode, usage } = await job.wait();
  console.log(`exit code ${String(exitCode)} after ${String(usage?.userCpuMs ?? 0)} ms of CPU time`);
}

await takeUp(await start());
