import { HostClient, Sandbox } from 'offshoot';

/**
 * Prepares a sandbox and keeps it; another day another program goes on from there, with its files and its running processes:
 * node snapshot-today.ts keep NAME, later node snapshot-today.ts use NAME
 */

const [step, name = 'example-prepared'] = process.argv.slice(2);

async function keep(): Promise<void> {
  await using sandbox = await Sandbox.create({ labels: { example: 'snapshot-today' } });
  await sandbox.files.write('/workspace/built', 'built today');
  // a process that counts, in its memory and into a file
  await sandbox.spawn('i=0; while sleep 0.1; do i=$((i + 1)); echo $i > /run/next; mv /run/next /run/count; done');
  await sandbox.exec('until test -s /run/count; do sleep 0.1; done', { check: true, timeoutMs: 60_000 });
  const { storedMiB, expiresAt } = await sandbox.snapshot({ name, retentionDays: 7 });
  console.log(`kept as ${name}: ${storedMiB.toFixed(0)} MiB until ${String(expiresAt)}`);
}

async function use(): Promise<void> {
  {
    await using sandbox = await Sandbox.create({ snapshot: name });
    const { stdout } = await sandbox.exec('cat built; echo; cat /run/count; sleep 0.5; cat /run/count', {
      check: true,
    });
    const [built, before, after] = stdout.split('\n');
    console.log(`${String(built)}; the counter ${Number(after) > Number(before) ? 'goes on' : 'stands still'}`);
  }
  await using host = new HostClient();
  await host.snapshots.remove(name); // refused while a sandbox stands on it
  console.log(`${name} is removed`);
}

await (step === 'use' ? use() : keep());
