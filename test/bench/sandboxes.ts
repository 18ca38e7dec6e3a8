import { setTimeout as sleep } from 'node:timers/promises';
import { Sandbox } from '../../hostd/client/index.ts';
import { figure, time, type Figure } from './figures.ts';

/** Create to first output, exec, stop: each by the SDK on a 512 MiB sandbox. */
export async function measureSandboxes(host: string, n: number, report: (figure: Figure) => void): Promise<void> {
  const created: number[] = [];
  const stopped: number[] = [];
  for (let i = 0; i <= n; i += 1) {
    const startedMs = performance.now();
    const sandbox = await Sandbox.create({ memoryMiB: 512, connection: { host } });
    await sandbox.exec(['echo', 'hello'], { check: true });
    const answeredMs = performance.now();
    await sandbox.stop();
    await sandbox.disconnect();
    if (i === 0) continue; // the first one makes the template
    created.push(answeredMs - startedMs);
    stopped.push(performance.now() - answeredMs);
  }
  report(figure('create to first output, no spare', 'ms', '<= 150 ms and 1/10 of a cold boot', created));
  report(figure('stop, all gone', 'ms', '<= 150 ms', stopped));

  await using sandbox = await Sandbox.create({ memoryMiB: 512, connection: { host } });
  const execs = await time(n * 2, () => sandbox.exec(['/bin/true'], { check: true }));
  report(figure('exec of /bin/true', 'ms', '<= 20 ms', execs));
}

/** As hostd comes: one machine is kept ready, so builds that do not come faster than one in three seconds take it. */
export async function measureSpares(host: string, n: number, report: (figure: Figure) => void): Promise<void> {
  const created: number[] = [];
  for (let i = 0; i <= n; i += 1) {
    const startedMs = performance.now();
    const sandbox = await Sandbox.create({ memoryMiB: 512, connection: { host } });
    await sandbox.exec(['echo', 'hello'], { check: true });
    if (i > 0) created.push(performance.now() - startedMs); // the first one finds no spare
    await sandbox.stop();
    await sandbox.disconnect();
    await sleep(3000);
  }
  report(figure('create to first output, from a spare', 'ms', '<= 45 ms and 1/10 of a cold boot', created));
}
